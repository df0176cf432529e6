package import PCMCore
import PCMStore

/// An attribution: a click, its triggering event, and its two reports.
package struct AttributionRecord: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// At least one report is to be sent.
    case pending
    /// No report is left to send.
    case reported
    /// A better click or triggering event took its place before both reports were sent.
    case replaced
    /// The data was cleared, or the private session ended, before both reports were sent.
    case cleared
  }

  /// The newest event of the attribution, or its values in a row. The triggering event is nil when the log no longer contains
  /// it.
  let event: Attributed
  /// The number of the event, which the numbers of the reports follow: first the source's, then the destination's.
  let sequence: Int64
  package let attributedAt: Instant
  /// The names of the keys that signed the tokens.
  package let sourceKeyID: String?
  package let destinationKeyID: String?
  package let state: State

  package var id: Int64 { event.attribution }
  package var click: Int64 { event.click }
  package var key: ClickKey { event.key }
  package var sourceReport: Int64 { sequence + 1 }
  package var destinationReport: Int64 { sequence + 2 }
}

extension AttributionRecord {
  /// Creates the record of an attribution with pending reports, or returns nil when both reports were sent.
  init?(_ attribution: Attribution, triggeringEvent: Int64?) {
    guard let sequence = attribution.event else { return nil }
    self.init(
      event: Attributed(attribution, accepted: triggeringEvent, decision: nil), sequence: sequence,
      attributedAt: attribution.attributedAt, sourceKeyID: attribution.click.click.token?.keyID,
      destinationKeyID: attribution.destinationToken?.keyID, state: .pending)
  }
}

extension AttributionRecord {
  /// The record as the API returns it.
  package var json: JSON {
    [
      "id": .string(RecordName.attribution(id)),
      "clickId": .string(RecordName.click(click)),
      "triggeringEventId": .string(event.accepted.map(RecordName.triggeringEvent)),
      "sourceSite": .string(event.key.source.domain),
      "destinationSite": .string(event.key.destination.domain),
      "sourceIdentifier": .number(Int64(event.sourceID)),
      "triggerData": .number(Int64(event.trigger.data)),
      "priority": .number(Int64(event.trigger.priority)),
      "bundleIdentifier": .string(event.key.bundleIdentifier),
      "attributedAt": .string(attributedAt.text),
      "state": .string(state.rawValue),
      "sourceReportId": .string(RecordName.report(sourceReport)),
      "destinationReportId": .string(RecordName.report(destinationReport)),
      "sourceToken": .token(keyID: sourceKeyID),
      "destinationToken": .token(keyID: destinationKeyID),
    ]
  }
}

extension JSON {
  /// A token as its key ID. The token itself appears only in reports.
  static func token(keyID: String?) -> JSON { keyID.map { ["keyId": .string($0)] } ?? .null }
}

extension AttributionRecord.State {
  /// Creates the state of an attribution with reports in these states.
  init(_ reports: [Report.State]) {
    if reports.contains(.scheduled) || reports.contains(.sending) {
      self = .pending
    } else if reports.contains(.superseded) {
      self = .replaced
    } else {
      self = reports.contains(.cleared) ? .cleared : .reported
    }
  }
}

/// Reads the attributions of a browser: from the log, and from the stored rows, which may be older than the log.
struct AttributionReading {
  let log: LogReading

  /// Returns the attribution with a number in its latest form, or nil when neither the log nor a row has it.
  func record(_ id: Int64, _ effort: inout ReadingEffort) throws -> AttributionRecord? {
    if let first = try log.event(id) { return try record(first, &effort) }
    for session in SessionKind.allCases {
      guard let row = try log.reader.attributions(in: session, after: id - 1, limit: 1).first, row.id == id else { continue }
      return try record(row)
    }
    return nil
  }

  /// Returns the attribution that an event introduces in its latest form, or nil for another event.
  ///
  /// A triggering event with a higher priority renews an attribution, which keeps its number and gets new reports.
  func record(_ first: LoggedEvent, _ effort: inout ReadingEffort) throws -> AttributionRecord? {
    guard let event = first.event as? Attributed, event.attribution == first.sequence else { return nil }
    var record = try log.attribution(event, first)
    var position = first.sequence
    while record.state == .replaced,
      let renewal = try log.first(
        after: position, of: .attributed, about: RecordName.attribution(record.id), &effort, where: Self.renewal(of: record.id))
    {
      record = try log.attribution(renewal.event, renewal.logged)
      position = renewal.logged.sequence
    }
    return record
  }

  /// Returns the attribution of a row.
  func record(_ row: Attribution) throws -> AttributionRecord? {
    if let logged = try row.event.flatMap(log.event), let event = logged.event as? Attributed, event.attribution == row.id {
      return try log.attribution(event, logged)
    }
    return AttributionRecord(row, triggeringEvent: nil)
  }

  private static func renewal(of id: Int64) -> (LoggedEvent) -> (event: Attributed, logged: LoggedEvent)? {
    { logged in
      guard let event = logged.event as? Attributed, event.attribution == id else { return nil }
      return (event, logged)
    }
  }
}

extension LogReading {
  /// Returns the attribution as an event records it, with the current states of its reports.
  func attribution(_ event: Attributed, _ logged: LoggedEvent) throws -> AttributionRecord {
    let reports = try [logged.sequence + 1, logged.sequence + 2].compactMap { try reader.row(Report.self, $0) }
    return AttributionRecord(
      event: event, sequence: logged.sequence, attributedAt: logged.at, sourceKeyID: reports.first?.sourceKeyID,
      destinationKeyID: reports.first?.destinationKeyID, state: AttributionRecord.State(reports.map(\.state)))
  }
}

extension Attribution {
  /// The event that scheduled the reports, whose numbers follow its own: first the source's, then the destination's. Nil when
  /// both were sent.
  fileprivate var event: Int64? {
    source.map { $0.report - 1 } ?? destination.map { $0.report - 2 }
  }
}
