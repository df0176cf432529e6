import PCMCore
import PCMStore

/// The log as explanations read it: by number, and through the store's index of kinds and subjects.
struct LogReading {
  let reader: any BrowserReader

  private static let page = 500

  func event(_ sequence: Int64) throws -> LoggedEvent? {
    guard sequence > 0, let found = try reader.events(after: sequence - 1, limit: 1).first, found.sequence == sequence
    else { return nil }
    return try LoggedEvent(found)
  }

  /// A sentence for an explanation that needs this event; nil when the log still has it.
  func notice(of sequence: Int64) throws -> String? {
    let first = try reader.firstSequence()
    guard sequence < first else { return nil }
    return
      "The log begins with event \(first): older events were removed (logRetention), and some of this explanation with them."
  }

  /// The explanation of something whose decision was removed from the log: what later events say of it; nil when the log
  /// still has the event of this number.
  func remainder(of subject: Explanation.Subject, at sequence: Int64, about record: EventSubject? = nil) throws -> Explanation?
  {
    guard let notice = try notice(of: sequence) else { return nil }
    let events = try record.map { try all(after: sequence, about: $0) } ?? []
    return Explanation(subject, summary: notice, steps: [], failure: nil, events: events.map(\.log))
  }

  /// The first event of a kind after a number.
  func first(_ kind: EventKind, after sequence: Int64) throws -> LoggedEvent? {
    try reader.events(EventFilter(kind: kind), after: sequence, limit: 1).first.map(LoggedEvent.init)
  }

  /// The events after a number, and up to another, that satisfy a filter.
  func all(_ filter: EventFilter, after sequence: Int64, through end: Int64 = .max) throws -> [LoggedEvent] {
    var found: [LoggedEvent] = []
    var position = sequence
    while true {
      let events = try reader.events(filter, after: position, limit: Self.page)
      found += try events.prefix { $0.sequence <= end }.map(LoggedEvent.init)
      guard events.count == Self.page, let last = events.last, last.sequence < end else { return found }
      position = last.sequence
    }
  }

  /// The events after a number that are about a subject.
  func all(after sequence: Int64, about subject: EventSubject) throws -> [LoggedEvent] {
    // A site or an app may be called like a click.
    try all(EventFilter(about: subject.name), after: sequence).filter { $0.event.subjects.contains(subject) }
  }

  /// The newest events about a site that satisfy a condition, the oldest of them first.
  ///
  /// - Parameter reach: how many events about the site are looked at.
  func newest(
    _ limit: Int, of kind: EventKind? = nil, about site: Site, reach: Int, where isWanted: (LoggedEvent) -> Bool
  ) throws -> [LoggedEvent] {
    var found: [LoggedEvent] = []
    var (position, looked) = (Int64.max, 0)
    while found.count < limit, looked < reach {
      let events = try reader.lastEvents(EventFilter(about: site.domain, kind: kind), before: position, limit: Self.page)
      found += try events.map(LoggedEvent.init).filter(isWanted)
      guard events.count == Self.page, let last = events.last else { break }
      (position, looked) = (last.sequence, looked + events.count)
    }
    return found.prefix(limit).reversed()
  }
}

extension LogEvent {
  /// Whether the detail has a text, in whatever member: the quick test before the detail is decoded.
  func names(_ text: String) -> Bool { detail.text.contains("\"\(text)\"") }
}
