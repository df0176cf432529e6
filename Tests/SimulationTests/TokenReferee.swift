import Foundation
import PCMCore
import PCMCrypto

/// The promises to sites and users about tokens.
enum TokenPromise: String, CaseIterable, Sendable {
  case ownSite = "a nonce is shown only to the site that minted it"
  case singleUse = "a nonce is shown once"
  case askedBefore = "right before a report each of its signers is asked for its key"
  case keyStands = "no token is shown whose key its site no longer serves"
  case oneStory = "a token is of one click, or of one event"
  case oncePerRecipient = "no recipient sees a token twice unless the report had to be sent again"
  case unlinkable = "nothing that a site saw of a token is in a report"
  case eventNeedsToken = "an event with a nonce counts exactly when its token was signed, and is reported with it"
}

struct TokenBreach: Error {
  let promise: TokenPromise
  let detail: String
}

/// Checks the visible uses against the promises. It knows no rule of attribution.
struct TokenReferee {
  let policy: DeliveryPolicy
  private let keys: [TokenPublicKey]
  private var minted: [String: (host: String, party: Recipient)] = [:]
  private var shown: Set<String> = []
  private var signed: Set<String> = []
  private var secrets: [String] = []
  /// The key requests since the last request of another kind.
  private var keyRun: [(host: String, served: Int?)] = []
  private var stories: [String: String] = [:]
  /// Recipients and tokens of reports that need not be sent again.
  private var settled: Set<String> = []
  /// The same for reports whose sender may not know their outcome.
  private var undecided: Set<String> = []
  private(set) var coverage: [String: Int] = [:]

  init(policy: DeliveryPolicy) throws {
    self.policy = policy
    keys = try TokenNetwork.keys.get().map(\.publicKey)
  }

  mutating func judge(_ entries: [TokenEntry]) throws {
    for entry in entries { try judge(entry) }
  }

  private func demand(_ holds: Bool, _ promise: TokenPromise, _ detail: @autoclosure () -> String) throws {
    guard holds else { throw TokenBreach(promise: promise, detail: detail()) }
  }

  private mutating func judge(_ entry: TokenEntry) throws {
    switch entry {
    case .played(let nonce, let host, let party): minted[nonce] = (host, party)
    case .key(let host, let served): keyRun.append((host, served))
    case .signature(let host, let body, let secrets, let isGood):
      try judgeSignature(at: host, body, isGood: isGood)
      self.secrets += secrets
      keyRun = []
    case .report(let host, let body, let isDelivered):
      try judgeReport(to: host, body, isDelivered: isDelivered)
      keyRun = []
    case .event(let nonce, let isRefused, let showsToken):
      let isSigned = nonce.map(signed.contains) ?? false
      try demand(isRefused == (nonce != nil && !isSigned), .eventNeedsToken, "\(nonce ?? "no nonce"), refused: \(isRefused)")
      try demand(showsToken == nil || showsToken == isSigned, .eventNeedsToken, "\(nonce ?? "no nonce") and its token")
      coverage[isRefused ? "event refused" : "event taken", default: 0] += 1
    case .death:
      // Whether the last report arrived is unknown after a restart.
      settled.subtract(undecided)
      undecided = []
    }
  }

  private mutating func judgeSignature(at host: String, _ body: String, isGood: Bool) throws {
    let texts = try Self.texts(body)
    guard let nonce = texts["source_nonce"] ?? texts["destination_nonce"], let mint = minted[nonce] else {
      throw TokenBreach(promise: .ownSite, detail: "no site minted the nonce in \(body)")
    }
    try demand(
      mint.host == host && texts["\(mint.party.rawValue)_nonce"] == nonce, .ownSite, "\(mint.host)'s \(nonce) at \(host)")
    try demand(shown.insert(nonce).inserted, .singleUse, nonce)
    if isGood { signed.insert(nonce) }
    coverage[isGood ? "signed" : "not signed", default: 0] += 1
  }

  private mutating func judgeReport(to host: String, _ body: String, isDelivered: Bool) throws {
    let texts = try Self.texts(body)
    try demand(!(secrets + shown).contains { body.contains($0) }, .unlinkable, body)
    let pairs: [(party: String, site: String)] = [
      ("source", texts["source_site"] ?? ""), ("destination", texts["attributed_on_site"] ?? ""),
    ].filter { texts["\($0.0)_secret_token"] != nil }
    let asked = keyRun.suffix(pairs.count)
    try demand(asked.map(\.host) == pairs.map(\.site), .askedBefore, "\(keyRun.map(\.host)) before \(body)")
    let story = body.prefix { $0 != "}" }.components(separatedBy: #","source_secret"#)[0]
      .components(separatedBy: #","destination_secret"#)[0]
    for (pair, answer) in zip(pairs, asked) {
      let token = texts["\(pair.party)_secret_token"] ?? ""
      try judgeKey(answer.served, token, texts["\(pair.party)_secret_token_signature"] ?? "", of: pair.site)
      let known = stories.updateValue(story, forKey: token)
      // A click's token outlives an event that is superseded, and is then of the same click with other trigger data.
      let sameClick = known.map { Self.click(in: $0) == Self.click(in: story) } ?? true
      try demand(pair.party == "source" ? sameClick : known ?? story == story, .oneStory, "\(story) and \(known ?? "")")
      try judgeRepetition(of: "\(host) \(pair.party) \(token)", isDelivered: isDelivered)
    }
    coverage["report with \(pairs.count) tokens", default: 0] += 1
  }

  private func judgeKey(_ served: Int?, _ token: String, _ signature: String, of site: String) throws {
    let bytes = Base64URL.decode(token).flatMap { try? UnlinkableToken(bytes: $0) }
    let verifies = served.flatMap { number in
      bytes.map { keys[number].verifies(Base64URL.decode(signature) ?? [], over: $0) }
    }
    try demand(
      verifies == true, .keyStands, "\(site) served \(served.map { "key \($0)" } ?? "none") before its token was shown")
  }

  private mutating func judgeRepetition(of visit: String, isDelivered: Bool) throws {
    try demand(!settled.contains(visit), .oncePerRecipient, visit)
    // Under `reliable`, undelivered reports are sent again.
    guard policy == .webkit || isDelivered else { return }
    settled.insert(visit)
    if policy == .reliable { undecided.insert(visit) }
  }

  private static func click(in story: String) -> String { story.components(separatedBy: #","trigger_data"#)[0] }

  private static func texts(_ body: String) throws -> [String: String] {
    try JSONDecoder().decode(JSON.self, from: Data(body.utf8)).members.reduce(into: [:]) { texts, member in
      if case .string(let text) = member.value { texts[member.name] = text }
    }
  }
}
