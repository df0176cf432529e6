/// A value whose members the log contains: an event, or an object within one.
package protocol EventPart: Sendable {
  /// Lists the members in their order.
  ///
  /// - Parameter part: The value to write; nil to read one.
  init(_ part: Self?, _ members: inout EventMembers) throws
}

/// The members of an event in JSON. An event lists them once, and they are written or read in this order.
///
/// Each function takes the value of a member and writes it, or reads the member when there is no value. It returns the value.
///
/// ```swift
/// struct Download: EventPart {
///   let bundleIdentifier: String
///   let itemIdentifier: Int64?
///
///   init(_ part: Self?, _ members: inout EventMembers) throws {
///     bundleIdentifier = try members.required("bundleIdentifier", part?.bundleIdentifier, .text)
///     itemIdentifier = try members.optional("itemIdentifier", part?.itemIdentifier, .number)
///   }
/// }
/// ```
package struct EventMembers {
  package let kind: EventKind
  /// The members that were not read; nil while an event is written.
  private var unread: [JSON.Member]?
  fileprivate var bytes: [UInt8] = []
  /// The written members for documents; nil when none are described.
  private var descriptions: [EventMember]?

  init(writing kind: EventKind) {
    self.kind = kind
  }

  init(reading members: [JSON.Member], of kind: EventKind) {
    self.kind = kind
    unread = members
  }

  /// A member that every event has.
  mutating func required<Value>(_ name: String, _ value: Value?, _ codec: EventCodec<Value>) throws -> Value {
    guard let value else {
      guard let json = read(name), let value = codec.read(json) else { throw UnexpectedMember(name) }
      return value
    }
    write(name, value, codec)
    return value
  }

  /// A member that is null without a value.
  mutating func optional<Value>(_ name: String, _ value: Value?, _ codec: EventCodec<Value>) throws -> Value? {
    guard unread == nil else { return try readIfPresent(name, codec) }
    write(name, value, codec, isNullable: true)
    return value
  }

  /// A member that is absent without a value.
  mutating func ifPresent<Value>(_ name: String, _ value: Value?, _ codec: EventCodec<Value>) throws -> Value? {
    guard unread == nil else { return try readIfPresent(name, codec) }
    if let value { write(name, value, codec, isOptional: true) } else { describe(name, codec, isOptional: true) }
    return value
  }

  /// The reasons, which some events lack.
  mutating func reasonsIfAny(_ reasons: [Reason]?) throws -> [Reason] {
    try ifPresent("reasons", reasons.flatMap { $0.isEmpty ? nil : $0 }, .list(of: .object())) ?? []
  }

  mutating func reasons(_ reasons: [Reason]?) throws -> [Reason] { try required("reasons", reasons, .list(of: .object())) }

  static let decisionName = "decision"

  /// The decision, which is the last member of every event.
  mutating func decision(_ decision: RecordedDecision?) throws -> RecordedDecision? {
    try ifPresent(Self.decisionName, decision, .object())
  }

  /// Whether the event that is read has a member with this name.
  func has(_ name: String) -> Bool { unread?.contains { $0.name == name } ?? false }

  /// Throws when a member was not read.
  func finishReading() throws {
    if let member = unread?.first { throw UnexpectedMember(member.name) }
  }

  /// Returns the members of an event for documents.
  package static func describing(_ event: some BrowserEvent) throws -> [EventMember] {
    var members = EventMembers(writing: event.kind)
    members.descriptions = []
    _ = try type(of: event).init(event, &members)
    return members.descriptions ?? []
  }

  private mutating func read(_ name: String) -> JSON? {
    guard let index = unread?.firstIndex(where: { $0.name == name }) else { return nil }
    return unread?.remove(at: index).value
  }

  private mutating func readIfPresent<Value>(_ name: String, _ codec: EventCodec<Value>) throws -> Value? {
    guard let json = read(name), json != .null else { return nil }
    guard let value = codec.read(json) else { throw UnexpectedMember(name) }
    return value
  }

  private mutating func write<Value>(
    _ name: String, _ value: Value?, _ codec: EventCodec<Value>, isOptional: Bool = false, isNullable: Bool = false
  ) {
    describe(name, codec, isOptional: isOptional, isNullable: isNullable)
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    JSON.write(name, into: &bytes)
    bytes.append(UInt8(ascii: ":"))
    if let value { codec.write(value, &bytes) } else { bytes.append(contentsOf: "null".utf8) }
  }

  private mutating func describe<Value>(
    _ name: String, _ codec: EventCodec<Value>, isOptional: Bool = false, isNullable: Bool = false
  ) {
    descriptions?.append(EventMember(name: name, value: codec.describe(), isOptional: isOptional, isNullable: isNullable))
  }
}

/// A member that an event lacks, or that has an unexpected value.
struct UnexpectedMember: Error {
  let name: String

  init(_ name: String) { self.name = name }
}

