import COpenSSL

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A TLS connection, and the number of bytes that its server may send.
///
/// libcurl reads a connection within one call until nothing is left to read. A server can send frames of HTTP/2 or messages of TLS
/// without content, which libcurl does not count, faster than it reads them. The call then has no end, and no timeout applies. All
/// of them arrive in records of TLS, which are counted here.
///
/// The context of the TLS library owns the object, and libcurl has one for each connection. Use it only on the loop thread.
final class TLSConnection {
  /// The bytes that a connection may have besides the content of its responses. Frames without content then take less than a
  /// tenth of a second.
  static let overhead = 4_194_304

  private let socket: Int32
  private var allowance: Int
  /// The number of requests in progress.
  private var requestCount = 0
  /// The bytes that were allowed in total, for the error text.
  private(set) var limit: Int

  /// Whether the server has sent more than it may. The connection is then at its end.
  var isExhausted: Bool { allowance < 0 }

  /// - Parameters:
  ///   - socket: The socket of the connection.
  ///   - allowance: The number of bytes that the server may send before the first request.
  init(socket: Int32, allowance: Int) {
    self.socket = socket
    self.allowance = allowance
    limit = allowance
  }

  /// Allows the response to one more request.
  func beginRequest(allowance count: Int) {
    requestCount += 1
    guard !isExhausted else { return }
    allowance = requestCount == 1 ? count : allowance + count
    limit = allowance
  }

  /// Takes back what the response to a request did not use.
  func endRequest(allowance count: Int) {
    requestCount -= 1
    guard !isExhausted else { return }
    allowance = min(allowance, count * max(1, requestCount))
  }

  /// Counts bytes that arrived. At the limit, the connection ends.
  func receive(_ count: Int) {
    guard !isExhausted else { return }
    allowance -= count
    // libcurl reads what has already arrived, and then the end of the connection.
    if isExhausted { shutdown(socket, Int32(SHUT_RDWR)) }
  }
}

// MARK: The TLS library

extension TLSConnection {
  /// The index of this object in a context of the TLS library; negative without memory.
  private static let index = CRYPTO_get_ex_new_index(
    CRYPTO_EX_INDEX_SSL_CTX, 0, nil, nil, nil,
    { _, object, _, _, _, _ in
      if let object { Unmanaged<TLSConnection>.fromOpaque(object).release() }
    })

  /// Lets the context of a new connection own this object and report each record. Returns false without memory.
  func attach(to context: OpaquePointer) -> Bool {
    let object = Unmanaged.passRetained(self)
    guard Self.index >= 0, SSL_CTX_set_ex_data(context, Self.index, object.toOpaque()) == 1 else {
      object.release()
      return false
    }
    SSL_CTX_set_msg_callback(context, countRecord)
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MSG_CALLBACK_ARG, 0, object.toOpaque())
    return true
  }

  /// Returns the object of a connection's TLS object.
  static func of(_ tls: OpaquePointer) -> TLSConnection? {
    guard index >= 0, let context = SSL_get_SSL_CTX(tls), let object = SSL_CTX_get_ex_data(context, index) else { return nil }
    return Unmanaged<TLSConnection>.fromOpaque(object).takeUnretainedValue()
  }

  /// Counts a record by its header: type, version, and a length of two bytes (RFC 8446, section 5.1).
  fileprivate static func receive(header: UnsafeRawBufferPointer, _ object: UnsafeMutableRawPointer) {
    guard header.count >= 5 else { return }
    let length = Int(header[3]) << 8 | Int(header[4])
    Unmanaged<TLSConnection>.fromOpaque(object).takeUnretainedValue().receive(header.count + length)
  }
}

/// OpenSSL's message callback (`SSL_CTX_set_msg_callback(3)`), which also receives the header of each record.
private func countRecord(
  _ isWritten: Int32, _ version: Int32, _ type: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ tls: OpaquePointer?,
  _ object: UnsafeMutableRawPointer?
) {
  guard isWritten == 0, type == SSL3_RT_HEADER, let bytes, let object else { return }
  TLSConnection.receive(header: UnsafeRawBufferPointer(start: bytes, count: count), object)
}
