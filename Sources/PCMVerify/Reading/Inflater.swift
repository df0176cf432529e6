internal import CZlib

/// Decompresses gzip (RFC 1952), which may have several members.
package final class Inflater {
  /// The library keeps the address.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  /// Whether a member has ended, and no other has begun.
  package private(set) var isComplete = false

  package init() {
    stream.initialize(to: z_stream())
    // 15 is the size of the largest window, and 16 stands for gzip.
    inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Returns whether bytes begin as gzip does.
  package static func isGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

  /// Decompresses data as a whole; nil for damaged or incomplete data, and for a content of more bytes than the limit.
  package static func content(of data: [UInt8], upTo limit: Int) -> [UInt8]? {
    let (inflater, partSize) = (Inflater(), 4_096)
    var content: [UInt8] = []
    for start in stride(from: 0, to: data.count, by: partSize) {
      guard let part = inflater.bytes(of: Array(data[start..<min(start + partSize, data.count)])) else { return nil }
      content += part
      guard content.count <= limit else { return nil }
    }
    return inflater.isComplete ? content : nil
  }

  /// Returns nil for damaged data.
  package func bytes(of part: [UInt8]) -> [UInt8]? {
    var part = part
    return part.withUnsafeMutableBufferPointer { input in
      var bytes: [UInt8] = []
      (stream.pointee.next_in, stream.pointee.avail_in) = (input.baseAddress, UInt32(input.count))
      while stream.pointee.avail_in > 0 {
        // As gzip does, ignores padding after the last member.
        if isComplete, stream.pointee.next_in.pointee != 0x1F { return bytes }
        guard inflateSome(into: &bytes) else { return nil }
      }
      return bytes
    }
  }

  private func inflateSome(into bytes: inout [UInt8]) -> Bool {
    if isComplete { inflateReset(stream) }
    var status = Z_OK
    repeat {
      bytes += [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
        (stream.pointee.next_out, stream.pointee.avail_out) = (buffer.baseAddress, UInt32(buffer.count))
        status = inflate(stream, Z_NO_FLUSH)
        count = buffer.count - Int(stream.pointee.avail_out)
      }
    } while status == Z_OK && stream.pointee.avail_out == 0
    isComplete = status == Z_STREAM_END
    // A full buffer at the end of the input is no error.
    return status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR
  }
}
