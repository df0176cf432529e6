import CZlib
import HTTPTypes
import Hummingbird
import NIOCore

/// Compression (RFC 1952).
enum Gzip {
  /// - Parameter level: 1, the fastest, to 9, the smallest.
  static func compress(_ bytes: [UInt8], level: Int32 = 9) -> [UInt8] {
    let bound = pcm_gzip_bound(bytes.count)
    return [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
      count = pcm_gzip(bytes, bytes.count, level, buffer.baseAddress, bound)
    }
  }

  /// Whether a response to a request may be compressed.
  static func isAccepted(by request: Request) -> Bool {
    request.headers[.acceptEncoding]?.split(separator: ",").contains { $0.drop { $0 == " " }.prefix { $0 != ";" } == "gzip" }
      == true
  }
}
