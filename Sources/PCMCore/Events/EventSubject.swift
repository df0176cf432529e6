/// The names of a browser's records in the log, the API, and reasons.
package enum RecordName {
  /// The numbers of events and records. Those that follow one fit into 64 bits.
  package static let numbers: ClosedRange<Int64> = 0...1 << 62

  package static func click(_ id: Int64) -> String { "click-\(id)" }
  package static func attribution(_ id: Int64) -> String { "attribution-\(id)" }
  package static func report(_ id: Int64) -> String { "report-\(id)" }
  package static func triggeringEvent(_ id: Int64) -> String { "triggering-event-\(id)" }
  package static func impression(_ id: Int64) -> String { "impression-\(id)" }
  package static func install(_ id: Int64) -> String { "install-\(id)" }
  package static func conversion(_ id: Int64) -> String { "conversion-\(id)" }
  package static func postback(_ id: Int64) -> String { "postback-\(id)" }

  /// Returns the number in a name of any kind, or nil for other text.
  package static func number(in name: String) -> Int64? {
    Kind.allCases.lazy.compactMap { $0.number(name) }.first
  }

  /// Whether the text has the form of a name, and a number that no record has, as in `click-0` and `click-01`.
  package static func hasImpossibleNumber(_ text: String) -> Bool {
    Kind.allCases.contains { kind in
      guard text.hasPrefix("\(kind.rawValue)-"), kind.number(text) == nil else { return false }
      let digits = text.utf8.dropFirst(kind.rawValue.utf8.count + 1)
      return !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
  }

  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case click, attribution, report, impression, install, conversion, postback
    case triggeringEvent = "triggering-event"

    /// Returns the number in a name such as `click-12`, or nil for other text.
    package func number(_ name: String) -> Int64? {
      guard name.hasPrefix("\(rawValue)-"), let number = Int64(name.dropFirst(rawValue.utf8.count + 1)), number > 0,
        name == "\(rawValue)-\(number)"
      else { return nil }
      return number
    }
  }
}

/// The subject of an event.
package enum EventSubject: Hashable, Sendable {
  case click(Int64)
  case triggeringEvent(Int64)
  case attribution(Int64)
  case report(Int64)
  case impression(Int64)
  case install(Int64)
  case conversion(Int64)
  case postback(Int64)
  case site(Site)
  case app(bundleIdentifier: String)
  case adNetwork(String)

  /// The name in the API: `click-12`, `shop.example`, `com.example.news`.
  package var name: String {
    switch self {
    case .click(let id): RecordName.click(id)
    case .triggeringEvent(let id): RecordName.triggeringEvent(id)
    case .attribution(let id): RecordName.attribution(id)
    case .report(let id): RecordName.report(id)
    case .impression(let id): RecordName.impression(id)
    case .install(let id): RecordName.install(id)
    case .conversion(let id): RecordName.conversion(id)
    case .postback(let id): RecordName.postback(id)
    case .site(let site): site.domain
    case .app(let bundleIdentifier): bundleIdentifier
    case .adNetwork(let identifier): identifier
    }
  }
}

extension EventSubject {
  /// The number of a record; nil for other subjects.
  fileprivate var number: Int64? {
    switch self {
    case .click(let id), .triggeringEvent(let id), .attribution(let id), .report(let id), .impression(let id),
      .install(let id), .conversion(let id), .postback(let id):
      id
    case .site, .app, .adNetwork: nil
    }
  }
}

extension EventKind {
  /// The kind of record that events of this kind introduce; nil for other kinds. The record is their first subject.
  fileprivate var introducedRecord: RecordName.Kind? {
    switch self {
    case .clickStored, .ephemeralClickStored, .clickDiscarded: .click
    case .triggerIgnored, .triggerRejected, .triggerAccepted, .triggerUnmatched: .triggeringEvent
    case .attributed: .attribution
    case .reportScheduled: .report
    case .impressionStarted, .impressionRecorded, .impressionRejected, .signedPayloadRequested: .impression
    case .appInstalled: .install
    case .conversionStarted: .conversion
    case .postbackScheduled: .postback
    default: nil
    }
  }
}

