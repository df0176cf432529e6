import PCMCore
import PCMStore

/// The conditions that a scheduled report waits for.
struct ReportOutlook {
  /// The earliest time at which the report can be sent; nil while nothing schedules it.
  let leavesAt: Instant?
  /// The verdicts of a round at this moment: first about the report, then about the browser's timer.
  let verdicts: [Explanation.Verdict]
  private let report: Report
  private let moment: ExplainedMoment

  init(_ report: Report, reader: any BrowserReader, moment: ExplainedMoment) throws {
    (self.report, self.moment) = (report, moment)
    let state = try reader.state()
    let measurement = moment.settings.measurement
    var evaluation = RuleEvaluation()
    let situation = ReportTimer.Situation(
      firesAt: state.timer, dueAt: report.dueAt, now: moment.now, debugMode: measurement.debugMode)
    _ =
      evaluation.firstViolation(of: MeasurementSettings.sendRules, to: measurement)
      ?? evaluation.firstViolation(of: ReportTimer.roundRules, to: situation)
      ?? evaluation.firstViolation(of: ReportTimer.firingRules, to: situation)
    let rules = RuleList(MeasurementSettings.sendRules) + RuleList(ReportTimer.roundRules + ReportTimer.firingRules)
    verdicts = rules.verdicts(evaluation)
    guard measurement.measurementEnabled, let timer = state.timer else {
      leavesAt = nil
      return
    }
    leavesAt = try DebugDepartures(reader)?.time(of: report) ?? max(timer, report.dueAt)
  }

  /// The rest of a sentence that begins with the report's name: "is due at …".
  var statement: String {
    if moment.settings.measurement.debugMode, let leavesAt { return "leaves at \(leavesAt.text), because debug mode is on" }
    if report.dueAt > moment.now { return "is due at \(report.dueAt.text)" }
    guard let leavesAt, leavesAt > moment.now else { return "was due at \(report.dueAt.text)" }
    return
      "was due at \(report.dueAt.text) and leaves at \(leavesAt.text) at the earliest: overdue reports are 15 to 30 minutes apart"
  }
}

/// The time and the settings of an explanation.
struct ExplainedMoment: Sendable {
  let now: Instant
  let clockMode: ClockMode
  let settings: BrowserSettings

  /// Returns a sentence such as "Not yet: advance by PT22H58M.", or nil when the instant is unknown or not in the future.
  func notYet(until instant: Instant?) -> String? {
    guard let instant, instant > now else { return nil }
    let wait = (instant - now).roundedUp.text
    return clockMode == .manual ? "Not yet: advance by \(wait)." : "Not yet: wait \(wait)."
  }
}

extension Interval {
  /// The interval rounded up to whole minutes, or to whole seconds below one minute, so that it always reaches the instant.
  fileprivate var roundedUp: Interval {
    let unit: Interval = self > .minutes(1) ? .minutes(1) : .seconds(1)
    return unit * ((milliseconds + unit.milliseconds - 1) / unit.milliseconds)
  }
}
