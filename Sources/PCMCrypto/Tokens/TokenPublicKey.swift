internal import Crypto
internal import CryptoExtras
internal import PCMCore

/// A site's public key for unlinkable tokens: RSABSSA-SHA384-PSS-Deterministic of RFC 9474 (reference, section 8.1).
package struct TokenPublicKey: Sendable {
  /// The identifier of the key, derived from the bytes that the site serves.
  package let id: KeyID
  /// The encoding of the key.
  package let form: TokenKeyForm
  /// The size of blinded messages and signatures in bytes: 512 for 4096 bits.
  package let modulusByteCount: Int
  /// The modulus in big-endian order. Its first byte is not zero.
  package let modulus: [UInt8]
  let key: _RSA.BlindSigning.PublicKey<SHA384>

  /// Parses the key as a site serves it: a SubjectPublicKeyInfo in base64url, with or without padding.
  package init(wire: String) throws(TokenKeyError) {
    guard !wire.isEmpty else { throw .empty }
    guard let spki = Base64URL.decode(wire) else { throw .notBase64URL }
    try self.init(spki: spki)
  }

  /// Parses the DER bytes of a SubjectPublicKeyInfo.
  ///
  /// The modulus has 2048 to 4096 bits and fills its bytes, because implementations of the padding differ for other
  /// lengths.
  package init(spki: [UInt8]) throws(TokenKeyError) {
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

  /// Whether the exponent is odd, at least 3, and at most 33 bits long. These are the limits of BoringSSL, which bound the
  /// time that a hostile key takes.
  private static func isUsableExponent(_ exponent: [UInt8]) -> Bool {
    guard exponent.count <= 5 else { return false }
    let value = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return value % 2 == 1 && value >= 3 && value < 1 << 33
  }

  /// Whether a signature matches a token: RSASSA-PSS with SHA-384, MGF1 with SHA-384, and a salt of 48 bytes over the
  /// token's bytes.
  package func verifies(_ signature: [UInt8], over token: UnlinkableToken) -> Bool {
    verificationError(of: signature, over: token) == nil
  }

  /// Returns why a signature does not match a token; nil when it does.
  package func verificationError(of signature: [UInt8], over token: UnlinkableToken) -> TokenError? {
    guard signature.count == modulusByteCount else {
      return .wrongSignatureSize(signature.count, expected: modulusByteCount)
    }
    return verifies(signature, overMessage: token.bytes) ? nil : .signatureDoesNotVerify
  }

  /// The scheme supports messages of any length.
  func verifies(_ signature: [UInt8], overMessage message: [UInt8]) -> Bool {
    key.isValidSignature(_RSA.Signing.RSASignature(rawRepresentation: signature), for: key.prepare(message))
  }
}

/// The encodings of a site's public key for tokens. All of them represent the same scheme (reference, section 8.1).
package enum TokenKeyForm: Hashable, Sendable, CaseIterable {
  /// id-RSASSA-PSS with SHA-384 without parameters, as current browsers expect.
  case rsassaPSS
  /// As `rsassaPSS`, with NULL parameters in the hash identifiers, as OpenSSL writes it. RFC 4055, section 2.1, requires
  /// parsers to accept both. Safari's behavior is unknown.
  case rsassaPSSWithNull
  /// rsaEncryption, which specifies no scheme, as browsers of older systems expected.
  case rsaEncryption
}

/// The identifier of a public key for tokens. Browsers compare it to detect that a site has changed its key between a
/// signature and the report (reference, sections 8.1 and 8.4).
package struct KeyID: Hashable, Sendable {
  /// The SHA-256 hash of the key's SubjectPublicKeyInfo, in base64url without padding: 43 characters.
  package let text: String

  /// - Parameter spki: The DER bytes exactly as the site serves them, decoded from base64url.
  package init(spki: [UInt8]) {
    text = Base64URL.encode(Array(SHA256.hash(data: spki)))
  }
}
