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
