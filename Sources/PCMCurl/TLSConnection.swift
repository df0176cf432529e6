import COpenSSL
import Foundation
import PCMCrypto

/// A TLS connection, the rule for its server's certificate, and the number of bytes that the server may send.
///
/// libcurl reads a connection within one call until nothing is left to read. A server can send frames of HTTP/2 or messages of TLS
/// without content, which libcurl does not count, faster than it reads them. The call then has no end, and no timeout applies. All
/// of them arrive in records of TLS, which are counted here.
///
/// The context of the TLS library owns the object, and libcurl has one for each connection. Use it only on the loop thread.
final class TLSConnection {
  /// The bytes that a connection may have without the content of its responses. Frames without content then take less than a
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

  /// The host that the certificate must name; nil without verification.
  private let host: String?
  /// Why browsers reject the certificate although its chain is valid.
  private(set) var violation: CertificateViolation?

  /// - Parameters:
  ///   - socket: The socket of the connection.
  ///   - host: The host that the certificate must name; nil without verification.
  ///   - allowance: The number of bytes that the server may send before the first request.
  init(socket: Int32, verifying host: String?, allowance: Int) {
    self.socket = socket
    self.host = host
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

  /// Takes back the unused bytes of a response.
  func endRequest(allowance count: Int) {
    requestCount -= 1
    guard !isExhausted else { return }
    allowance = min(allowance, count * max(1, requestCount))
  }

  /// Counts bytes that arrived. At the limit, the connection ends.
  func receive(_ count: Int) {
    guard !isExhausted else { return }
    allowance -= count
    // libcurl reads the received bytes, and then the end of the connection.
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
    guard host != nil else { return true }
    SSL_CTX_set_cert_verify_callback(context, verifyChain, object.toOpaque())
    // Rejects short keys and SHA-1 in the whole chain. Debian's level is 2, OpenSSL's is 1.
    if SSL_CTX_get_security_level(context) == 1 { SSL_CTX_set_security_level(context, 2) }
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

extension TLSConnection {
  /// Verifies the chain, and then the leaf with the rules of browsers. The handshake fails without the result 1.
  fileprivate func verify(_ chain: OpaquePointer) -> Int32 {
    guard X509_verify_cert(chain) == 1 else { return 0 }
    guard let host, let leaf = Self.leaf(of: chain) else { return 1 }
    violation = CertificateViolation(of: leaf, for: host)
    guard let violation else { return 1 }
    X509_STORE_CTX_set_error(chain, violation.rule.verification)
    return 0
  }

  /// The encoding of the server's certificate.
  private static func leaf(of chain: OpaquePointer) -> [UInt8]? {
    guard let leaf = X509_STORE_CTX_get0_cert(chain) else { return nil }
    let count = Int(i2d_X509(leaf, nil))
    guard count > 0 else { return nil }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
      var next = buffer.baseAddress
      written = max(0, Int(i2d_X509(leaf, &next)))
    }
  }
}

extension CertificateViolation.Rule {
  /// OpenSSL's number for the result of a verification (`openssl-verification-options(1)`).
  fileprivate var verification: Int32 {
    switch self {
    case .key: X509_V_ERR_EE_KEY_TOO_SMALL
    case .signature: X509_V_ERR_CA_MD_TOO_WEAK
    case .name: X509_V_ERR_HOSTNAME_MISMATCH
    }
  }
}

/// OpenSSL's callback for the verification of a chain (`SSL_CTX_set_cert_verify_callback(3)`).
private func verifyChain(_ chain: OpaquePointer?, _ object: UnsafeMutableRawPointer?) -> Int32 {
  guard let chain, let object else { return 0 }
  return Unmanaged<TLSConnection>.fromOpaque(object).takeUnretainedValue().verify(chain)
}

/// OpenSSL's message callback (`SSL_CTX_set_msg_callback(3)`), which also receives the header of each record.
private func countRecord(
  _ isWritten: Int32, _ version: Int32, _ type: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ tls: OpaquePointer?,
  _ object: UnsafeMutableRawPointer?
) {
  guard isWritten == 0, type == SSL3_RT_HEADER, let bytes, let object else { return }
  TLSConnection.receive(header: UnsafeRawBufferPointer(start: bytes, count: count), object)
}
