import PCMCore
import PCMCrypto
import PCMNetwork

/// An actor that blinds tokens and unblinds signatures serially. Blinding takes half a millisecond with a 2048-bit key and
/// some milliseconds with a 4096-bit key.
///
/// One actor serves all browsers. Browsers stay responsive during this work, and it occupies only one of the threads that
/// all actors share (one per core), regardless of the number of exchanges.
actor TokenBlinder {
  func blind(_ bytes: [UInt8], with key: TokenPublicKey) throws(TokenError) -> BlindedToken {
    try UnlinkableToken(bytes: bytes).blind(with: key)
  }

  func token(_ answer: Exchange, of site: Site, blinded: BlindedToken) throws(Violation) -> SecretToken {
    try TokenAnswer.token(answer, of: site, blinded: blinded)
  }
}
