internal import Crypto
internal import CryptoExtras

/// A site's public key for unlinkable tokens: RSABSSA-SHA384-PSS-Deterministic of RFC 9474 (reference, section 8.1).
package struct TokenPublicKey: Sendable {
  /// The name of the key, by the bytes that the site serves.
  package let id: KeyID
  /// How the site wrote the key.
  package let form: TokenKeyForm
  /// How many bytes blinded messages and signatures have: 512 for 4096 bits.
  package let modulusByteCount: Int
  /// Big-endian; its first byte is not zero.
  package let modulus: [UInt8]
  let key: _RSA.BlindSigning.PublicKey<SHA384>

  /// A key in the form that browsers of older systems expected. It is taken, and what it signs is the same.
  package var isLegacyForm: Bool { form == .rsaEncryption }

  /// Reads the key as a site serves it: base64url, with or without padding, of a SubjectPublicKeyInfo.
  package init(wire: String) throws(TokenKeyRefusal) {
    guard !wire.isEmpty else { throw .empty }
    guard let spki = Base64URL.decode(wire) else { throw .notBase64URL }
    try self.init(spki: spki)
  }

  /// Reads the DER bytes of a SubjectPublicKeyInfo.
  ///
  /// The modulus has 2048 to 4096 bits and fills its bytes: with other lengths implementations of the padding disagree.
  package init(spki: [UInt8]) throws(TokenKeyRefusal) {
    let info = try SubjectPublicKeyInfo(der: spki)
    let bits = info.modulus.count * 8 - (info.modulus.first?.leadingZeroBitCount ?? 0)
    guard (2048...4096).contains(bits), bits % 8 == 0 else { throw .wrongSize(bits: bits) }
    guard info.modulus.last.map({ $0 % 2 == 1 }) == true else { throw .evenModulus }
    guard Self.isUsableExponent(info.exponent) else { throw .wrongExponent }
    do {
      key = try _RSA.BlindSigning.PublicKey(
        n: info.modulus, e: info.exponent, parameters: .RSABSSA_SHA384_PSS_Deterministic)
    } catch {
      throw .notRSAPublicKey
    }
    id = KeyID(spki: spki)
    form = info.form
    modulus = info.modulus
    modulusByteCount = info.modulus.count
  }

  /// Odd, at least 3, and short enough that a hostile key costs no more time than another: BoringSSL's own limits.
  private static func isUsableExponent(_ exponent: [UInt8]) -> Bool {
    guard exponent.count <= 5 else { return false }
    let value = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return value % 2 == 1 && value >= 3 && value < 1 << 33
  }

  /// Whether a signature stands for a token: RSASSA-PSS with SHA-384, MGF1 with SHA-384 and salt 48 over the token's bytes.
  package func verifies(_ signature: [UInt8], over token: UnlinkableToken) -> Bool {
    refusal(of: signature, over: token) == nil
  }

  /// Why a signature does not stand for a token; nil when it does.
  package func refusal(of signature: [UInt8], over token: UnlinkableToken) -> TokenRefusal? {
    guard signature.count == modulusByteCount else {
      return .wrongSignatureSize(signature.count, expected: modulusByteCount)
    }
    return verifies(signature, overMessage: token.bytes) ? nil : .signatureDoesNotVerify
  }

  /// The scheme itself takes messages of any length; tokens have 32 bytes.
  func verifies(_ signature: [UInt8], overMessage message: [UInt8]) -> Bool {
    key.isValidSignature(_RSA.Signing.RSASignature(rawRepresentation: signature), for: key.prepare(message))
  }
}
