import PCMCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the log kept of a decision, read back from an event's detail.
struct LoggedDecision: Decodable {
  let click: String?
  let via: String?
  let sourceSite: String?
  let destinationSite: String?
  let firstPartySite: String?
  let bundleIdentifier: String?
  let sourceReport: String?
  let destinationReport: String?
  let triggeringEvent: Int64?
  /// Of an exchange about a token, the event that began it.
  let request: Int64?
  let reasons: [LoggedReason]?
  let decision: LoggedTrace?

  struct LoggedReason: Decodable {
    let code: String
    let detail: String
  }

  struct LoggedTrace: Decodable {
    let saw: JSON
    let failed: String?
    let change: String?
  }

  /// Nil for an event that keeps no decision.
  init?(_ event: LogEvent) {
    guard let read = try? JSONDecoder().decode(Self.self, from: Data(event.detail.bytes)) else { return nil }
    self = read
  }

  /// The rules as they were evaluated: what stands before the one that failed has passed, what stands behind it was not
  /// reached.
  func verdicts(_ headings: [RuleHeading]) -> [Explanation.Verdict] {
    guard let decision else { return [] }
    let reason = reasons?.first.map { Reason($0.code, $0.detail) }
    return headings.verdicts(saw: decision.saw.members, failed: decision.failed, reason: reason, change: decision.change)
  }

  var reason: Reason? { reasons?.first.map { Reason($0.code, $0.detail) } }
}

extension LogEvent {
  /// Whether the detail names something: `click-12`, `report-15`.
  func mentions(_ names: [String]) -> Bool {
    let text = detail.text
    return names.contains { text.contains("\"\($0)\"") }
  }
}

extension [RuleHeading] {
  func verdicts(saw: [JSON.Member], failed: String?, reason: Reason?, change: String?) -> [Explanation.Verdict] {
    var hasFailed = false
    return map { heading in
      guard !hasFailed else {
        return Explanation.Verdict(rule: heading.name, kind: .notReached, saw: nil, reason: nil, change: nil)
      }
      hasFailed = heading.name == failed
      let seen = heading.sees.compactMap { name in saw.first { $0.name == name } }
      return Explanation.Verdict(
        rule: heading.name, kind: hasFailed ? .failed : .passed, saw: .object(seen), reason: hasFailed ? reason : nil,
        change: hasFailed ? change : nil)
    }
  }

  /// The verdicts of a walk that was just made.
  func verdicts(_ trace: RuleTrace) -> [Explanation.Verdict] {
    verdicts(
      saw: trace.seen, failed: trace.failed?.rule, reason: trace.failed?.reason, change: trace.failed?.change)
  }
}

/// What the log kept of a click that had to make room.
struct LoggedReplacement: Decodable {
  let by: String

  init?(_ event: LogEvent) {
    guard let read = try? JSONDecoder().decode(Self.self, from: Data(event.detail.bytes)) else { return nil }
    self = read
  }
}
