import PCMCore
import PCMStore

/// Access to the log for explanations and records: by number, and through the store's index of kinds and subjects.
struct LogReading {
  let reader: any BrowserReader

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
  ///
  /// - Parameter hasEvents: Whether events about the record follow its decision.
  func remainder(of kind: RecordName.Kind, _ sequence: Int64, hasEvents: Bool = false) throws -> Explanation? {
    guard let notice = try notice(of: sequence) else { return nil }
    let subject = Explanation.Subject.record(kind, sequence)
    let later = hasEvents ? try newest(after: sequence, about: subject.id) : nil
    return Explanation(
      subject, summary: notice, steps: [], failure: nil, events: later?.events.map(\.log) ?? [],
      omittedBefore: later?.omittedBefore)
  }

  /// Returns the first event of a kind after a number.
  func first(_ kind: EventKind, after sequence: Int64) throws -> LoggedEvent? {
    var effort = ReadingEffort()
    return try first(after: sequence, of: kind, &effort) { $0 }
  }

  /// Returns the first result of the events after a number.
  ///
  /// - Parameter subject: The name of their subject; nil for any events.
  func first<Found>(
    after sequence: Int64, of kind: EventKind? = nil, about subject: String? = nil, _ effort: inout ReadingEffort,
    where find: (LoggedEvent) throws -> Found?
  ) throws -> Found? {
    let selection = EventSelection(about: subject.map { [$0] } ?? [], kinds: kind.map { [$0] } ?? [])
    var position = sequence
    while true {
      // One at a time, because a search for several would examine the log to its end.
      let search = try reader.search(selection, after: position, limit: 1, &effort)
      if let event = search.events.first, let found = try find(LoggedEvent(event)) { return found }
      guard !search.isComplete else { return nil }
      position = search.end
    }
  }

  /// Returns the first event of some kinds that is about a record, after a number; nil when a bounded search does not find it.
  func first(of kinds: Set<EventKind>, about record: String, after sequence: Int64) throws -> LoggedEvent? {
    let selection = EventSelection(about: [record], kinds: kinds)
    var (position, effort) = (sequence, ReadingEffort())
    while !effort.isExhausted {
      let search = try reader.search(selection, after: position, limit: 1, &effort)
      guard let event = try search.events.first.map(LoggedEvent.init) else { break }
      if event.isAbout(record) { return event }
      position = event.sequence
    }
    return nil
  }

  /// Returns the newest events after a number that satisfy a condition, within the bounds of an explanation.
  ///
  /// - Parameters:
  ///   - name: The name of the subject of the events.
  ///   - isCandidate: A fast test before decoding, which takes most of the time.
  func newest(
    _ limit: Int = ReadingBounds.events, of kind: EventKind? = nil, about name: String, after sequence: Int64 = 0,
    ifWritten isCandidate: (LogEvent) -> Bool = { _ in true }, where isWanted: (LoggedEvent) throws -> Bool
  ) throws -> NewestEvents {
    var found: [LoggedEvent] = []
    var (examined, bytes) = (0, 0)
    let omittedBefore = try reader.visitLastEvents(
      EventFilter(about: name, kind: kind), after: sequence, blocks: ReadingBounds.blocks
    ) { event in
      guard found.count < limit, examined < ReadingBounds.examined, bytes < ReadingBounds.bytes else { return false }
      examined += 1
      guard isCandidate(event) else { return true }
      let logged = try LoggedEvent(event)
      guard try isWanted(logged) else { return true }
      found.append(logged)
      bytes += event.detail.text.utf8.count
      return true
    }
    return NewestEvents(events: found.reversed(), omittedBefore: omittedBefore)
  }

  /// Returns the newest events after a number that are about a record, of some kinds or of any kind.
  func newest(
    _ limit: Int = ReadingBounds.events, of kinds: Set<EventKind> = [], after sequence: Int64, about record: String
  ) throws -> NewestEvents {
    try newest(limit, about: record, after: sequence) { event in
      (kinds.isEmpty || kinds.contains(event.kind)) && event.isAbout(record)
    }
  }
}

extension LoggedEvent {
  /// Whether the event is about a record. The index alone is ambiguous: a site or an app may have the name of a click.
  fileprivate func isAbout(_ record: String) -> Bool {
    event.subjects(at: sequence).contains { $0.number != nil && $0.name == record }
  }
}

/// The newest events of a search, in chronological order.
struct NewestEvents {
  let events: [LoggedEvent]
  /// The number before which no event was examined; nil when all were.
  let omittedBefore: Int64?
}

extension NewestEvents {
  /// The newest events of several searches together, which have the bounds of one search.
  ///
  /// - Parameter limit: The maximum number of events.
  init(of searches: [NewestEvents], limit: Int) {
    let start = searches.compactMap(\.omittedBefore).max()
    // An event may be about several of the subjects.
    let found = searches.flatMap(\.events).reduce(into: [:]) { $0[$1.sequence] = $1 }
    var (events, bytes): ([LoggedEvent], Int) = ([], 0)
    for event in found.values.sorted(by: { $0.sequence > $1.sequence }) where event.sequence >= start ?? 0 {
      guard events.count < limit, bytes < ReadingBounds.bytes else {
        self.init(events: events.reversed(), omittedBefore: events.last?.sequence)
        return
      }
      events.append(event)
      bytes += event.log.detail.text.utf8.count
    }
    self.init(events: events.reversed(), omittedBefore: start)
  }
}

/// The bounds of an explanation and of each of its searches. Together they keep an explanation below a megabyte and some tens
/// of milliseconds, however long the log is.
enum ReadingBounds {
  /// The events that a search returns.
  static let events = 200
  /// The events that a search decodes. A site may be a source far more often than a destination.
  static let examined = 1_000
  /// The size of the returned events at which a search ends.
  static let bytes = 262_144
  /// The decisions in an explanation of the device. An install may be decided among a thousand ads.
  static let steps = 50
  /// The blocks of the log that a search reads, each with an index lookup.
  static let blocks: Int64 = 20_000
}

extension LogEvent {
  /// Returns whether any member of the detail contains a text: a fast test before decoding.
  func names(_ text: String) -> Bool { detail.text.contains(JSON.string(text).text) }

  /// Returns whether a member of the detail is a text, without decoding the detail.
  func hasMember(_ name: String, _ text: String) -> Bool {
    let member = Array("\(JSON.string(name).text):\(JSON.string(text).text)".utf8)
    var written = detail.text
    return written.withUTF8 { bytes in
      guard bytes.count >= member.count else { return false }
      return (0...bytes.count - member.count).contains { start in
        bytes[start] == member[0] && bytes[start..<start + member.count].elementsEqual(member)
      }
    }
  }
}
