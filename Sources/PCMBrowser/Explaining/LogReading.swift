import PCMCore
import PCMStore

/// The log as explanations read it: by number, and forward from a number, never more than so many events.
struct LogReading {
  let reader: any BrowserReader

  /// How many events an explanation looks through.
  static let reach: Int64 = 10_000
  private static let page = 500

  func event(_ sequence: Int64) throws -> LogEvent? {
    guard sequence > 0 else { return nil }
    return try reader.events(after: sequence - 1, limit: 1).first.flatMap { $0.sequence == sequence ? $0 : nil }
  }

  /// The first event behind a number that satisfies a condition.
  func first(after sequence: Int64, where isWanted: (LogEvent) -> Bool) throws -> LogEvent? {
    var found: LogEvent?
    try forEach(after: sequence) { event in
      if isWanted(event) { found = event }
      return found == nil
    }
    return found
  }

  /// The events behind a number that satisfy a condition.
  func all(after sequence: Int64, where isWanted: (LogEvent) -> Bool) throws -> [LogEvent] {
    var found: [LogEvent] = []
    try forEach(after: sequence) { event in
      if isWanted(event) { found.append(event) }
      return true
    }
    return found
  }

  /// - Parameter body: returns whether to go on.
  func forEach(after sequence: Int64, _ body: (LogEvent) -> Bool) throws {
    var position = sequence
    while position - sequence < Self.reach {
      let events = try reader.events(after: position, limit: Self.page)
      for event in events where !body(event) { return }
      guard let last = events.last else { return }
      position = last.sequence
    }
  }
}
