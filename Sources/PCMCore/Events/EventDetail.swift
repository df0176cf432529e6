/// The details of events of one or several kinds: their members in JSON, and what the log knows of them.
protocol EventDetail: Hashable, Sendable {
  /// Reads the members that `encode(into:)` writes.
  init(_ members: inout EventReader) throws
  func encode(into event: inout EventWriter)

  /// The record that such events introduce, which is their first subject; nil for none.
  static var introduced: IntroducedRecord? { get }
  /// Returns the subjects of the event with a number.
  func subjects(at sequence: Int64) -> [EventSubject]

  var reasons: [Reason] { get }
  var decision: RecordedDecision? { get }
}

extension EventDetail {
  static var introduced: IntroducedRecord? { nil }
  func subjects(at sequence: Int64) -> [EventSubject] { [] }

  package var reasons: [Reason] { [] }
  package var decision: RecordedDecision? { nil }
}

/// The record that events introduce.
struct IntroducedRecord: Sendable {
  let kind: RecordName.Kind
  /// Whether the first member of the detail names the record.
  var isNamed = true
  /// Whether the record has the number of the event. Otherwise, it may have existed before.
  var isNumbered = true
  /// A text that only the details of introducing events contain; nil if all events of the type introduce a record. Within a
  /// string, a quotation mark is escaped.
  var mark: String?
}
