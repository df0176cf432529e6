/// A strict reader of one event: every member must be read by name and type.
struct EventReader {
  private let members: KeyedDecodingContainer<Name>
  private var unread: Set<String>

  init(_ decoder: any Decoder) throws {
    members = try decoder.container(keyedBy: Name.self)
    unread = Set(members.allKeys.map(\.stringValue))
  }

  /// Throws when a member was not read.
  func finish() throws {
    guard let name = unread.min() else { return }
    throw DecodingError.dataCorruptedError(forKey: Name(name), in: members, debugDescription: "unknown member")
  }

  mutating func text(_ name: String) throws -> String { try value(name) }

  /// Returns nil when the member is null or absent.
  mutating func optionalText(_ name: String) throws -> String? { try optional(name) }

  mutating func number<Value: FixedWidthInteger & Decodable>(_ name: String) throws -> Value { try value(name) }

  mutating func optionalNumber(_ name: String) throws -> Int64? { try optional(name) }

  mutating func flag(_ name: String) throws -> Bool { try value(name) }

  mutating func site(_ name: String) throws -> Site { Site(try value(name)) }

  mutating func optionalSite(_ name: String) throws -> Site? { try optionalText(name).map { Site($0) } }

  mutating func instant(_ name: String) throws -> Instant {
    try checked(name, try text(name), Instant.init(text:))
  }

  mutating func interval(_ name: String) throws -> Interval {
    try checked(name, try text(name), Interval.init(text:))
  }

  mutating func word<Value: RawRepresentable>(_ name: String) throws -> Value where Value.RawValue == String {
    try checked(name, try text(name), Value.init(rawValue:))
  }

  /// Returns nil when the member is null or absent.
  mutating func optionalWord<Value: RawRepresentable>(_ name: String) throws -> Value? where Value.RawValue == String {
    guard let text = try optionalText(name) else { return nil }
    return try checked(name, text, Value.init(rawValue:))
  }

  /// Returns the number in a name such as `click-12`.
  mutating func record(_ name: String, _ kind: RecordName.Kind) throws -> Int64 {
    try checked(name, try text(name), kind.number)
  }

  mutating func optionalRecord(_ name: String, _ kind: RecordName.Kind) throws -> Int64? {
    guard let text = try optionalText(name) else { return nil }
    return try checked(name, text, kind.number)
  }

  mutating func records(_ name: String, _ kind: RecordName.Kind) throws -> [Int64] {
    let names: [String] = try value(name)
    return try names.map { try checked(name, $0, kind.number) }
  }

  mutating func texts(_ name: String) throws -> [String] { try value(name) }

  mutating func reasons() throws -> [Reason] { try value("reasons") }

  mutating func omissions() throws -> [PostbackOmission] { try value("omissions") }

  mutating func decision() throws -> RecordedDecision? { try optional(EventWriter.decisionName) }

  mutating func logRetention() throws -> LogRetention { try value("logRetention") }

  mutating func json(_ name: String) throws -> JSON { try value(name) }

  /// Returns whether the event has a member with this name.
  func has(_ name: String) -> Bool { members.contains(Name(name)) }

  private mutating func value<Value: Decodable>(_ name: String) throws -> Value {
    unread.remove(name)
    return try members.decode(Value.self, forKey: Name(name))
  }

  private mutating func optional<Value: Decodable>(_ name: String) throws -> Value? {
    unread.remove(name)
    return try members.decodeIfPresent(Value.self, forKey: Name(name))
  }

  private func checked<Value>(_ name: String, _ text: String, _ read: (String) -> Value?) throws -> Value {
    guard let value = read(text) else { throw unexpected(name) }
    return value
  }

  /// Returns an error for a member with an invalid value.
  func unexpected(_ name: String) -> DecodingError {
    DecodingError.dataCorruptedError(forKey: Name(name), in: members, debugDescription: "unexpected value")
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { return nil }
  }
}

extension Reason: Decodable {
  private enum Key: String, CodingKey { case code, detail }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    self.init(try members.decode(String.self, forKey: .code), try members.decode(String.self, forKey: .detail))
  }
}
