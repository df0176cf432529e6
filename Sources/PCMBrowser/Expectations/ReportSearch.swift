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
      guard let report = try report(heading.id) else { continue }
      guard !matcher.differences(of: report).isEmpty else {
        search.report = report
        break
      }
      search.rejected.insert(report.id)
    }
    return search
  }
}