/// The description of an event's member in documents.
package struct EventMember: Hashable, Sendable {
  package let name: String
  package var value: Value
  /// Whether the member is absent from some events.
  package var isOptional: Bool
  /// Whether the member is null in some events.
  package let isNullable: Bool

  package indirect enum Value: Hashable, Sendable {
    case text, instant, integer, flag
    /// An integer of eight bits.
    case byte
    case record(RecordName.Kind)
    case words([String])
    case list(Value)
    /// A value of a type with members.
    case object(String)
    /// Any JSON.
    case json
  }
}

extension EventPart {
  /// Writes the value as an object.
  fileprivate func write(_ kind: EventKind, into bytes: inout [UInt8]) {
    var members = EventMembers(writing: kind)
    swap(&members.bytes, &bytes)
    members.bytes.append(UInt8(ascii: "{"))
    // Only reading throws.
    _ = try? Self(self, &members)
    members.bytes.append(UInt8(ascii: "}"))
    swap(&members.bytes, &bytes)
  }
}

extension BrowserEvent {
  /// Compact UTF-8 JSON: an object with its members in a fixed order. Equal events have equal bytes.
  package var json: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(960)
    write(kind, into: &bytes)
    return bytes
  }
}

/// A codec for the values of a member. It has only closures: a key path of a generic type is built with each call.
struct EventCodec<Value: Sendable>: Sendable {
  let describe: @Sendable () -> EventMember.Value
  let write: @Sendable (Value, inout [UInt8]) -> Void
  /// Returns nil for a value of another kind.
  let read: @Sendable (JSON) -> Value?
}

extension EventCodec<String> {
  static let text = Self(describe: { .text }, write: { JSON.write($0, into: &$1) }, read: { $0.string })

  /// One of some words.
  static func word(_ words: [String]) -> Self {
    Self(
      describe: { .words(words) }, write: { JSON.write($0, into: &$1) },
      read: { $0.string.flatMap { words.contains($0) ? $0 : nil } })
  }
}

extension EventCodec<Bool> {
  static let flag = Self(describe: { .flag }, write: { JSON.bool($0).write(into: &$1) }, read: { $0.flag })
}

extension EventCodec<Site> {
  static let site = Self(
    describe: { .text }, write: { JSON.write($0.domain, into: &$1) }, read: { $0.string.flatMap { Site($0) } })
}

extension EventCodec<Instant> {
  static let instant = Self(
    describe: { .instant }, write: { JSON.write($0.text, into: &$1) }, read: { $0.string.flatMap { Instant(text: $0) } })
}

extension EventCodec<Interval> {
  static let interval = Self(
    describe: { .text }, write: { JSON.write($0.text, into: &$1) }, read: { $0.string.flatMap { Interval(text: $0) } })
}

extension EventCodec<JSON> {
  static let json = Self(describe: { .json }, write: { $0.write(into: &$1) }, read: { $0 })
}

extension EventCodec<UInt8> {
  static let byte = Self(
    describe: { .byte }, write: { $1.append(contentsOf: String($0).utf8) },
    read: { $0.integer.flatMap { UInt8(exactly: $0) } })
}

extension EventCodec<Int64> {
  static let number = Self(
    describe: { .integer }, write: { $1.append(contentsOf: String($0).utf8) }, read: { $0.integer })

  /// The number of a record, written as its name, such as `click-12`.
  static func record(_ kind: RecordName.Kind) -> Self {
    Self(
      describe: { .record(kind) }, write: { JSON.write(kind.name($0), into: &$1) },
      read: { $0.string.flatMap(kind.number) })
  }
}

extension EventCodec where Value: RawRepresentable<String> & CaseIterable {
  static func word() -> Self {
    Self(
      describe: { .words(Value.allCases.map { $0.rawValue }) }, write: { JSON.write($0.rawValue, into: &$1) },
      read: { $0.string.flatMap { Value(rawValue: $0) } })
  }
}

extension EventCodec {
  static func list<Item>(of item: EventCodec<Item>) -> Self where Value == [Item] {
    Self(
      describe: { .list(item.describe()) },
      write: { items, bytes in
        bytes.append(UInt8(ascii: "["))
        for (index, value) in items.enumerated() {
          if index > 0 { bytes.append(UInt8(ascii: ",")) }
          item.write(value, &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
      },
      read: { json in
        guard case .array(let items) = json else { return nil }
        let values = items.compactMap(item.read)
        return values.count == items.count ? values : nil
      })
  }
}

extension EventCodec where Value: EventPart {
  private static var noKind: EventKind { EventKind("") }

  /// An object with members.
  static func object() -> Self {
    Self(
      describe: { .object("\(Value.self)") }, write: { $0.write(noKind, into: &$1) },
      read: { json in
        guard case .object(let members) = json else { return nil }
        var reader = EventMembers(reading: members, of: noKind)
        guard let value = try? Value(nil, &reader), (try? reader.finishReading()) != nil else { return nil }
        return value
      })
  }
}
