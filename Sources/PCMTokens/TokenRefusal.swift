/// Why a token, a blinded message or a signature is not taken.
package enum TokenRefusal: Error, Hashable, Sendable {
  case wrongTokenSize(Int)
  /// A blind signature that has not as many bytes as the key's modulus.
  case wrongBlindSignatureSize(Int, expected: Int)
  /// A signature over a token that has not as many bytes as the key's modulus.
  case wrongSignatureSize(Int, expected: Int)
  /// Forged, made with another key or over another token.
  case signatureDoesNotVerify
  case wrongBlindedMessageSize(Int, expected: Int)
  case blindedMessageNotBelowModulus
  /// The crypto library could not blind with this key, which therefore is no product of two large primes.
  case unusablePublicKey
  /// The crypto library could not sign with this key: its parts do not belong together.
  case unusablePrivateKey

  /// A sentence for people.
  package var detail: String {
    switch self {
    case .wrongTokenSize(let count): "The token has \(Self.bytes(count)); it has to have \(UnlinkableToken.byteCount)."
    case .wrongBlindSignatureSize(let count, let expected):
      "The blind signature has \(Self.bytes(count)); with this key it has to have \(expected)."
    case .wrongSignatureSize(let count, let expected):
      "The signature has \(Self.bytes(count)); with this key it has to have \(expected)."
    case .signatureDoesNotVerify:
      "The signature does not verify with this key as RSASSA-PSS with SHA-384, MGF1 with SHA-384 and salt 48."
    case .wrongBlindedMessageSize(let count, let expected):
      "The blinded token has \(Self.bytes(count)); with this key it has to have \(expected)."
    case .blindedMessageNotBelowModulus: "The blinded token, as a number, is not below the key's modulus."
    case .unusablePublicKey: "The key is not the product of two large primes, so nothing can be blinded with it."
    case .unusablePrivateKey: "The private key's parts do not belong together, so nothing can be signed with it."
    }
  }

  private static func bytes(_ count: Int) -> String { "\(count) \(count == 1 ? "byte" : "bytes")" }
}

/// Why a text or file is not taken as a token key.
package enum TokenKeyError: Error, Hashable, Sendable {
  case empty
  /// Characters other than those of base64url, or padding that does not fit.
  case notBase64URL
  /// No DER, or no SubjectPublicKeyInfo.
  case notSubjectPublicKeyInfo
  /// A whole SubjectPublicKeyInfo with this many bytes behind it.
  case trailingBytes(Int)
  /// Neither id-RSASSA-PSS nor rsaEncryption.
  case wrongAlgorithm(objectIdentifier: String)
  /// rsaEncryption without its NULL, or with something else.
  case wrongRSAParameters
  case wrongPSSParameters(PSSField)
  /// What the SubjectPublicKeyInfo wraps is no RSAPublicKey of PKCS #1.
  case notRSAPublicKey
  /// Fewer than 2048 or more than 4096 bits, or not a whole number of bytes.
  case wrongSize(bits: Int)
  case evenModulus
  /// Even, less than 3 or longer than 33 bits.
  case wrongExponent
  /// No PEM text with an RSA private key, or one in id-RSASSA-PSS form, which the crypto library does not read.
  case notPrivateKey
  /// The crypto library made no key.
  case notGenerated

  /// A part of RSASSA-PSS-params (RFC 4055, section 3.1) that is not as the scheme has it.
  package enum PSSField: String, Hashable, Sendable {
    /// No parameters, or something else in their place.
    case all
    case hash
    case maskGeneration
    case saltLength
    /// Written out, though DER leaves the only allowed value out.
    case trailer
  }

  /// A sentence for people: what is wrong, and what it has to be.
  package var detail: String {
    switch self {
    case .empty: "The key is empty."
    case .notBase64URL: "The key is not base64url: letters, digits, - and _ only, with or without padding."
    case .notSubjectPublicKeyInfo: "The key's bytes are no SubjectPublicKeyInfo in DER."
    case .trailingBytes(let count): "\(count) \(count == 1 ? "byte follows" : "bytes follow") the key."
    case .wrongAlgorithm(let identifier):
      "The key's algorithm is \(identifier); it has to be id-RSASSA-PSS (1.2.840.113549.1.1.10)."
    case .wrongRSAParameters: "The algorithm rsaEncryption has to have NULL as its parameters."
    case .wrongPSSParameters(let field): field.detail
    case .notRSAPublicKey: "What the SubjectPublicKeyInfo wraps is no RSA public key of PKCS #1 in DER."
    case .wrongSize(let bits):
      "The key has \(bits) bits; it has to have 2048 to 4096, a whole number of bytes. WebKit's own tests use 4096."
    case .evenModulus: "The key's modulus is even, so it is no RSA key."
    case .wrongExponent: "The key's exponent has to be odd, at least 3 and at most 33 bits long; 65537 is usual."
    case .notPrivateKey:
      "This is no RSA private key in PEM, PKCS #8 or PKCS #1, without a password. A key in id-RSASSA-PSS form has to be "
        + "rewritten with the algorithm rsaEncryption."
    case .notGenerated: "The crypto library could not make a key."
    }
  }
}

extension TokenKeyError.PSSField {
  fileprivate var detail: String {
    switch self {
    case .all: "The algorithm id-RSASSA-PSS has no readable parameters; it has to have SHA-384, MGF1 with SHA-384 and salt 48."
    case .hash: "The key's hash algorithm is not SHA-384."
    case .maskGeneration: "The key's mask generation is not MGF1 with SHA-384."
    case .saltLength: "The key's salt length is not 48."
    case .trailer: "The key's parameters name the trailer field, which has to be left out."
    }
  }
}
