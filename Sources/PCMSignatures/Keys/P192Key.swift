internal import COpenSSL

/// A public or private key on the curve P-192, which swift-crypto lacks.
///
/// It owns OpenSSL's handle, which is private to this file. `@unchecked Sendable`: nothing changes the key after its
/// initialization, and each use has its own context, so OpenSSL allows uses at the same time.
final class P192Key: @unchecked Sendable {
  private let handle: OpaquePointer

  /// - Parameter spki: The DER bytes of a SubjectPublicKeyInfo that names the curve.
  init(spki: [UInt8]) throws(KeyError) {
    handle = try Self.handle(from: spki) { d2i_PUBKEY(nil, &$0, $1) }.orThrow(.pointNotOnCurve)
  }

  /// - Parameter pkcs8: The DER bytes of a private key that names the curve.
  init(pkcs8: [UInt8]) throws(KeyError) {
    handle = try Self.handle(from: pkcs8) { d2i_AutoPrivateKey(nil, &$0, $1) }.orThrow(.notPrivateKey)
  }

  deinit { EVP_PKEY_free(handle) }

  /// The DER bytes of the public key.
  var spki: [UInt8] {
    get throws(KeyError) {
      let count = i2d_PUBKEY(handle, nil)
      try check(count, "i2d_PUBKEY")
      var bytes = [UInt8](repeating: 0, count: Int(count))
      let written = bytes.withUnsafeMutableBufferPointer { buffer in
        var start = buffer.baseAddress
        return i2d_PUBKEY(handle, &start)
      }
      try check(written, "i2d_PUBKEY")
      return bytes
    }
  }

  /// Signs a message with ECDSA and SHA-256. The random number of the signature is OpenSSL's.
  ///
  /// - Returns: The signature in DER.
  func sign(_ message: [UInt8]) throws(KeyError) -> [UInt8] {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    try check(EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle), "EVP_DigestSignInit")
    var count = Int(EVP_PKEY_get_size(handle))
    var signature = [UInt8](repeating: 0, count: count)
    try check(EVP_DigestSign(context, &signature, &count, message, message.count), "EVP_DigestSign")
    return Array(signature.prefix(count))
  }

  /// Whether a signature in DER is that of a message by this key.
  func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
    let context = EVP_MD_CTX_new()
    defer {
      EVP_MD_CTX_free(context)
      // Other libraries in the process read the same queue of errors.
      ERR_clear_error()
    }
    guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, handle) == 1 else { return false }
    return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  private static func handle(
    from der: [UInt8], _ read: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?
  ) -> OpaquePointer? {
    defer { ERR_clear_error() }
    return der.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      return read(&start, buffer.count)
    }
  }

  private func check(_ result: Int32, _ call: String) throws(KeyError) {
    guard result > 0 else {
      ERR_clear_error()
      throw .failedCall(call)
    }
  }
}

extension Optional {
  fileprivate func orThrow(_ error: KeyError) throws(KeyError) -> Wrapped {
    guard let self else { throw error }
    return self
  }
}
