package import PCMCore
import PCMStore

extension Browser {
  /// Returns the measurements of the current session that are not fully reported, after a number: a page with up to `limit`
  /// rows of each kind. It ends where the first kind with more rows ends.
  package func measurements(after number: Int64 = 0, limit: Int) async throws -> Measurements {
    let isPrivate = withState { $0.settings.measurement.privateBrowsing }
    return try await store.read(record.id) { reader in
      let clicks = try reader.clicks(in: isPrivate ? .privateTable : .table, after: number, limit: limit + 1)
      let attributions = try reader.attributions(in: isPrivate ? .privateBrowsing : .normal, after: number, limit: limit + 1)
      let ends = [clicks.map(\.id), attributions.map(\.id)].filter { $0.count > limit }.map { $0[limit - 1] }
      let end = ends.min()
      return Measurements(
        unattributed: clicks.filter { $0.id <= end ?? .max }, attributed: attributions.filter { $0.id <= end ?? .max },
        ephemeral: try reader.clicks(in: isPrivate ? .privateEphemeral : .ephemeral, after: 0, limit: 1).first, next: end)
    }
  }

  /// Returns the reports in any of the states after `id`, ordered by number. Without a state, returns all reports.
  package func reports(in states: Set<Report.State>, after id: Int64, limit: Int) async throws -> [Report] {
    try await store.read(record.id) { try $0.reports(inAnyOf: states, after: id, limit: limit) }
  }

  package func report(named name: String) async throws -> Report {
    let prefix = RecordName.report(0).dropLast()
    guard name.hasPrefix(prefix), let id = Int64(name.dropFirst(prefix.count)), RecordName.report(id) == name,
      let report = try await store.read(record.id, { try $0.report(id) })
    else { throw BrowserError.unknownReport(id: name) }
    return report
  }

  package func events(after sequence: Int64, limit: Int) async throws -> [LogEvent] {
    try await store.read(record.id) { try $0.events(after: sequence, limit: limit) }
  }

  /// Returns a page of the log, optionally only the events about some subjects.
  ///
  /// - Parameter names: The names of clicks, reports, attributions, apps, or sites; empty for all events.
  package func eventPage(after sequence: Int64, limit: Int, about names: Set<String> = []) async throws -> EventPage {
    try await store.read(record.id) { reader in
      let events = try reader.events(aboutAnyOf: names, after: sequence, limit: limit + 1)
      let items = Array(events.prefix(limit))
      return EventPage(
        items: items, next: events.count > limit ? items.last?.sequence : nil, end: try reader.nextSequence() - 1)
    }
  }
}

/// A page of events, with the position of the next page.
package struct EventPage: Hashable, Sendable {
  package let items: [LogEvent]
  /// The position of the next page; nil on the last page.
  package let next: Int64?
  /// The number of the last event in the log.
  package let end: Int64
}

extension LogEvent {
  /// Returns whether the event is about one of the subjects with these names. Without a name, every event matches.
  package func isAbout(anyOf names: Set<String>) throws -> Bool {
    guard !names.isEmpty else { return true }
    guard names.contains(where: { self.names($0) }) else { return false }
    return try LoggedEvent(self).event.subjects.contains { names.contains($0.name) }
  }
}

package struct Measurements: Hashable, Sendable {
  package let unattributed: [KeptClick]
  package let attributed: [Attribution]
  package let ephemeral: KeptClick?
  /// The number after which the next page begins; nil on the last page.
  package let next: Int64?

  package var isEmpty: Bool { unattributed.isEmpty && attributed.isEmpty && ephemeral == nil }
}
