package import PCMCore

/// Stored state of the device that cannot be read.
package struct UnreadableState: Error, Hashable, Sendable {
  /// The name of the member that is missing or has another form.
  package let member: String
}

/// Reads the members of stored state by name, type, and range: the file may be damaged or edited. A member that is null counts as
/// absent.
package struct StateReader {
  private let json: JSON

  package init(json: JSON) {
    self.json = json
  }

  /// The instants that can be scheduled, also when the clock is at its last instant.
  private static let scheduled = Instant.earliest...Instant.latest
  private static let intervals = Interval(milliseconds: 0)...(Instant.latest - Instant.latestOfClock)
  private static let itemIdentifiers = 0...Int64.max

  package func optional<Value>(_ name: String, _ read: (JSON) -> Value?) throws(UnreadableState) -> Value? {
    guard let member = json[name], member != .null else { return nil }
    guard let value = read(member) else { throw UnreadableState(member: name) }
    return value
  }

  package func required<Value>(_ name: String, _ read: (JSON) -> Value?) throws(UnreadableState) -> Value {
    guard let value = try optional(name, read) else { throw UnreadableState(member: name) }
    return value
  }

  package func text(_ name: String) throws(UnreadableState) -> String { try required(name) { $0.string } }
  package func optionalText(_ name: String) throws(UnreadableState) -> String? { try optional(name) { $0.string } }

  /// Reads the number of an event or a record.
  func number(_ name: String) throws(UnreadableState) -> Int64 { try integer(name, in: RecordName.numbers) }

  /// Reads the number of an event or a record.
  package func optionalNumber(_ name: String) throws(UnreadableState) -> Int64? {
    try optionalInteger(name, in: RecordName.numbers)
  }

  /// Reads the identifier of an app in the App Store.
  func itemIdentifier(_ name: String) throws(UnreadableState) -> Int64 { try integer(name, in: Self.itemIdentifiers) }

  /// Reads the identifier of an app in the App Store.
  package func optionalItemIdentifier(_ name: String) throws(UnreadableState) -> Int64? {
    try optionalInteger(name, in: Self.itemIdentifiers)
  }

  /// Reads the country of an account.
  package func optionalCountry(_ name: String) throws(UnreadableState) -> String? {
    try optional(name) { json in json.string.flatMap { CountryCode.isValid($0) ? $0 : nil } }
  }

  func integer(_ name: String, in range: ClosedRange<Int64>) throws(UnreadableState) -> Int64 {
    guard let value = try optionalInteger(name, in: range) else { throw UnreadableState(member: name) }
    return value
  }

  func optionalInteger(_ name: String, in range: ClosedRange<Int64>) throws(UnreadableState) -> Int64? {
    try optional(name) { json in json.integer.flatMap { range.contains($0) ? $0 : nil } }
  }

  func flag(_ name: String) throws(UnreadableState) -> Bool { try required(name) { $0.flag } }
  func optionalFlag(_ name: String) throws(UnreadableState) -> Bool? { try optional(name) { $0.flag } }

  /// Reads an instant of a clock.
  package func instant(_ name: String) throws(UnreadableState) -> Instant {
    guard let instant = try optionalInstant(name) else { throw UnreadableState(member: name) }
    return instant
  }

  /// Reads an instant of a clock.
  package func optionalInstant(_ name: String) throws(UnreadableState) -> Instant? {
    try optionalInstant(name, in: Instant.ofClock)
  }

  /// Reads an instant that is scheduled.
  func optionalScheduledInstant(_ name: String) throws(UnreadableState) -> Instant? {
    try optionalInstant(name, in: Self.scheduled)
  }

  private func optionalInstant(_ name: String, in range: ClosedRange<Instant>) throws(UnreadableState) -> Instant? {
    try optionalInteger(name, in: range.lowerBound.milliseconds...range.upperBound.milliseconds).map {
      Instant(milliseconds: $0)
    }
  }

  /// Reads an interval that can be added to any instant of a clock.
  func interval(_ name: String) throws(UnreadableState) -> Interval {
    let range = Self.intervals.lowerBound.milliseconds...Self.intervals.upperBound.milliseconds
    return Interval(milliseconds: try integer(name, in: range))
  }

  package func word<Value: RawRepresentable<String>>(_ name: String) throws(UnreadableState) -> Value {
    try required(name) { $0.string.flatMap(Value.init) }
  }

  /// Reads each item of an array.
  func items<Value>(
    _ name: String, _ read: (JSON) throws(UnreadableState) -> Value
  ) throws(UnreadableState) -> [Value] {
    guard case .array(let items)? = json[name] else { throw UnreadableState(member: name) }
    var values: [Value] = []
    for item in items { values.append(try read(item)) }
    return values
  }
}

extension JSON {
  /// An object without the members that are null.
  static func state(_ members: KeyValuePairs<String, JSON>) -> JSON {
    .object(members.filter { $0.value != .null }.map { Member($0.key, $0.value) })
  }
}
