package import PCMCore
import PCMStore

/// The subject of a requested explanation.
package enum ExplainInput: Hashable, Sendable {
  /// The number of a click; for a discarded click, the number of its log event.
  case click(Int64)
  /// The number of a log event of a triggering event.
  case triggeringEvent(Int64)
  /// The number of a report.
  case report(Int64)
  /// The number of an ad, an install, a conversion, or a postback of the device.
  case device(DeviceSubject)
  /// A host or a registrable domain.
  case destination(String)
  /// A name that no record has, such as `click-0`.
  case impossible(String)

  /// - Parameter name: `click-12`, `triggering-event-13`, `report-15`, `impression-16`, `install-17`, `conversion-18`,
  ///   `postback-19`, or a host.
  package init(about name: String) {
    if let subject = DeviceSubject(name) {
      self = .device(subject)
    } else if let id = RecordName.Kind.click.number(name) {
      self = .click(id)
    } else if let sequence = RecordName.Kind.triggeringEvent.number(name) {
      self = .triggeringEvent(sequence)
    } else if let id = RecordName.Kind.report.number(name) {
      self = .report(id)
    } else if RecordName.hasImpossibleNumber(name) {
      self = .impossible(name)
    } else {
      self = .destination(name)
    }
  }
}

extension Browser {
  /// Explains why something happened or did not.
  ///
  /// - Throws: `BrowserError` when the subject does not exist.
  package func explain(_ input: ExplainInput) async throws -> Explanation {
    switch input {
    case .click(let id):
      return try await read { log in
        try ClickStory(id, log: log)?.explanation() ?? log.remainder(of: .click(id), at: id, about: .click(id))
      } ?? Self.unknown("click", RecordName.click(id))
    case .triggeringEvent(let sequence):
      return try await read { log in
        try TriggerStory(sequence, log: log)?.explanation() ?? log.remainder(of: .triggeringEvent(sequence), at: sequence)
      } ?? Self.unknown("triggering event", RecordName.triggeringEvent(sequence))
    case .report(let id):
      let moment = moment
      return try await read { try ReportStory(id, log: $0, moment: moment)?.explanation() }
        ?? Self.unknown("report", RecordName.report(id))
    case .device(let subject):
      let moment = moment
      return try await read { try DeviceStory(subject, log: $0, moment: moment).explanation() }
        ?? Self.unknown(subject.kind, subject.name)
    case .destination(let host):
      let (site, moment) = (try site(ofHost: host), moment)
      let recent = withState { $0.rejectedCalls.about(site) + $0.quietLoads.about(site) }
      return try await read {
        try DestinationStory(site, log: $0, moment: moment, recent: recent).explanation()
      }
    case .impossible(let name): return try Self.unknown("record", name)
    }
  }

  /// Returns the verdicts of the decisions of logged events, by the number of the event. Events without a decision are
  /// absent.
  package func decisions(of events: [LogEvent]) async throws -> [Int64: [Explanation.Verdict]] {
    try await read { log in
      try events.reduce(into: [:]) { decisions, event in
        let logged = try LoggedEvent(event)
        if logged.decision != nil { decisions[event.sequence] = try log.verdicts(of: logged) }
      }
    }
  }

  private var moment: ExplainedMoment {
    withState { ExplainedMoment(now: $0.now, clockMode: record.clockMode, settings: $0.settings) }
  }

  private func read<Answer: Sendable>(_ body: @escaping @Sendable (LogReading) throws -> Answer) async throws -> Answer {
    try await read { try body(LogReading(reader: $0)) }
  }

  private static func unknown<Answer>(_ kind: String, _ name: String) throws(BrowserError) -> Answer {
    throw .unknownSubject(kind: kind, name: name)
  }
}
