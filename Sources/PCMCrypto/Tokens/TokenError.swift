/// The reason a token, a blinded message, or a signature is rejected.
package enum TokenError: Error, Hashable, Sendable {
  case wrongTokenSize(Int)
  /// A blind signature of a different size than the key's modulus.
  case wrongBlindSignatureSize(Int, expected: Int)
  /// A signature over a token of a different size than the key's modulus.
  case wrongSignatureSize(Int, expected: Int)
  /// The signature is forged, or is from another key or for another token.
  case signatureDoesNotVerify
  case wrongBlindedMessageSize(Int, expected: Int)
  case blindedMessageNotBelowModulus
  /// The crypto library cannot blind with this key, so it is not the product of two large primes.
  case unusablePublicKey
  /// The crypto library cannot sign with this key, because its parts do not match.
  case unusablePrivateKey

  /// A description for people.
  package var detail: String {
    switch self {
    case .wrongTokenSize(let count): "The token has \(Self.bytes(count)); it must have \(UnlinkableToken.byteCount)."
    case .wrongBlindSignatureSize(let count, let expected):
      "The blind signature has \(Self.bytes(count)); the key requires \(expected)."
    case .wrongSignatureSize(let count, let expected):
      "The signature has \(Self.bytes(count)); the key requires \(expected)."
    case .signatureDoesNotVerify:
      "The signature does not verify with this key as RSASSA-PSS with SHA-384, MGF1 with SHA-384, and a salt of 48 bytes."
    case .wrongBlindedMessageSize(let count, let expected):
      "The blinded token has \(Self.bytes(count)); the key requires \(expected)."
    case .blindedMessageNotBelowModulus: "The blinded token, as a number, is not less than the key's modulus."
    case .unusablePublicKey: "The key is not the product of two large primes, so it cannot blind a token."
    case .unusablePrivateKey: "The private key's parts do not match, so it cannot sign."
    }
  }

  private static func bytes(_ count: Int) -> String { "\(count) \(count == 1 ? "byte" : "bytes")" }
}

/// The reason a text or file is not a valid token key.
package enum TokenKeyError: Error, Hashable, Sendable {
  case empty
  /// Characters outside the base64url alphabet, or invalid padding.
  case notBase64URL
  /// Invalid DER, or not a SubjectPublicKeyInfo.
  case notSubjectPublicKeyInfo
  /// A complete SubjectPublicKeyInfo, followed by this number of bytes.
  case trailingBytes(Int)
  /// Neither id-RSASSA-PSS nor rsaEncryption.
  case wrongAlgorithm(objectIdentifier: String)
  /// rsaEncryption with parameters other than NULL.
  case wrongRSAParameters
  case wrongPSSParameters(PSSField)
  /// The SubjectPublicKeyInfo does not contain an RSAPublicKey of PKCS #1.
  case notRSAPublicKey
  /// Fewer than 2048 or more than 4096 bits, or not a whole number of bytes.
  case wrongSize(bits: Int)
  case evenModulus
  /// An exponent that is even, less than 3, or longer than 33 bits.
  case wrongExponent
  /// Not PEM text with an RSA private key, or a key in id-RSASSA-PSS form, which the crypto library cannot read.
  case notPrivateKey
  /// The crypto library could not generate a key.
  case notGenerated

  /// A field of RSASSA-PSS-params (RFC 4055, section 3.1) that differs from the scheme.
  package enum PSSField: String, Hashable, Sendable {
    /// Missing or invalid parameters.
    case all
    case hash
    case maskGeneration
    case saltLength
    /// An explicit value, which DER omits because it is the default.
    case trailer
  }

  /// A description for people: the error and the requirement.
  package var detail: String {
    switch self {
    case .empty: "The key is empty."
    case .notBase64URL: "The key is not base64url: only letters, digits, -, and _, with or without padding."
    case .notSubjectPublicKeyInfo: "The key's bytes are not a SubjectPublicKeyInfo in DER."
    case .trailingBytes(let count): "\(count) \(count == 1 ? "byte follows" : "bytes follow") the key."
    case .wrongAlgorithm(let identifier):
      "The key's algorithm is \(identifier); it must be id-RSASSA-PSS (1.2.840.113549.1.1.10)."
    case .wrongRSAParameters: "The algorithm rsaEncryption must have NULL parameters."
    case .wrongPSSParameters(let field): field.detail
    case .notRSAPublicKey: "The SubjectPublicKeyInfo does not contain an RSA public key of PKCS #1 in DER."
    case .wrongSize(let bits):
      "The key has \(bits) bits; it must have 2048 to 4096, a whole number of bytes. WebKit's own tests use 4096."
    case .evenModulus: "The key's modulus is even, so it is not an RSA key."
    case .wrongExponent: "The key's exponent must be odd, at least 3, and at most 33 bits long; 65537 is usual."
    case .notPrivateKey:
      "The file is not an RSA private key in PEM, PKCS #8 or PKCS #1, without a password. Convert a key in id-RSASSA-PSS form "
        + "to the algorithm rsaEncryption."
    case .notGenerated: "The crypto library could not generate a key."
    }
  }
}

extension TokenKeyError.PSSField {
  fileprivate var detail: String {
    switch self {
    case .all:
      "The algorithm id-RSASSA-PSS has no readable parameters; it must have SHA-384, MGF1 with SHA-384, and a salt of 48 bytes."
    case .hash: "The key's hash algorithm is not SHA-384."
    case .maskGeneration: "The key's mask generation is not MGF1 with SHA-384."
    case .saltLength: "The key's salt length is not 48 bytes."
    case .trailer: "The key's parameters contain the trailer field, which must be omitted."
    }
  }
}
