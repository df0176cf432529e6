internal import COpenSSL
internal import Crypto

/// A private key on the curve P-192 or P-256, for signatures with OpenSSL.
///
/// It owns OpenSSL's handle, which is private to this file. `@unchecked Sendable`: nothing changes the key after its
/// initialization, and OpenSSL allows reads at the same time.
final class ECPrivateKey: @unchecked Sendable {
  private let handle: OpaquePointer

  /// - Parameter pkcs8: The DER bytes of a private key that names the curve.
  init(pkcs8: [UInt8]) throws(KeyError) {
    defer { ERR_clear_error() }
    let key = pkcs8.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      return d2i_AutoPrivateKey(nil, &start, buffer.count)
    }
    defer { EVP_PKEY_free(key) }
    guard let key, let handle = EVP_PKEY_get1_EC_KEY(key) else { throw .notPrivateKey }
    self.handle = handle
    guard EC_KEY_check_key(handle) == 1 else { throw .notPrivateKey }
  }

  deinit { EC_KEY_free(handle) }

  /// The DER bytes of the public key.
  var spki: [UInt8] {
    get throws(KeyError) { try der("i2d_EC_PUBKEY") { i2d_EC_PUBKEY(handle, $0) } }
  }

  /// Signs a message with ECDSA and SHA-256. The nonce of RFC 6979 makes the signature deterministic.
  func sign(_ message: [UInt8]) throws(KeyError) -> ECDSASignature {
    let digest = Array(SHA256.hash(data: message))
    var privateKey = try bytes(EC_KEY_get0_private_key(handle))
    defer { OPENSSL_cleanse(&privateKey, privateKey.count) }
    var generator = NonceGenerator(privateKey: privateKey, digest: digest, order: try bytes(order))
    var nonce = generator.next()
    defer { OPENSSL_cleanse(&nonce, nonce.count) }
    return try signature(of: digest, nonce: nonce)
  }

  private var order: OpaquePointer? { EC_GROUP_get0_order(EC_KEY_get0_group(handle)) }

  /// A number below the order, with as many bytes as the order.
  private func bytes(_ number: OpaquePointer?) throws(KeyError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(EC_GROUP_order_bits(EC_KEY_get0_group(handle)) + 7) / 8)
    try check(BN_bn2binpad(number, &bytes, Int32(bytes.count)) > 0, "BN_bn2binpad")
    return bytes
  }

  /// Computes r and the inverse of the nonce, from which OpenSSL computes s. A zero r or s is as improbable as a guess of the
  /// private key.
  private func signature(of digest: [UInt8], nonce bytes: [UInt8]) throws(KeyError) -> ECDSASignature {
    let group = EC_KEY_get0_group(handle)
    let (context, point) = (BN_CTX_new(), EC_POINT_new(group))
    let (nonce, inverse, r) = (BN_new(), BN_new(), BN_new())
    defer {
      for number in [nonce, inverse, r] { BN_clear_free(number) }
      EC_POINT_clear_free(point)
      BN_CTX_free(context)
    }
    try check(BN_bin2bn(bytes, Int32(bytes.count), nonce) != nil, "BN_bin2bn")
    BN_set_flags(nonce, BN_FLG_CONSTTIME)
    try check(EC_POINT_mul(group, point, nonce, nil, nil, context) == 1, "EC_POINT_mul")
    try check(EC_POINT_get_affine_coordinates(group, point, r, nil, context) == 1, "EC_POINT_get_affine_coordinates")
    try check(BN_nnmod(r, r, order, context) == 1, "BN_nnmod")
    try check(BN_mod_inverse(inverse, nonce, order, context) != nil, "BN_mod_inverse")
    let signature = ECDSA_do_sign_ex(digest, Int32(digest.count), inverse, r, handle)
    defer { ECDSA_SIG_free(signature) }
    try check(signature != nil, "ECDSA_do_sign_ex")
    let der = try der("i2d_ECDSA_SIG") { i2d_ECDSA_SIG(signature, $0) }
    guard let signature = ECDSASignature(der: der) else { throw .failedCall("i2d_ECDSA_SIG") }
    return signature
  }

  /// Returns the output of an OpenSSL function. Without a pointer, the function returns the number of bytes.
  private func der(
    _ call: String, _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
  ) throws(KeyError) -> [UInt8] {
    let count = write(nil)
    try check(count > 0, call)
    var bytes = [UInt8](repeating: 0, count: Int(count))
    let written = bytes.withUnsafeMutableBufferPointer { buffer in
      var start = buffer.baseAddress
      return write(&start)
    }
    try check(written == count, call)
    return bytes
  }

  private func check(_ succeeded: Bool, _ call: String) throws(KeyError) {
    guard !succeeded else { return }
    ERR_clear_error()
    throw .failedCall(call)
  }
}
