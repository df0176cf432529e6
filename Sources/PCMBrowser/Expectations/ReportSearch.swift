import PCMCore
import PCMStore

/// The result of a search for a report that matches an expectation.
struct ReportSearch: Sendable {
  /// The first report that matches; nil when there is none.
  var report: Report?
  /// The reports in an accepted state that do not match. Only the state of a report changes, so they never will.
  var rejected: Set<Int64> = []
  /// The number after which to continue; nil when all reports were searched.
  var next: Int64?
}

extension BrowserReader {
  /// Searches a number of reports in a state.
  ///
  /// - Parameter rejected: Reports that need not be read.
  func matches(
    of matcher: ReportMatcher, in state: Report.State, after id: Int64, limit: Int, except rejected: Set<Int64>
  ) throws -> ReportSearch {
    let headings = try reportHeadings(in: state, after: id, limit: limit)
    var search = ReportSearch(next: headings.count == limit ? headings.last?.id : nil)
    for heading in headings where !rejected.contains(heading.id) {
      guard let report = try row(Report.self, heading.id) else { continue }
      guard !matcher.differences(of: report).isEmpty else {
        search.report = report
        break
      }
      search.rejected.insert(report.id)
    }
    return search
  }

  /// Returns the first of some reports that matches.
  func firstMatch(of matcher: ReportMatcher, among reports: Set<Int64>) throws -> Report? {
    for id in reports.sorted() {
      if let report = try row(Report.self, id), matcher.differences(of: report).isEmpty { return report }
    }
    return nil
  }
}

extension ReportMatcher {
  /// Returns the reports that the events may have moved to an accepted state; nil when they do not name all of them.
  func reports(in events: [LogEvent]) throws -> Set<Int64>? {
    var reports: Set<Int64> = []
    for event in events {
      switch event.kind {
      case .reportScheduled, .reportSent, .reportDelivered, .reportFailed, .reportRetryScheduled, .tokenRequested,
        .attributionReplaced:
        let subjects = try LoggedEvent(event).event.subjects(at: event.sequence)
        reports.formUnion(subjects.compactMap { if case .record(.report, let id) = $0 { id } else { nil } })
      case .dataCleared where states.contains(.cleared), .settingsChanged where states.contains(.cleared): return nil
      case .clickStored where states.contains(.superseded):
        // In a private session, an ephemeral click replaces the measurement.
        if let click = try LoggedEvent(event).event as? ClickStored, click.origin == .ephemeralClick { return nil }
      default: break
      }
    }
    return reports
  }
}
