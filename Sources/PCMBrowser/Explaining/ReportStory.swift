package import PCMCore
import PCMNetwork
import PCMStore

/// The history of one report: its click, its triggering event, and its sending.
struct ReportStory {
  let step: Explanation.Step
  let report: Report
  /// The outlook of a scheduled report; nil in other states and for a report that waits for a retry.
  private let outlook: ReportOutlook?
  private let moment: ExplainedMoment
  private let log: LogReading

  /// Creates the history, or returns nil when no report has this number.
  init?(_ id: Int64, log: LogReading, moment: ExplainedMoment) throws {
    guard let report = try log.reader.row(Report.self, id) else { return nil }
    (self.report, self.log, self.moment) = (report, log, moment)
    let isWaiting = report.state == .scheduled && report.retryAt == nil
    outlook = isWaiting ? try ReportOutlook(report, reader: log.reader, moment: moment) : nil
    let sending: [Explanation.Verdict] =
      switch report.state {
      case .superseded, .cleared: []
      case .scheduled, .sending, .delivered, .failed: try outlook?.verdicts ?? Self.recorded(report, log: log)
      }
    step = Explanation.Step(
      kind: .report, id: RecordName.report(id), at: try report.departing(DebugDepartures(log.reader)).dueAt,
      outcome: report.state.rawValue,
      rules: Standing.verdicts(of: report) + sending, sourceSite: report.key.source.domain)
  }

  func explanation() throws -> Explanation {
    // A report has the number of the event that scheduled it.
    let newest = try log.newest(after: report.id - 1, about: RecordName.report(report.id))
    let trigger = try attributed().flatMap { try TriggerStory($0, log: log) }
    let click = try trigger?.click.flatMap { try ClickStory($0, log: log) }
    let steps = [click?.step, trigger?.step, step].compactMap { $0 }
    // The attribution precedes the report, and the click precedes both.
    let notice = try log.notice(of: trigger?.click ?? report.id - 2)
    let summary = [summary, notice].compactMap { $0 }.joined(separator: " ")
    return Explanation(
      .record(.report, report.id), summary: summary, steps: steps, failure: step.failure, events: newest.events.map(\.log),
      omittedBefore: newest.omittedBefore)
  }

  /// Returns the number of the attribution's event, which directly precedes its two reports.
  private func attributed() throws -> Int64? {
    try (1...2).map { report.id - $0 }.first { try log.event($0)?.kind == .attributed }
  }

  var summary: String { [moment.notYet(until: leavesAt), statement].compactMap { $0 }.joined(separator: " ") }

  /// The earliest time at which a waiting report can be sent; nil for other reports and while nothing schedules it.
  var leavesAt: Instant? { report.retryAt ?? outlook?.leavesAt }

  /// One sentence about the report's state.
  var statement: String {
    let name =
      "\(RecordName.report(report.id)) to \(report.recipient == .source ? report.key.source.domain : report.key.destination.domain)"
    let why = step.failure?.verdict.reason?.detail
    switch report.state {
    case .delivered: return "\(name) was delivered."
    case .sending: return "\(name) is being sent."
    case .failed: return "\(name) failed: \(why ?? "the log contains no reason")."
    case .superseded: return "\(name) was not sent: a better click or triggering event replaced it."
    case .cleared: return "\(name) was not sent: the browser's data was cleared, or its private session ended."
    case .scheduled:
      if let retryAt = report.retryAt {
        return "\(name) is sent again at \(retryAt.text); \(why ?? "the last attempt failed")."
      }
      return "\(name) \(outlook?.statement ?? "is scheduled")\(obstacle)."
    }
  }

  /// The cause, other than time, that prevents a report from being sent.
  private var obstacle: String {
    guard report.state == .scheduled, leavesAt == nil, let why = step.failure?.verdict.reason?.detail else { return "" }
    return "; \(why)"
  }

  /// Returns the verdicts of the round that sent the report and of its last attempt.
  private static func recorded(_ report: Report, log: LogReading) throws -> [Explanation.Verdict] {
    let subject = RecordName.report(report.id)
    // With tokens, the decision is in the earlier event that requests their keys. Retries follow without a decision.
    let sent = try log.first(of: [.reportSent, .tokenRequested], about: subject, after: report.id)
    let result = try log.newest(
      1, of: [.reportDelivered, .reportFailed, .reportRetryScheduled], after: report.id, about: subject
    ).events.first
    return try [sent, result].compactMap(\.self).flatMap(log.verdicts)
  }
}

/// The rule about a report that no longer counts, because it was replaced or cleared.
package enum Standing {
  private static let rules: [Rule<Report.State>] = [
    Rule(
      "report-still-counts", "The report was not replaced by another one, and the data was not cleared.",
      .webkit("PrivateClickMeasurementDatabase.cpp"),
      reasons: [
        "superseded": "nothing: the report that replaced it counts",
        "cleared": "clear the data, or end the private session, after the report was sent",
      ], inputs: ["state": { .string($0.rawValue) }]
    ) { state in
      switch state {
      case .superseded:
        Violation(
          "superseded", "a better click or triggering event replaced the report")
      case .cleared:
        Violation(
          "cleared", "the browser's data was cleared, or its private session ended, before the report was due")
      case .scheduled, .sending, .delivered, .failed: nil
      }
    }
  ]

  package static let list = RuleList(rules)

  static func verdicts(of report: Report) -> [Explanation.Verdict] {
    var evaluation = RuleEvaluation()
    _ = evaluation.firstViolation(of: rules, to: report.state)
    return list.verdicts(evaluation)
  }
}
