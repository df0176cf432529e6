package import PCMTokens

/// Whose token it is: each party signs its own (reference, section 8).
package enum TokenSide: String, Hashable, Sendable, CaseIterable {
  case source
  case destination
}

/// A report whose members are what they have to be (reference, section 7.1). Whether its tokens are worth anything is a
/// matter of its own: see ``TokenVerdict``.
package struct ReceivedReport: Hashable, Sendable {
  package let sourceSite: String
  package let sourceID: Int64
  package let attributedOnSite: String
  package let triggerData: Int64
  /// 1 to 3: a constant of the browser that sent the report, not of what the report contains (section 9).
  package let version: Int64
  package let pairs: [TokenSide: TokenPair]

  /// A token and its signature as they were written.
  package struct TokenPair: Hashable, Sendable {
    let token: String
    let signature: String
  }

  /// Members that nobody knows are let pass: a later version may bring some.
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

  /// Both members or neither.
  private static func pair(_ side: TokenSide, of object: ReceivedObject) throws(Refusal) -> TokenPair? {
    let names = ["\(side.rawValue)_secret_token", "\(side.rawValue)_secret_token_signature"]
    let present = names.filter(object.names.contains)
    guard !present.isEmpty else { return nil }
    guard present.count == 2 else { throw Refusal(.pairIncomplete, "\(present[0]) stands alone; it comes as a pair.") }
    return TokenPair(token: try object.text(names[0]), signature: try object.text(names[1]))
  }

  /// The site that signed, and by whose key a pair is to be verified.
  package func signer(of side: TokenSide) -> String { side == .source ? sourceSite : attributedOnSite }
}

/// What became of one of a report's tokens.
package enum TokenVerdict: Hashable, Sendable {
  /// Signed by the party, and not seen before at this endpoint.
  case verified(KeyID)
  /// Signed, and seen before: the report was sent twice, or somebody copied it.
  case duplicate(KeyID)
  /// The key of the party that signed is not known here.
  case unverified
  /// No token, or no signature of the party's.
  case rejected(code: String, detail: String)
}

extension ReceivedReport.TokenPair {
  /// The token's bytes. Duplicates are found by them, not by their text, which can be written with and without padding.
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

  /// The key that signed, or why none of them did.
  func signer(of token: UnlinkableToken, among keys: [TokenPublicKey]) -> Result<KeyID, TokenRejection> {
    guard let bytes = Base64URL.decode(signature) else {
      return .failure(TokenRejection(code: "signature-not-base64url", detail: "The signature is not base64url."))
    }
    if let key = keys.first(where: { $0.verifies(bytes, over: token) }) { return .success(key.id) }
    let detail = keys.first.flatMap { $0.refusal(of: bytes, over: token)?.detail } ?? "No key is known."
    return .failure(TokenRejection(code: "signature-does-not-verify", detail: detail))
  }
}

struct TokenRejection: Error, Hashable {
  let code: String
  let detail: String

  var verdict: TokenVerdict { .rejected(code: code, detail: detail) }
}

/// The verified tokens that came to the endpoints of the parties: each comes once to each. As many are remembered as fit;
/// it is the newest that count, since whoever sends a report twice does so soon.
package struct SeenTokens: Sendable {
  private struct Visit: Hashable {
    let host: String
    let side: TokenSide
    let token: UnlinkableToken
  }

  private let capacity: Int
  private var visits: Set<Visit> = []
  private var order: [Visit] = []

  /// - Parameter capacity: at least 1; a visit takes some 200 bytes.
  package init(capacity: Int = 1_000_000) { self.capacity = capacity }

  /// - Returns: false when the token has been here before.
  package mutating func insert(_ token: UnlinkableToken, of side: TokenSide, at host: String) -> Bool {
    let visit = Visit(host: host, side: side, token: token)
    guard visits.insert(visit).inserted else { return false }
    order.append(visit)
    if order.count > capacity {
      // Many at once, because what is behind them moves up.
      let old = order.prefix(max(1, capacity / 10))
      visits.subtract(old)
      order.removeFirst(old.count)
    }
    return true
  }
}
