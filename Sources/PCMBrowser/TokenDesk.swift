import PCMCore
import PCMDelivery
import PCMTokens

/// Where tokens are blinded and signatures unblinded, one behind the other: blinding takes half a millisecond with a key
/// of 2048 bits and some milliseconds with one of 4096.
///
/// An actor of its own, one for all browsers: nobody waits for a browser because of such work, and it takes up one of the
/// threads that all actors share, of which there are as many as cores, however many exchanges are under way.
actor TokenDesk {
  func blind(_ bytes: [UInt8], with key: TokenPublicKey) throws(TokenRefusal) -> BlindedToken {
    try UnlinkableToken(bytes: bytes).blind(with: key)
  }

  func token(_ answer: Exchange, of site: Site, blinded: BlindedToken) throws(TokenReason) -> SecretToken {
    try TokenAnswer.token(answer, of: site, blinded: blinded)
  }
}
