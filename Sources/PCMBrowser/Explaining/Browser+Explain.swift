import PCMCore
import PCMStore

/// The subject of a requested explanation, as text.
package enum ExplainInput: Hashable, Sendable {
  /// `click-12`, or `12`; for a discarded click, the number of its log event.
  case click(String)
  /// The number of a log event.
  case triggeringEvent(String)
  /// `report-15`, or `15`.
  case report(String)
  /// A host or a registrable domain.
  case destination(String)
}

extension Browser {
  /// Explains why something happened or did not.
  ///
  /// - Throws: `BrowserError` when the subject does not exist.
  package func explain(_ input: ExplainInput) async throws -> Explanation {
    switch input {
    case .click(let name):
      let id = try Self.number(name, prefix: RecordName.click(0), of: "click")
      return try await read { log in
        try ClickStory(id, log: log)?.explanation() ?? log.remainder(of: .click(id), at: id, about: .click(id))
      } ?? Self.unknown("click", name)
    case .triggeringEvent(let name):
      let sequence = try Self.number(name, prefix: "", of: "triggering event")
      return try await read { log in
        try TriggerStory(sequence, log: log)?.explanation() ?? log.remainder(of: .triggeringEvent(sequence), at: sequence)
      } ?? Self.unknown("triggering event", name)
    case .report(let name):
      let id = try Self.number(name, prefix: RecordName.report(0), of: "report")
      let moment = moment
      return try await read { try ReportStory(id, log: $0, moment: moment)?.explanation() }
        ?? Self.unknown("report", name)
    case .destination(let host):
      let (site, moment) = (try site(ofHost: host), moment)
      let rejected = withState { $0.rejectedCalls.about(site) }
      return try await read {
        try DestinationStory(site, log: $0, moment: moment, rejected: rejected).explanation()
      }
    }
  }

  private var moment: ExplainedMoment {
    withState { ExplainedMoment(now: $0.now, clockMode: record.clockMode, settings: $0.settings) }
  }

  private func read<Answer: Sendable>(_ body: @escaping @Sendable (LogReading) throws -> Answer) async throws -> Answer {
    try await store.read(record.id) { try body(LogReading(reader: $0)) }
  }

  private static func number(_ name: String, prefix: String, of kind: String) throws(BrowserError) -> Int64 {
    let prefix = prefix.dropLast()
    let digits = name.hasPrefix(prefix) ? name.dropFirst(prefix.count) : name[...]
    guard let number = Int64(digits), number > 0, String(number) == digits else { return try unknown(kind, name) }
    return number
  }

  private static func unknown<Answer>(_ kind: String, _ name: String) throws(BrowserError) -> Answer {
    throw .unknownSubject(kind: kind, name: name)
  }
}
