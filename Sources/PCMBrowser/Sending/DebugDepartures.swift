import PCMCore
import PCMStore

/// The times at which reports leave in debug mode: one report every ten seconds from the send timer on, in the order of the times
/// that they have without debug mode.
struct DebugDepartures {
  /// The time at which the timer fires.
  private let timer: Instant
  /// The times of the waiting reports without debug mode.
  private let waiting: [Instant]

  /// The attributions whose reports are counted. A report after them has the time of the last one.
  private static let maximumAttributions = 100

  /// Returns nil without debug mode, and while nothing schedules a report.
  init?(_ reader: any BrowserReader) throws {
    let state = try reader.state()
    let measurement = state.settings.measurement
    guard measurement.debugMode, measurement.measurementEnabled, let timer = state.timer else { return nil }
    self.timer = timer
    waiting = try reader.earliestAttributions(limit: Self.maximumAttributions).flatMap {
      [$0.source, $0.destination].compactMap { $0?.dueAt }
    }
  }

  /// Returns the time at which a report leaves that was not sent yet, or that is being sent.
  func time(of report: Report) -> Instant {
    // The round that sends a report has set the timer for the next one.
    if report.state == .sending { return timer - ReportTimer.debugDelay }
    return timer + ReportTimer.debugDelay * Int64(waiting.count { $0 < report.dueAt })
  }
}

extension Report {
  /// Returns the report with the time at which it leaves or left as its due time if debug mode sends it early.
  func departing(_ departures: DebugDepartures?) -> Report {
    var report = self
    if let first = attempts.first?.at {
      report.message.move(dueAt: min(first, dueAt))
    } else if attemptCount == 0, [.scheduled, .sending].contains(state), let departures {
      report.message.move(dueAt: departures.time(of: self))
    }
    return report
  }
}

extension BrowserReader {
  /// Returns a report with its due time in debug mode.
  func departingReport(_ id: Int64) throws -> Report? {
    try row(Report.self, id)?.departing(DebugDepartures(self))
  }
}

extension Interval {
  static func * (interval: Interval, count: Int64) -> Interval { Interval(milliseconds: interval.milliseconds * count) }
}
