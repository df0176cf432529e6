import PCMCore
import PCMStore

/// Access to the log for explanations and records: by number, and through the store's index of kinds and subjects.
struct LogReading {
  let reader: any BrowserReader

  private static let page = 500

  func event(_ sequence: Int64) throws -> LoggedEvent? {
    guard sequence > 0, let found = try reader.events(after: sequence - 1, limit: 1).first, found.sequence == sequence
    else { return nil }
    return try LoggedEvent(found)
  }

  /// Returns a sentence for an explanation that needs this event, or nil when the log still contains it.
  func notice(of sequence: Int64) throws -> String? {
    let first = try reader.firstSequence()
    guard sequence < first else { return nil }
    return
      "The log begins with event \(first): older events were removed (logRetention), so this explanation is incomplete."
  }

  /// Returns the explanation of a subject whose decision was removed from the log, with its later events. Returns nil when
  /// the log still contains the event with this number.
  func remainder(of subject: Explanation.Subject, at sequence: Int64, about record: EventSubject? = nil) throws -> Explanation?
  {
    guard let notice = try notice(of: sequence) else { return nil }
    let events = try record.map { try all(after: sequence, about: $0) } ?? []
    return Explanation(subject, summary: notice, steps: [], failure: nil, events: events.map(\.log))
  }

  /// Returns the first event of a kind after a number.
  func first(_ kind: EventKind, after sequence: Int64) throws -> LoggedEvent? {
    try reader.events(EventFilter(kind: kind), after: sequence, limit: 1).first.map(LoggedEvent.init)
  }

  /// Returns the first result of the events about a subject after a number.
  func first<Found>(
    after sequence: Int64, of kind: EventKind? = nil, about subject: String, _ effort: inout ReadingEffort,
    where find: (LoggedEvent) throws -> Found?
  ) throws -> Found? {
    let selection = EventSelection(about: [subject], kinds: kind.map { [$0] } ?? [])
    var position = sequence
    while true {
      // One at a time, because a search for several would examine the log to its end.
      let search = try reader.search(selection, after: position, limit: 1, &effort)
      if let event = search.events.first, let found = try find(LoggedEvent(event)) { return found }
      guard !search.isComplete else { return nil }
      position = search.end
    }
  }

  /// Returns the events in a range of numbers that satisfy a filter.
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

  /// Returns the events after a number that are about a subject.
  func all(after sequence: Int64, about subject: EventSubject) throws -> [LoggedEvent] {
    // A site or an app may have the name of a click.
    try all(EventFilter(about: subject.name), after: sequence).filter { $0.event.subjects(at: $0.sequence).contains(subject) }
  }

  /// Returns the newest events about a site that satisfy a condition, in chronological order.
  ///
  /// - Parameter reach: The maximum number of events about the site to examine.
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
  /// Returns whether any member of the detail contains a text: a fast test before decoding.
  func names(_ text: String) -> Bool { detail.text.contains(JSON.string(text).text) }
}