extension LogEvent {
  /// Returns whether the event introduces the click, triggering event, attribution, or report with this name. Such an event
  /// and its record have the same number, unless the record existed before.
  package func introduces(_ name: String) -> Bool {
    guard let record = kind.introducedRecord, let number = record.number(name) else { return false }
    switch kind {
    case .clickDiscarded, .triggerIgnored, .triggerRejected, .triggerAccepted: return number == sequence
    case .appInstalled: return number == sequence
    // Later events of an ad begin with its name, too.
    case .impressionStarted, .impressionRecorded, .impressionRejected, .signedPayloadRequested:
      return number == sequence && beginsWithRecord(record, name)
    // Another event introduces one that was accepted. Within a string, a quotation mark is escaped.
    case .triggerUnmatched: return number == sequence && detail.text.contains(#""triggeringEventId":null"#)
    default: return beginsWithRecord(record, name)
    }
  }

  private func beginsWithRecord(_ record: RecordName.Kind, _ name: String) -> Bool {
    detail.text.utf8.starts(with: "{\"\(record.rawValue)Id\":\"\(name)\"".utf8)
  }
}

extension BrowserEvent {
  /// Returns the distinct names by which an index finds the event.
  ///
  /// They do not include an introduced record with the event's number, which is found by number. Most events have such a
  /// record.
  package func indexedSubjects(at sequence: Int64) -> [String] {
    let subjects = subjects(at: sequence)
    let own = kind.introducedRecord != nil && subjects.first?.number == sequence ? subjects.first?.name : nil
    var names: [String] = []
    for subject in subjects {
      let name = subject.name
      // A site or an app may have the name of the record.
      if name != own, !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// Returns the subjects of the event; empty for events of the browser as a whole.
  ///
  /// - Parameter sequence: The number of the event. A click or a triggering event without another number has it, too.
  package func subjects(at sequence: Int64) -> [EventSubject] {
    switch self {
    case .appRegistered(let event): [.app(bundleIdentifier: event.bundleIdentifier)]
    case .clickStored(let event), .ephemeralClickStored(let event): [.click(event.click)] + event.key.subjects
    case .clickDiscarded(let event): [.click(sequence)] + (event.destination.map { [.site($0)] } ?? [])
    case .clickReplaced(let event): [.click(event.click), .click(event.successor)]
    case .clickExpired(let event): [.click(event.click)]
    case .clickConsumedByLowerPriority(let event): [.click(event.click), .attribution(event.attribution)]
    case .triggerIgnored(let event), .triggerRejected(let event):
      [.triggeringEvent(sequence), .site(event.firstParty)]
        + (event.requested?.subjects ?? []).filter { $0 != .site(event.firstParty) }
    case .triggerAccepted(let event): [.triggeringEvent(sequence)] + event.subjects
    case .triggerUnmatched(let event):
      [.triggeringEvent(event.accepted ?? sequence)] + (event.lostClick.map { [.click($0)] } ?? [])
        + event.requested.subjects
    case .attributed(let event):
      [.attribution(event.attribution), .click(event.click)] + (event.accepted.map { [.triggeringEvent($0)] } ?? [])
        + event.key.subjects + [event.sourceReport, event.destinationReport].compactMap { $0.map(EventSubject.report) }
    case .attributionReplaced(let event):
      [.attribution(event.attribution)] + event.requested.subjects + event.reports.map(EventSubject.report)
    case .reportScheduled(let event): [.report(event.report), .attribution(event.attribution)]
    case .reportSent(let event): [.report(event.report)]
    case .reportDelivered(let event), .reportFailed(let event), .reportRetryScheduled(let event): [.report(event.report)]
    case .tokenRequested(.key(let exchange, _)), .tokenRequested(.signature(let exchange, _, _)): exchange.subjects
    case .tokenRequested(.reportKeys(let report, _, _, _)): [.report(report)]
    case .tokenStored(let event): event.exchange.subjects
    case .tokenFailed(let event): event.exchange.subjects
    case .dataCleared(let event): event.site.map { [.site($0)] } ?? []
    case .clockAdvanced, .clockSetBack, .settingsChanged, .logTrimmed: []
    case .deviceChanged, .adNetworkRegistered, .impressionStarted, .impressionRecorded, .impressionTapped, .impressionRejected,
      .impressionRemoved, .signedPayloadRequested, .appInstalled, .impressionCompared, .appLaunched, .conversionStarted,
      .conversionValueAccepted, .conversionValueRejected, .postbackScheduled, .postbackDropped, .postbackSent,
      .postbackDelivered, .postbackFailed, .postbackRetryScheduled:
      deviceSubjects(at: sequence)
    }
  }
}

extension ClickKey {
  fileprivate var subjects: [EventSubject] {
    (source == destination ? [.site(source)] : [.site(source), .site(destination)])
      + [.app(bundleIdentifier: bundleIdentifier)]
  }
}

extension RequestedTrigger {
  fileprivate var subjects: [EventSubject] {
    source == destination ? [.site(source)] : [.site(source), .site(destination)]
  }
}

extension TokenExchangeRecord {
  fileprivate var subjects: [EventSubject] {
    (click.map { [.click($0)] } ?? []) + (source == destination ? [.site(source)] : [.site(source), .site(destination)])
  }
}
