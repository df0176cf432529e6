import PCMCore
import PCMStore

/// The log as explanations read it: by number, and forward from a number, never more than so many events.
struct LogReading {
  let reader: any BrowserReader

  /// How many events an explanation looks through.
  static let reach: Int64 = 10_000
  private static let page = 500

  func event(_ sequence: Int64) throws -> LoggedEvent? {
    guard sequence > 0, let found = try reader.events(after: sequence - 1, limit: 1).first, found.sequence == sequence
    else { return nil }
    return try LoggedEvent(found)
  }

  /// The first event after a number that satisfies a condition.
  func first(after sequence: Int64, where isWanted: (LoggedEvent) -> Bool) throws -> LoggedEvent? {
    var found: LoggedEvent?
    try forEach(after: sequence) { event in
      if isWanted(event) { found = event }
      return found == nil
    }
    return found
  }

  /// The events after a number that satisfy a condition.
  ///
  /// - Parameter names: a wanted event has one of these texts in its detail, so the others are not decoded; empty to decode all.
  func all(
    after sequence: Int64, naming names: [String] = [], where isWanted: (LoggedEvent) -> Bool
  ) throws -> [LoggedEvent] {
    var found: [LoggedEvent] = []
    try forEach(after: sequence, naming: names) { event in
      if isWanted(event) { found.append(event) }
      return true
    }
    return found
  }

  /// The events after a number that are about a subject.
  func all(after sequence: Int64, about subject: EventSubject) throws -> [LoggedEvent] {
    try all(after: sequence, naming: [subject.name]) { $0.event.subjects.contains(subject) }
  }

  /// - Parameters:
  ///   - names: see `all`.
  ///   - body: returns whether to go on.
  func forEach(after sequence: Int64, naming names: [String] = [], _ body: (LoggedEvent) -> Bool) throws {
    var position = sequence
    while position - sequence < Self.reach {
      let events = try reader.events(after: position, limit: Self.page)
      for event in events where names.isEmpty || names.contains(where: event.names) {
        guard body(try LoggedEvent(event)) else { return }
      }
      guard let last = events.last else { return }
      position = last.sequence
    }
  }
}

extension LogEvent {
  /// Whether the detail has a text, in whatever member: the quick test before the detail is decoded.
  func names(_ text: String) -> Bool { detail.text.contains("\"\(text)\"") }
}
