package import PCMCore
package import PCMCrypto

/// A report with valid members (reference, section 7.1). Its tokens are evaluated separately: see ``TokenVerdict``.
package struct ReceivedReport: Hashable, Sendable {
  package let sourceSite: String
  package let sourceID: Int64
  package let attributedOnSite: String
  package let triggerData: Int64
  /// The version, 1 to 3, a constant of the sending browser that does not depend on the report's content (section 9).
  package let version: Int64
  package let pairs: [Recipient: TokenPair]

  /// A token and its signature, as written.
  package struct TokenPair: Hashable, Sendable {
    let token: String
    let signature: String
  }

  /// Parses a report. Unknown members are ignored, because later versions may add some.
  package init(body: [UInt8]) throws(RequestError) {
    let object = try ReceivedObject(body: body)
    try object.requireClick()
    sourceSite = try object.text("source_site").lowercased()
    sourceID = try object.number("source_id", in: 0...255)
    attributedOnSite = try object.text("attributed_on_site").lowercased()
    triggerData = try object.number("trigger_data", in: 0...15)
    version = try object.number("version", in: 1...3)
    var pairs: [Recipient: TokenPair] = [:]
    for recipient in Recipient.allCases { pairs[recipient] = try Self.pair(recipient, of: object) }
    self.pairs = pairs
  }

  /// Returns a pair of members; nil if both are missing.
  private static func pair(_ recipient: Recipient, of object: ReceivedObject) throws(RequestError) -> TokenPair? {
    let names = ["\(recipient.rawValue)_secret_token", "\(recipient.rawValue)_secret_token_signature"]
    let present = names.filter(object.names.contains)
    guard !present.isEmpty else { return nil }
    guard present.count == 2 else {
      throw RequestError(.pairIncomplete, "\(present[0]) requires the other member of its pair.")
    }
    return TokenPair(token: try object.text(names[0]), signature: try object.text(names[1]))
  }

  /// Returns the site that signed a pair. Its key verifies the pair.
  package func signer(of recipient: Recipient) -> String { recipient == .source ? sourceSite : attributedOnSite }
}

/// The verdict on a token of a report.
package enum TokenVerdict: Hashable, Sendable {
  /// The token is signed by its site and was not received before at this endpoint.
  case verified(KeyID)
  /// The token is signed, but was received before: the report was sent twice or copied.
  case duplicate(KeyID)
  /// The endpoint does not have the signing site's key.
  case unverified
  /// The token is malformed, or its signature does not match the site's key.
  case rejected(code: String, detail: String)
}

extension ReceivedReport.TokenPair {
  /// The token's bytes, which identify duplicates. The text is not unique, because padding is optional.
  private func decoded() -> Result<UnlinkableToken, ReceivedTokenError> {
    guard let bytes = Base64URL.decode(token) else {
      return .failure(ReceivedTokenError(code: "token-not-base64url", detail: "The token is not base64url."))
    }
    do {
      return .success(try UnlinkableToken(bytes: bytes))
    } catch {
      return .failure(ReceivedTokenError(code: "token-wrong-size", detail: error.detail))
    }
  }

  /// Returns the verdict with the keys of the signing site, and the token if it is readable. Earlier copies do not matter.
  func verdict(among keys: [TokenPublicKey]) -> (verdict: TokenVerdict, token: UnlinkableToken?) {
    do {
      let token = try decoded().get()
      guard !keys.isEmpty else { return (.unverified, token) }
      return (.verified(try signer(of: token, among: keys).get()), token)
    } catch {
      return (error.verdict, nil)
    }
  }

  /// Returns the key that signed the token, or the reason no key matches.
  private func signer(of token: UnlinkableToken, among keys: [TokenPublicKey]) -> Result<KeyID, ReceivedTokenError> {
    guard let bytes = Base64URL.decode(signature) else {
      return .failure(ReceivedTokenError(code: "signature-not-base64url", detail: "The signature is not base64url."))
    }
    if let key = keys.first(where: { $0.verifies(bytes, over: token) }) { return .success(key.id) }
    let detail = keys.first.flatMap { $0.verificationError(of: bytes, over: token)?.detail } ?? "The key is unknown."
    return .failure(ReceivedTokenError(code: "signature-does-not-verify", detail: detail))
  }
}

struct ReceivedTokenError: Error, Hashable {
  let code: String
  let detail: String

  var verdict: TokenVerdict { .rejected(code: code, detail: detail) }
}

/// The receipt of a verified token. The endpoint of each site accepts a token once.
struct TokenReceipt: Hashable {
  let host: String
  let recipient: Recipient
  let token: UnlinkableToken
}
