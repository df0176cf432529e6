package import PCMCore
package import PCMStore

extension Browser {
  /// Returns a page of the selected reports after `id`. It may have fewer than `limit` items although more follow.
  ///
  /// - Parameter bytes: The size of bodies and attempts with which the page ends.
  package func reportPage(
    _ selection: ReportSelection = .all, after id: Int64 = 0, limit: Int, bytes: Int = PageSize.mostReadBytes
  ) async throws -> RecordPage<Report> {
    try await read { try $0.reports(selection, after: id, limit: limit, bytes: bytes) }
  }

  /// Returns the same page, with due times as the API shows them: in debug mode, a report is due when it leaves.
  package func departingReportPage(
    _ selection: ReportSelection = .all, after id: Int64 = 0, limit: Int, bytes: Int = PageSize.mostReadBytes
  ) async throws -> RecordPage<Report> {
    try await read { reader in
      let page = try reader.reports(selection, after: id, limit: limit, bytes: bytes)
      let departures = try DebugDepartures(reader)
      return RecordPage(items: page.items.map { $0.departing(departures) }, positions: page.positions, next: page.next)
    }
  }

  /// Returns a report. In debug mode, it is due when it leaves.
  package func report(named name: String) async throws -> Report {
    guard let id = RecordName.Kind.report.number(name),
      let report = try await read({ try $0.departingReport(id) })
    else { throw BrowserError.unknownReport(id: name) }
    return report
  }

  /// Returns the number of the newest event; 0 for an empty log.
  package func logEnd() async throws -> Int64 {
    try await read { try $0.nextSequence() - 1 }
  }

  package func events(after sequence: Int64, limit: Int) async throws -> [LogEvent] {
    try await read { try $0.events(after: sequence, limit: limit) }
  }

  /// Returns a page of the log. It may have fewer than `limit` items although more follow.
  ///
  /// - Parameter bytes: The size with which the page ends.
  package func eventPage(
    after sequence: Int64, limit: Int, bytes: Int = PageSize.mostBytes, _ selection: EventSelection = .all
  ) async throws -> EventPage {
    try await read { reader in
      var effort = ReadingEffort()
      let found = try reader.search(selection, after: sequence, limit: limit + 1, bytes: bytes, &effort)
      return EventPage(found, limit: limit)
    }
  }
}

/// A page of events, with the position of the next page.
package struct EventPage: Hashable, Sendable {
  package let items: [LogEvent]
  /// The position of the next page; nil on the last page.
  package let next: Int64?
  /// The number through which the log was examined.
  private let end: Int64

  /// Creates a page with the first of the found events.
  init(_ found: FoundEvents, limit: Int) {
    items = Array(found.events.prefix(limit))
    next = found.events.count > items.count ? items.last?.sequence : found.isComplete ? nil : found.end
    end = found.end
  }

  /// The position after which a later call finds the events that this page does not have.
  package var resumeAfter: Int64 { next ?? end }
}

extension EventSelection {
  package func contains(_ event: LogEvent) throws -> Bool {
    guard kinds.isEmpty || kinds.contains(event.kind) else { return false }
    guard !subjects.isEmpty else { return true }
    guard subjects.contains(where: { event.names($0) || event.introduces($0) }) else { return false }
    return try LoggedEvent(event).event.subjects(at: event.sequence).contains { subjects.contains($0.name) }
  }
}
