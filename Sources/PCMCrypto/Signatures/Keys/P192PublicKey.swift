internal import COpenSSL

/// A public key on the curve P-192, which swift-crypto lacks.
///
/// It owns OpenSSL's handle, which is private to this file. `@unchecked Sendable`: nothing changes the key after its
/// initialization, and each use has its own context, so OpenSSL allows uses at the same time.
final class P192PublicKey: @unchecked Sendable {
  private let handle: OpaquePointer

  /// - Parameter spki: The DER bytes of a SubjectPublicKeyInfo that names the curve.
  init(spki: [UInt8]) throws(KeyError) {
    defer { ERR_clear_error() }
    let key = spki.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      return d2i_PUBKEY(nil, &start, buffer.count)
    }
    guard let key else { throw .pointNotOnCurve }
    handle = key
  }

  deinit { EVP_PKEY_free(handle) }

  /// Whether this key verifies a message's signature in DER.
  func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
    let context = EVP_MD_CTX_new()
    defer {
      EVP_MD_CTX_free(context)
      // Other libraries in the process use the same error queue.
      ERR_clear_error()
    }
    guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, handle) == 1 else { return false }
    return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}
