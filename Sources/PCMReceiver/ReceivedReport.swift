package import PCMTokens

/// The party of a token. Each party signs its own tokens (reference, section 8).
package enum TokenSide: String, Hashable, Sendable, CaseIterable {
  case source
  case destination
}

/// A report with valid members (reference, section 7.1). Its tokens are evaluated separately: see ``TokenVerdict``.
package struct ReceivedReport: Hashable, Sendable {
  package let sourceSite: String
  package let sourceID: Int64
  package let attributedOnSite: String
  package let triggerData: Int64
  /// The version, 1 to 3, a constant of the sending browser that does not depend on the report's content (section 9).
  package let version: Int64
  package let pairs: [TokenSide: TokenPair]

  /// A token and its signature, as written.
  package struct TokenPair: Hashable, Sendable {
    let token: String
    let signature: String
  }

  /// Parses a report. Unknown members are ignored, because later versions may add some.
  package init(body: [UInt8]) throws(Refusal) {
    let object = try ReceivedObject(body: body)
    try object.requireClick()
    sourceSite = try object.text("source_site").lowercased()
    sourceID = try object.number("source_id", in: 0...255)
    attributedOnSite = try object.text("attributed_on_site").lowercased()
    triggerData = try object.number("trigger_data", in: 0...15)
    version = try object.number("version", in: 1...3)
    var pairs: [TokenSide: TokenPair] = [:]
    for side in TokenSide.allCases { pairs[side] = try Self.pair(side, of: object) }
    self.pairs = pairs
  }

  /// Returns a pair of members; nil when both are missing.
  private static func pair(_ side: TokenSide, of object: ReceivedObject) throws(Refusal) -> TokenPair? {
    let names = ["\(side.rawValue)_secret_token", "\(side.rawValue)_secret_token_signature"]
    let present = names.filter(object.names.contains)
    guard !present.isEmpty else { return nil }
    guard present.count == 2 else { throw Refusal(.pairIncomplete, "\(present[0]) requires the other member of its pair.") }
    return TokenPair(token: try object.text(names[0]), signature: try object.text(names[1]))
  }

  /// Returns the site that signed a pair, whose key verifies it.
  package func signer(of side: TokenSide) -> String { side == .source ? sourceSite : attributedOnSite }
}

/// The verdict on a token of a report.
package enum TokenVerdict: Hashable, Sendable {
  /// The token is signed by the party and was not received before at this endpoint.
  case verified(KeyID)
  /// The token is signed, but was received before: the report was sent twice or copied.
  case duplicate(KeyID)
  /// The signing party's key is not known to this endpoint.
  case unverified
  /// The token is malformed, or its signature does not match the party's key.
  case rejected(code: String, detail: String)
}

extension ReceivedReport.TokenPair {
  /// The token's bytes, which identify duplicates. The text is not unique, because padding is optional.
  func decoded() -> Result<UnlinkableToken, TokenRejection> {
    guard let bytes = Base64URL.decode(token) else {
      return .failure(TokenRejection(code: "token-not-base64url", detail: "The token is not base64url."))
    }
    do {
      return .success(try UnlinkableToken(bytes: bytes))
    } catch {
      return .failure(TokenRejection(code: "token-wrong-size", detail: error.detail))
    }
  }

  /// Returns the key that signed the token, or why none of the keys matches.
  func signer(of token: UnlinkableToken, among keys: [TokenPublicKey]) -> Result<KeyID, TokenRejection> {
    guard let bytes = Base64URL.decode(signature) else {
      return .failure(TokenRejection(code: "signature-not-base64url", detail: "The signature is not base64url."))
    }
    if let key = keys.first(where: { $0.verifies(bytes, over: token) }) { return .success(key.id) }
    let detail = keys.first.flatMap { $0.refusal(of: bytes, over: token)?.detail } ?? "The key is unknown."
    return .failure(TokenRejection(code: "signature-does-not-verify", detail: detail))
  }
}

struct TokenRejection: Error, Hashable {
  let code: String
  let detail: String

  var verdict: TokenVerdict { .rejected(code: code, detail: detail) }
}

/// The verified tokens that each party's endpoint received. Each token is accepted once by each party. Only the newest
/// tokens are stored, because repeated reports arrive soon.
package struct SeenTokens: Sendable {
  private struct Visit: Hashable {
    let host: String
    let side: TokenSide
    let token: UnlinkableToken
  }

  private let capacity: Int
  private var visits: Set<Visit> = []
  private var order: [Visit] = []

  /// - Parameter capacity: The maximum number of tokens, at least 1. Each token requires about 200 bytes.
  package init(capacity: Int = 1_000_000) { self.capacity = capacity }

  /// - Returns: False when the token was received before.
  package mutating func insert(_ token: UnlinkableToken, of side: TokenSide, at host: String) -> Bool {
    let visit = Visit(host: host, side: side, token: token)
    guard visits.insert(visit).inserted else { return false }
    order.append(visit)
    if order.count > capacity {
      // Removes several at once, because the remaining elements move.
      let old = order.prefix(max(1, capacity / 10))
      visits.subtract(old)
      order.removeFirst(old.count)
    }
    return true
  }
}
