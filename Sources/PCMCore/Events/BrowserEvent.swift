/// An event in a browser: its members in JSON, and its entries in the index of the log.
///
/// The type describes events of one or several kinds. The file of its topic declares the kinds, and lists them with their types.
package protocol BrowserEvent: Hashable, EventPart {
  var kind: EventKind { get }
  /// The reasons for the event; empty for kinds without reasons.
  var reasons: [Reason] { get }
  /// The decision that the event records; nil for events without one.
  var decision: RecordedDecision? { get }

  /// The record that such events introduce, which is their first subject; nil for none.
  static var introduced: IntroducedRecord? { get }

  /// Returns the subjects of the event; empty for events of the browser as a whole.
  ///
  /// - Parameter sequence: The number of the event. A click, a triggering event, or an install without a separate number also has
  ///   this number.
  func subjects(at sequence: Int64) -> [EventSubject]
}

extension BrowserEvent {
  package var reasons: [Reason] { [] }
  package var decision: RecordedDecision? { nil }
  package static var introduced: IntroducedRecord? { nil }

  package func subjects(at sequence: Int64) -> [EventSubject] { [] }

  /// Returns the distinct names by which an index finds the event.
  ///
  /// They do not include an introduced record with the event's number, which is found by number. Most events have such a
  /// record.
  package func indexedSubjects(at sequence: Int64) -> [String] {
    let subjects = subjects(at: sequence)
    var names: [String] = []
    for subject in subjects {
      let name = subject.name
      // A site or an app may have the name of the record.
      if !names.contains(name) { names.append(name) }
    }
    if Self.introduced != nil, subjects.first?.number == sequence { names.removeFirst() }
    return names
  }
}

/// The record that events introduce.
package struct IntroducedRecord: Sendable {
  let kind: RecordName.Kind
  /// Whether the first member of the detail names the record.
  var isNamed = true
  /// Whether the record has the number of the event. Otherwise, it may have existed before.
  var isNumbered = true
  /// A text that only the details of introducing events contain; nil if all events of the type introduce a record. Within a
  /// string, a quotation mark is escaped.
  var mark: String?
}

/// A kind of event with the type of its events.
struct EventType: Sendable {
  let kind: EventKind
  let type: any BrowserEvent.Type

  init(_ kind: EventKind, _ type: any BrowserEvent.Type) {
    (self.kind, self.type) = (kind, type)
  }

  /// The kinds of events, in the order of the documents.
  static let all =
    registrations + clicks + triggers + pages + reports + tokens + profile + device + conversions + postbacks + cards
    + tracking

  static let byKind = Dictionary(uniqueKeysWithValues: all.map { ($0.kind, $0) })
}

extension LogEvent {
  /// Reads the event strictly: a missing or unknown member, or one of another type, is an error.
  package func read() throws -> any BrowserEvent {
    guard let type = EventType.byKind[kind]?.type, case .object(let object)? = JSON(parsing: detail.bytes) else {
      throw UnexpectedMember("")
    }
    return try read(type, object)
  }

  private func read<Event: BrowserEvent>(_ type: Event.Type, _ object: [JSON.Member]) throws -> Event {
    var members = EventMembers(reading: object, of: kind)
    let event = try Event(nil, &members)
    try members.finishReading()
    return event
  }
}
