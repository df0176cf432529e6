import CZlib
import Foundation

/// The bytes of a file, a pipe, or standard input, one part after another. Gzip is decompressed.
final class ByteStream {
  private let path: String
  private let descriptor: Int32
  /// The beginning of a pipe.
  private var first: [UInt8]
  private var inflater: Inflater?
  private var hasStarted = false

  /// The size of a part in bytes. A part of gzip has at most 1,032 times as many.
  private static let partSize = 16_384

  /// - Parameter path: The path of a file, or `-` for standard input.
  init(path: String) throws(StartError) {
    self.path = path
    // Opening a pipe would otherwise wait for its writer.
    descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_NONBLOCK)
    first = []
    guard descriptor >= 0 else { throw unreadable(String(cString: strerror(errno))) }
    guard path != "-" else { return }
    do throws(StartError) {
      first = try TextFile.pipe(descriptor, upTo: Self.partSize) ?? []
    } catch {
      throw unreadable(error.description)
    }
  }

  deinit { close(descriptor) }

  /// Returns the next bytes; empty at the end.
  func next() throws(StartError) -> [UInt8] {
    while true {
      let part = try nextPart()
      if !hasStarted, part.starts(with: [0x1F, 0x8B]) { inflater = Inflater() }
      hasStarted = true
      guard let inflater else { return part }
      guard !part.isEmpty || inflater.isComplete else { throw unreadable("the gzip data ends too early") }
      guard let bytes = inflater.bytes(of: part) else { throw unreadable("the gzip data is damaged") }
      if !bytes.isEmpty || part.isEmpty { return bytes }
    }
  }

  private func nextPart() throws(StartError) -> [UInt8] {
    if !first.isEmpty {
      defer { first = [] }
      return first
    }
    var part = [UInt8](repeating: 0, count: Self.partSize)
    let count = readSome(&part, of: descriptor, upTo: part.count)
    guard count >= 0 else { throw unreadable(String(cString: strerror(errno))) }
    return Array(part.prefix(count))
  }

  private func unreadable(_ reason: String) -> StartError {
    StartError(description: "cannot read \(path == "-" ? "standard input" : path): \(reason)")
  }
}

/// Decompresses gzip (RFC 1952), which may have several members.
private final class Inflater {
  /// The library keeps the address.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  /// Whether a member has ended, and no other has begun.
  private(set) var isComplete = false

  init() {
    stream.initialize(to: z_stream())
    // 15 is the size of the largest window, and 16 stands for gzip.
    inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Returns nil for damaged data.
  func bytes(of part: [UInt8]) -> [UInt8]? {
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
