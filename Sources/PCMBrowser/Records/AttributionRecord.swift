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

  package let id: Int64
  package let click: Int64
  /// The triggering event; nil when the log no longer contains it.
  package let triggeringEvent: Int64?
  package let key: ClickKey
  package let sourceID: UInt8
  package let trigger: Trigger
  package let attributedAt: Instant
  package let sourceReport: Int64
  package let destinationReport: Int64
  /// The names of the keys that signed the tokens.
  package let sourceKeyID: String?
  package let destinationKeyID: String?
  package let state: State

  /// Creates the record of an attribution with pending reports, or returns nil for one whose reports were both sent.
  package init?(_ attribution: Attribution, triggeringEvent: Int64?) {
    guard let event = attribution.event else { return nil }
    id = attribution.id
    click = attribution.click.id
    self.triggeringEvent = triggeringEvent
    key = attribution.key
    sourceID = attribution.click.click.sourceID
    trigger = attribution.trigger
    attributedAt = attribution.attributedAt
    (sourceReport, destinationReport) = (event + 1, event + 2)
    sourceKeyID = attribution.click.click.token?.keyID
    destinationKeyID = attribution.destinationToken?.keyID
    state = .pending
  }

  /// Creates the record of an attribution in the log.
  ///
  /// - Parameter reports: The report to the source, and the report to the destination.
  fileprivate init(_ event: Attributed, _ logged: LoggedEvent, reports: [Report]) {
    id = event.attribution
    click = event.click
    triggeringEvent = event.accepted
    key = event.key
    sourceID = event.sourceID
    trigger = event.trigger
    attributedAt = logged.at
    (sourceReport, destinationReport) = (logged.sequence + 1, logged.sequence + 2)
    sourceKeyID = reports.first?.sourceKeyID
    destinationKeyID = reports.first?.destinationKeyID
    state = State(reports.map(\.state))
  }
}

extension AttributionRecord {
  /// The record as the API returns it.
  package var json: JSON {
    [
      "id": .string(RecordName.attribution(id)),
      "clickId": .string(RecordName.click(click)),
      "triggeringEventId": .string(triggeringEvent.map(RecordName.triggeringEvent)),
      "sourceSite": .string(key.source.domain),
      "destinationSite": .string(key.destination.domain),
      "sourceIdentifier": .number(Int64(sourceID)),
      "triggerData": .number(Int64(trigger.data)),
      "priority": .number(Int64(trigger.priority)),
      "bundleIdentifier": .string(key.bundleIdentifier),
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
    guard case .attributed(let event) = first.event, event.attribution == first.sequence else { return nil }
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
    if let logged = try row.event.flatMap(log.event), case .attributed(let event) = logged.event, event.attribution == row.id {
      return try log.attribution(event, logged)
    }
    return AttributionRecord(row, triggeringEvent: nil)
  }

  private static func renewal(of id: Int64) -> (LoggedEvent) -> (event: Attributed, logged: LoggedEvent)? {
    { logged in
      guard case .attributed(let event) = logged.event, event.attribution == id else { return nil }
      return (event, logged)
    }
  }
}

extension LogReading {
  /// Returns the attribution as an event records it, with the current states of its reports.
  func attribution(_ event: Attributed, _ logged: LoggedEvent) throws -> AttributionRecord {
    let reports = try [logged.sequence + 1, logged.sequence + 2].compactMap(reader.report)
    return AttributionRecord(event, logged, reports: reports)
  }
}

extension Attribution {
  /// The event that scheduled the reports, whose numbers follow its own: first the source's, then the destination's. Nil when
  /// both were sent.
  fileprivate var event: Int64? {
    source.map { $0.report - 1 } ?? destination.map { $0.report - 2 }
  }
}
