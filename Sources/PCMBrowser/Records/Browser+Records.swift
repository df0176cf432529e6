package import PCMCore
package import PCMStore

/// The selected records of a list. An empty set selects all.
package struct RecordFilter<Value: Hashable & Sendable>: Hashable, Sendable {
  /// The states of clicks and attributions, and the outcomes of triggering events.
  package let values: Set<Value>
  /// The sites that may be the source, the destination, or the site of the page. Of a discarded click, only the destination
  /// is known.
  package let sites: Set<Site>

  package init(_ values: Set<Value> = [], sites: Set<Site> = []) {
    self.values = values
    self.sites = sites
  }
}

package typealias ClickFilter = RecordFilter<ClickRecord.State>
package typealias TriggeringEventFilter = RecordFilter<TriggerOutcome.Kind>
package typealias AttributionFilter = RecordFilter<AttributionRecord.State>

extension Browser {
  /// Returns a page of the clicks in the log, and of older clicks that are still stored, ordered by number.
  package func clicks(
    _ filter: ClickFilter = ClickFilter(), after position: Int64 = 0, limit: Int
  ) async throws -> RecordPage<ClickRecord> {
    try await readClicks { try $0.page(filter, after: position, limit: limit, &$1) }
  }

  /// - Throws: `BrowserError.unknownSubject` when neither the log nor a stored row contains the click.
  package func click(named name: String) async throws -> ClickRecord {
    guard let id = RecordName.Kind.click.number(name), let found = try await readClicks({ try $0.record(id, &$1) })
    else { throw BrowserError.unknownSubject(kind: "click", name: name) }
    return found
  }

  private func readClicks<Answer: Sendable>(
    _ body: @escaping @Sendable (ClickReading, inout ReadingEffort) throws -> Answer
  ) async throws -> Answer {
    try await read { reader in
      let isPrivate = try reader.state().settings.measurement.privateBrowsing
      var effort = ReadingEffort()
      return try body(ClickReading(log: LogReading(reader: reader), isPrivateSession: isPrivate), &effort)
    }
  }

  /// Returns a page of the triggering events in the log, in the order of their decisions.
  package func triggeringEvents(
    _ filter: TriggeringEventFilter = TriggeringEventFilter(), after position: Int64 = 0, limit: Int
  ) async throws -> RecordPage<TriggeringEventRecord> {
    try await read { reader in
      var effort = ReadingEffort()
      return try LogReading(reader: reader).triggeringEvents(filter, after: position, limit: limit, &effort)
    }
  }

  /// - Throws: `BrowserError.unknownSubject` when the log does not contain the triggering event.
  package func triggeringEvent(named name: String) async throws -> TriggeringEventRecord {
    guard let id = RecordName.Kind.triggeringEvent.number(name),
      let found = try await read({ try LogReading(reader: $0).triggeringEvent(id) })
    else { throw BrowserError.unknownSubject(kind: "triggering event", name: name) }
    return found
  }

  /// Returns a page of the attributions in the log, and of older attributions that are still stored, ordered by number.
  package func attributions(
    _ filter: AttributionFilter = AttributionFilter(), after position: Int64 = 0, limit: Int
  ) async throws -> RecordPage<AttributionRecord> {
    try await read { reader in
      var effort = ReadingEffort()
      return try AttributionReading(log: LogReading(reader: reader)).page(filter, after: position, limit: limit, &effort)
    }
  }

  /// - Throws: `BrowserError.unknownSubject` when neither the log nor a stored row contains the attribution.
  package func attribution(named name: String) async throws -> AttributionRecord {
    guard let id = RecordName.Kind.attribution.number(name),
      let found = try await read(
        { reader in
          var effort = ReadingEffort()
          return try AttributionReading(log: LogReading(reader: reader)).record(id, &effort)
        })
    else { throw BrowserError.unknownSubject(kind: "attribution", name: name) }
    return found
  }
}
