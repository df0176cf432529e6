internal import PCMCore

/// Stored state of the device that cannot be read.
package struct UnreadableState: Error, Hashable, Sendable {
  /// The name of the member that is missing or has another form.
  package let member: String
}

/// Reads the members of stored state by name and type. A member that is null counts as absent.
struct StateReader {
  let json: JSON

  func optional<Value>(_ name: String, _ read: (JSON) -> Value?) throws(UnreadableState) -> Value? {
    guard let member = json[name], member != .null else { return nil }
    guard let value = read(member) else { throw UnreadableState(member: name) }
    return value
  }

  func required<Value>(_ name: String, _ read: (JSON) -> Value?) throws(UnreadableState) -> Value {
    guard let value = try optional(name, read) else { throw UnreadableState(member: name) }
    return value
  }

  func text(_ name: String) throws(UnreadableState) -> String { try required(name) { $0.string } }
  func optionalText(_ name: String) throws(UnreadableState) -> String? { try optional(name) { $0.string } }
  func number(_ name: String) throws(UnreadableState) -> Int64 { try required(name) { $0.integer } }
  func optionalNumber(_ name: String) throws(UnreadableState) -> Int64? { try optional(name) { $0.integer } }
  func flag(_ name: String) throws(UnreadableState) -> Bool { try required(name) { $0.flag } }
  func optionalFlag(_ name: String) throws(UnreadableState) -> Bool? { try optional(name) { $0.flag } }
  func instant(_ name: String) throws(UnreadableState) -> Instant { Instant(milliseconds: try number(name)) }
  func interval(_ name: String) throws(UnreadableState) -> Interval { Interval(milliseconds: try number(name)) }

  func optionalInstant(_ name: String) throws(UnreadableState) -> Instant? {
    try optionalNumber(name).map { Instant(milliseconds: $0) }
  }

  func word<Value: RawRepresentable<String>>(_ name: String) throws(UnreadableState) -> Value {
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
