package import PCMCore
import PCMCrypto
import PCMVerify

/// The postbacks that an endpoint has counted. Each URL counts a valid postback once and keeps its first copy, regardless of
/// the unsigned values of later copies.
package struct PostbackLedger: Sendable {
  /// The maximum number of first copies, each of about 200 bytes. The oldest are removed.
  package static let capacity = 100_000

  private struct Place: Hashable {
    let host: String
    let path: String
    let identity: PostbackIdentity
  }

  private var firstCopies: FirstCopies<Place>
  private var counts: [PostbackEnvironment: EnvironmentCounts] = [:]
  private var outcomes: [Verdict.Outcome: Int64] = [:]

  private struct EnvironmentCounts {
    var counted: Int64 = 0
    var duplicates: Int64 = 0
  }

  package init(capacity: Int = capacity) { firstCopies = FirstCopies(capacity: capacity) }

  /// Counts a postback, and returns its verdict.
  ///
  /// - Parameter number: The number of the request.
  package mutating func count(_ postback: ReceivedPostback, in request: ReceivedRequest, number: Int64) -> Verdict {
    let duplicate = duplicate(postback, in: request, number: number)
    let verdict = Verdict(PostbackVerdict(postback: postback, duplicate: duplicate))
    switch (verdict.outcome, postback.environment) {
    case (.accepted, let environment?): counts[environment, default: .init()].counted += 1
    case (.duplicate, let environment?): counts[environment, default: .init()].duplicates += 1
    default: outcomes[verdict.outcome, default: 0] += 1
    }
    return verdict
  }

  /// Only valid postbacks are stored, so that a forged postback cannot use up an identifier.
  private mutating func duplicate(
    _ postback: ReceivedPostback, in request: ReceivedRequest, number: Int64
  ) -> PostbackVerdict.Duplicate? {
    guard postback.error == nil, postback.signature.outcome == .valid, let identity = postback.identity else { return nil }
    let place = Place(host: request.host, path: String(request.path.prefix { $0 != "?" }), identity: identity)
    return firstCopies.duplicate(of: place, UnsignedValues(postback: postback.signature), number: number)
  }

  /// The counts since the start or the last call of `clear`.
  package var json: JSON {
    let environments = PostbackEnvironment.allCases.map { environment in
      let counts = counts[environment] ?? .init()
      return JSON.Member(
        environment.rawValue, ["counted": .number(counts.counted), "duplicates": .number(counts.duplicates)])
    }
    let others = [Verdict.Outcome.forged, .unverifiable, .refused].map { outcome in
      JSON.Member(outcome.rawValue, .number(outcomes[outcome] ?? 0))
    }
    return .object(environments + others)
  }
}
