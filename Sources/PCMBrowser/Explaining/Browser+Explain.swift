package import PCMCore
import PCMStore

extension Browser {
  /// Explains why something happened or did not.
  ///
  /// - Parameter name: A host, or the name of a record: `click-12`, which for a discarded click has the number of its event,
  ///   `triggering-event-13`, `report-15`, `impression-16`, `install-17`, `conversion-18`, `postback-19`, `card-20`,
  ///   `tracking-request-21`, or `sdk-request-22`.
  /// - Throws: `BrowserError` when the subject does not exist.
  package func explain(_ name: String) async throws -> Explanation {
    let kinds = RecordName.Kind.allCases.filter { $0 != .attribution }
    guard let (kind, id) = kinds.lazy.compactMap({ kind in kind.number(name).map { (kind, $0) } }).first else {
      // A name that no record has, such as `click-0`.
      guard !RecordName.hasImpossibleNumber(name) else { throw BrowserError.unknownSubject(kind: "record", name: name) }
      return try await explain(destination: name)
    }
    let found = try await read { [self] log in
      let moment = try moment(in: log)
      switch kind {
      case .click: return try ClickStory(id, log: log)?.explanation() ?? log.remainder(of: kind, id, hasEvents: true)
      case .triggeringEvent: return try TriggerStory(id, log: log)?.explanation() ?? log.remainder(of: kind, id)
      case .report: return try ReportStory(id, log: log, moment: moment)?.explanation()
      case .impression, .install, .conversion, .postback, .card, .attribution, .trackingRequest, .sdkRequest:
        return try DeviceStory(kind, id, log: log, moment: moment).explanation()
      }
    }
    guard let found else {
      throw BrowserError.unknownSubject(kind: kind == .triggeringEvent ? "triggering event" : kind.rawValue, name: name)
    }
    return kind == .trackingRequest || kind == .sdkRequest ? found : try await notingConsent(in: found)
  }

  private func explain(destination host: String) async throws -> Explanation {
    let site = try site(ofHost: host)
    let recent = withState { $0.rejectedCalls.about(site) + $0.quietLoads.about(site) }
    return try await notingConsent(
      in: try await read { [self] log in
        try DestinationStory(site, log: log, moment: moment(in: log), recent: recent).explanation()
      })
  }

  /// Adds that consent has no influence, once an app uses tracking.
  private func notingConsent(in explanation: Explanation) async throws -> Explanation {
    guard try await read({ try $0.reader.isTrackingUsed() }) else { return explanation }
    return explanation.adding("Tracking consent has no influence on it.")
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

  private func moment(in log: LogReading) throws -> ExplainedMoment {
    let settings = try log.reader.state().settings
    return ExplainedMoment(
      now: try currentTime(in: log.reader), clockMode: record.clockMode, settings: settings)
  }

  private func read<Answer: Sendable>(_ body: @escaping @Sendable (LogReading) throws -> Answer) async throws -> Answer {
    try await read { try body(LogReading(reader: $0)) }
  }
}
