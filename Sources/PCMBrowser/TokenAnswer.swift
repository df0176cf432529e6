import PCMCore
import PCMDelivery
import PCMTokens

/// A parser for a site's responses to the two requests for a token. The status is irrelevant; only the body counts
/// (reference, section 7).
enum TokenAnswer {
  static func key(_ exchange: Exchange, of site: Site) throws(TokenReason) -> TokenPublicKey {
    if let why = silence(of: exchange) { throw .keyUnavailable(site, why: why) }
    let text: String
    switch member("token_public_key", of: exchange) {
    case .failure(let fault): throw .keyInvalid(site, why: fault.why)
    case .success(let found): text = found
    }
    do throws(TokenKeyError) {
      return try TokenPublicKey(wire: text)
    } catch {
      throw .keyInvalid(site, why: clause(error.detail))
    }
  }

  static func token(_ exchange: Exchange, of site: Site, blinded: BlindedToken) throws(TokenReason) -> SecretToken {
    if let why = silence(of: exchange) { throw .signatureUnavailable(site, why: why) }
    let text: String
    switch member("unlinkable_token", of: exchange) {
    case .failure(let fault): throw .signatureInvalid(site, why: fault.why)
    case .success(let found): text = found
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

  private struct Fault: Error {
    let why: String
  }

  private static func member(_ name: String, of exchange: Exchange) -> Result<String, Fault> {
    let told = exchange.httpStatus.map { ", status \($0)" } ?? ""
    // A media type other than JSON is an error. WebKit's behavior is unknown.
    if let type = exchange.contentType, !isJSON(type) {
      return .failure(Fault(why: "its media type is \(type)\(told), but must be application/json"))
    }
    if exchange.bodyTruncated { return .failure(Fault(why: "the response is too long")) }
    guard case .object(let members)? = JSON(parsing: exchange.body, keepingNumbers: true, keepingDuplicates: true)
    else { return .failure(Fault(why: "the response is not a JSON object\(told)")) }
    // Of duplicate members, WebKit uses the last.
    guard case .string(let text)? = members.last(where: { $0.name == name })?.value, !text.isEmpty else {
      return .failure(Fault(why: "the response has no string \(name)\(told)"))
    }
    return .success(text)
  }

  private static func isJSON(_ contentType: String) -> Bool {
    let type = contentType.prefix { $0 != ";" && $0 != " " }.lowercased()
    return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
  }

  /// The sentence as a part of another one.
  static func clause(_ sentence: String) -> String { sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence }
}
