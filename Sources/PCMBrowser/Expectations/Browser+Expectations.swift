package import PCMCore
import PCMStore

extension Browser {
  /// Compares the reports with an expectation. Waits until the expected or unwanted report exists, or the time is over.
  package func check(_ input: ExpectationInput) async throws -> ExpectationResult {
    let isWanted = input.report != nil
    let matcher = ReportMatcher(input.report ?? input.noReport ?? ExpectedReport(), isWanted: isWanted)
    if let match = try await match(of: matcher, waiting: input.wait) {
      let report = try await read { try match.departing(DebugDepartures($0)) }
      return try await result(matcher, isWanted, report, [])
    }
    let (report, mismatches) = isWanted ? try await compare(with: matcher) : (nil, [])
    return try await result(matcher, isWanted, report, mismatches)
  }

  /// Returns the first report that matches, or that comes to match within an interval.
  private func match(of matcher: ReportMatcher, waiting wait: Interval?) async throws -> Report? {
    let deadline = environment.wallClock() + (wait ?? Interval(milliseconds: 0))
    var rejected: Set<Int64> = []
    var position = try await read { try $0.nextSequence() - 1 }
    var match = try await firstMatch(of: matcher, &rejected)
    while match == nil, wait != nil, !Task.isCancelled {
      let events = try await nextEvents(after: position, before: deadline).events
      guard let first = events.first, let last = events.last else { break }
      // New events may arrive faster than they are read. A last search then ends the wait.
      let isLast = environment.wallClock() >= deadline
      // Without the events that were removed in the meantime, any report may have changed.
      if !isLast, first.sequence == position + 1, let changed = try matcher.reports(in: events) {
        match = try await read { try $0.firstMatch(of: matcher, among: changed) }
      } else {
        match = try await firstMatch(of: matcher, &rejected)
      }
      if isLast { break }
      position = last.sequence
    }
    // A wait that was interrupted proves neither that a report exists nor that there is none.
    if match == nil { try Task.checkCancellation() }
    return match
  }

  /// Returns the first report that matches, of all reports.
  ///
  /// - Parameter rejected: The reports that can never match. A wait reads each of them once.
  private func firstMatch(of matcher: ReportMatcher, _ rejected: inout Set<Int64>) async throws -> Report? {
    var found: Report?
    for state in matcher.states {
      var position: Int64? = 0
      while let after = position, found.map({ after < $0.id }) ?? true {
        let search = try await read { [rejected] in
          try $0.matches(of: matcher, in: state, after: after, limit: Self.pageSize, except: rejected)
        }
        if let report = search.report, report.id < found?.id ?? .max { found = report }
        rejected.formUnion(search.rejected)
        position = search.report == nil ? search.next : nil
      }
    }
    return found
  }

  /// Returns the first report that matches, or the nearest reports.
  private func compare(with matcher: ReportMatcher) async throws -> (Report?, [ExpectationResult.Mismatch]) {
    var mismatches: [ExpectationResult.Mismatch] = []
    var last: Int64 = 0
    while true {
      let page = try await departingReportPage(after: last, limit: Self.pageSize)
      for report in page.items {
        let differences = matcher.differences(of: report)
        if differences.isEmpty { return (report, []) }
        mismatches.append(ExpectationResult.Mismatch(report: report, differences: differences))
      }
      // Reports with as many differences keep the order of their scheduling.
      mismatches = Array(
        mismatches.enumerated().sorted { ($0.element.differences.count, $0.offset) < ($1.element.differences.count, $1.offset) }
          .prefix(ExpectationResult.maximumMismatches).map(\.element))
      guard let next = page.next else { return (nil, mismatches) }
      last = next
    }
  }

  private static let pageSize = 1_000

  private func result(
    _ matcher: ReportMatcher, _ isWanted: Bool, _ report: Report?, _ mismatches: [ExpectationResult.Mismatch]
  ) async throws -> ExpectationResult {
    let isMet = isWanted == (report != nil)
    let explanations = isMet ? [] : try await explanations(of: report, matcher)
    let text = ExpectationText(
      browser: record.name, matcher: matcher, isWanted: isWanted, report: report, mismatches: isWanted ? mismatches : [],
      explanations: explanations)
    return ExpectationResult(
      isMet: isMet, report: report, mismatches: isWanted ? mismatches : [], explanation: explanations.first, text: text.text)
  }

  /// Explains an unwanted report, or the destinations that can lead to the expected report.
  private func explanations(of report: Report?, _ matcher: ReportMatcher) async throws -> [Explanation] {
    let subjects: [String]
    if let report {
      subjects = [RecordName.report(report.id)]
    } else if let site = matcher.expected.destinationSite {
      subjects = [site]
    } else {
      subjects = try await lastDestinations()
    }
    var explanations: [Explanation] = []
    for subject in subjects {
      do {
        explanations.append(try await explain(subject))
      } catch is BrowserError {
        // The expected site is not a domain.
      }
    }
    return explanations
  }

  /// Returns up to three destinations of the last events, the latest first.
  private func lastDestinations() async throws -> [String] {
    let events = try await read { try $0.lastEvents(EventFilter(), limit: Self.maximumEvents) }
    var found: [String] = []
    for event in events {
      let detail = JSON(parsing: Array(event.detail.text.utf8))
      guard let site = detail?["destinationSite"]?.string, !found.contains(site) else { continue }
      found.append(site)
    }
    return Array(found.prefix(3))
  }

  /// The number of events in which destinations are searched.
  private static let maximumEvents = 1_000
}
