import PCMCore
import PCMDelivery

extension CheckCatalog {
  /// Reports that are in order, though not alike.
  static let valueCriteria: [Criterion] = [
    accepting(
      CheckRule(
        "older-versions-are-accepted", "Reports of versions 1 and 2 are accepted", .error, .draft,
        fix: "Accept version 1, 2 and 3: the number is the browser's, whatever the report contains."),
      .olderVersions, "a report of version 1 or 2"),
    accepting(
      CheckRule(
        "unknown-members-are-tolerated", "Members that nobody knows are let pass", .error, .draft,
        fix: "Ignore members that you do not know: each version brought some."),
      .unknownMembers, "a report with members that nobody knows"),
    accepting(
      CheckRule(
        "smallest-values-are-accepted", "A source_id and trigger_data of 0 are accepted", .error, .apple,
        fix: "Accept 0 for source_id and trigger_data: it is a value and not a missing one."),
      .smallestValues, "a report with source_id 0 and trigger_data 0"),
    accepting(
      CheckRule(
        "largest-values-are-accepted", "A source_id of 255 and trigger_data of 15 are accepted", .error, .apple,
        fix: "Accept source_id up to 255 and trigger_data up to 15."),
      .largestValues, "a report with source_id 255 and trigger_data 15"),
    accepting(
      CheckRule(
        "reverse-order-is-accepted", "Reports are accepted in any order", .error, .webkit,
        fix: "Expect reports in any order: each waits a time of its own between 24 and 48 hours."),
      .reverseOrder, "a report that comes after a later one"),
    accepting(
      CheckRule(
        "repetition-is-accepted", "A report that comes twice is accepted twice", .error, .ours,
        fix: "Answer 2xx to a report that you have seen: without tokens nobody can tell it from another one."),
      .repetition, "a report that comes twice"),
  ]

  static let loadCriteria: [Criterion] = [
    Criterion(
      CheckRule(
        "many-reports-at-once-are-accepted", "\(Probe.loadCount) reports at once are accepted", .error, .ours,
        fix:
          "Let the server take \(Probe.loadCount) connections at once, and do not limit their rate by address: relays share one."
      ),
      restsOn: reportGate, probes: [.load]
    ) { inquiry in
      let sent = inquiry.observations[.load]
      let failing = sent.whose { !$0.isAccepted || $0.duration > inquiry.options.patience.tolerable }
      guard let first = failing.first else { return .passed }
      return .failed(
        "\(failing.count) of \(sent.count) reports at once were not accepted in time; one \(first.exchange.account) after "
          + first.exchange.duration.words, Array(failing.prefix(3)))
    }
  ]

  private static func accepting(_ rule: CheckRule, _ probe: Probe, _ subject: String) -> Criterion {
    Criterion(rule, restsOn: reportGate, probes: [probe]) { inquiry in
      .none(of: inquiry.observations[probe].whose { !$0.isAccepted }, subject)
    }
  }
}
