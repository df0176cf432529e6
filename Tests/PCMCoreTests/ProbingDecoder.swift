import PCMCore

/// A decoder of events that contains every member that an event reads, and notes the reads.
final class ProbingDecoder: Decoder {
  /// What the decoder contains.
  struct Content {
    /// The texts of members, and of the items of arrays. Other members have a text of no format.
    var texts: [String: String] = [:]
    /// Whether members exist, for events that ask.
    var presence: [String: Bool] = [:]
    /// Whether the members exist that may be null or absent.
    var hasOptionals = true
  }

  struct Read: Equatable {
    let name: String
    let type: ObjectIdentifier
  }

  /// A type of values that no event has had so far.
  struct UnknownType: Error {
    let type: String
  }

  static let plainText = "?"

  let content: Content
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private(set) var reads: [Read] = []
  /// The first member that the event asked about, if the content does not decide whether it exists.
  private(set) var undecided: String?
  private(set) var readsDecision = false

  init(_ content: Content) {
    self.content = content
  }

  func container<Key>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Members(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw UnknownType(type: "array") }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw UnknownType(type: "value") }

  fileprivate func contains(_ name: String) -> Bool {
    if content.presence[name] == nil, undecided == nil { undecided = name }
    return content.presence[name] ?? false
  }

  fileprivate func value<Value>(_ name: String, _ type: Value.Type) throws -> Value {
    let text = content.texts[name] ?? Self.plainText
    let values: [Any] = [
      text, [text], UInt8(1), Int64(1), true, [Reason("a-code", "a text")], LogRetention(), JSON.array([]),
      [PostbackOmission(.source, Reason("a-code", "a text"), change: "a text")],
    ]
    guard let value = values.lazy.compactMap({ $0 as? Value }).first else { throw UnknownType(type: "\(type)") }
    reads.append(Read(name: name, type: ObjectIdentifier(type)))
    return value
  }

  /// Events are described without their decisions, which responses show in another form.
  fileprivate func optional<Value>(_ name: String, _ type: Value.Type) throws -> Value? {
    if type == RecordedDecision.self {
      readsDecision = true
      return nil
    }
    let value = try value(name, type)
    return content.hasOptionals ? value : nil
  }
}

/// Events read generically; the other requirements have the same answer.
private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ProbingDecoder
  let codingPath: [any CodingKey] = []
  let allKeys: [Key] = []

  func contains(_ key: Key) -> Bool { decoder.contains(key.stringValue) }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder.value(key.stringValue, type) }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try decoder.optional(key.stringValue, type)
  }

  func decodeNil(forKey key: Key) throws -> Bool { throw unknown("null") }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder.value(key.stringValue, type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder.value(key.stringValue, type) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder.value(key.stringValue, type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder.value(key.stringValue, type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder.value(key.stringValue, type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder.value(key.stringValue, type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decoder.value(key.stringValue, type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decoder.value(key.stringValue, type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder.value(key.stringValue, type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder.value(key.stringValue, type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decoder.value(key.stringValue, type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decoder.value(key.stringValue, type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decoder.value(key.stringValue, type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decoder.value(key.stringValue, type) }

  func nestedContainer<Name>(keyedBy type: Name.Type, forKey key: Key) throws -> KeyedDecodingContainer<Name> {
    throw unknown("object")
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw unknown("array") }
  func superDecoder() throws -> any Decoder { throw unknown("object") }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw unknown("object") }

  private func unknown(_ type: String) -> ProbingDecoder.UnknownType { ProbingDecoder.UnknownType(type: type) }
}
