import PCMCore
import PCMCrypto
import PCMNetwork

/// A parser for a site's responses to the two requests for a token. The status is irrelevant; only the body counts
/// (reference, section 7).
enum TokenAnswer {
  static func key(_ exchange: Exchange, of site: Site) throws(Violation) -> TokenPublicKey {
    if let why = silence(of: exchange) { throw .keyUnavailable(site, why: why) }
    let text: String
    do throws(TokenMemberError) {
      text = try exchange.tokenMember("token_public_key")
    } catch {
      throw .keyInvalid(site, why: error.detail)
    }
    do throws(TokenKeyError) {
      return try TokenPublicKey(wire: text)
    } catch {
      throw .keyInvalid(site, why: clause(error.detail))
    }
  }

  static func token(_ exchange: Exchange, of site: Site, blinded: BlindedToken) throws(Violation) -> SecretToken {
    if let why = silence(of: exchange) { throw .signatureUnavailable(site, why: why) }
    let text: String
    do throws(TokenMemberError) {
      text = try exchange.tokenMember("unlinkable_token")
    } catch {
      throw .signatureInvalid(site, why: error.detail)
    }
    guard let bytes = Base64URL.decode(text) else { throw .signatureInvalid(site, why: "it is not base64url") }
    do throws(TokenError) {
      let signed = try blinded.finalize(blindSignature: bytes)
      return SecretToken(
        token: Base64URL.encode(signed.token.bytes), signature: Base64URL.encode(signed.signature), keyID: signed.keyID.text)
    } catch {
      throw .signatureInvalid(site, why: clause(error.detail))
    }
  }

  private static func silence(of exchange: Exchange) -> String? {
    if let failure = exchange.failure { return failure.detail }
    return exchange.httpStatus == nil ? "no answer arrived" : nil
  }

  /// Returns a sentence without its period.
  static func clause(_ sentence: String) -> String { sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence }
}
