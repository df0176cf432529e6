/// A reader of untrusted bytes with properties that hold for all bytes.
///
/// `scripts/fuzz` searches for bytes that break a property, and `CorpusTests` checks the bytes that earlier searches found
/// interesting.
struct FuzzTarget: Sendable {
  /// The argument of `scripts/fuzz`, and the name of the corpus in `Fixtures/fuzz`.
  let name: String
  /// Returns whether the reader accepts the bytes. Throws a ``BrokenProperty``.
  let read: @Sendable (_ bytes: [UInt8]) throws -> Bool

  init(_ name: String, _ read: @escaping @Sendable (_ bytes: [UInt8]) throws -> Bool) {
    self.name = name
    self.read = read
  }

  static let all: [FuzzTarget] = [
    .cursor, .httpHead, .infoPlist, .infoPlistJSON, .json, .jws, .linkAttributes, .location, .publicKey, .requestBody,
    .scenario, .setCookie, .signedItem, .spki, .triggerURL, .url,
  ]
}

/// A property that does not hold.
struct BrokenProperty: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

func check(_ holds: Bool, _ property: @autoclosure () -> String) throws(BrokenProperty) {
  guard holds else { throw BrokenProperty(property()) }
}

/// Throws unless two results are equal.
func checkEqual<Value: Equatable>(
  _ first: Value, _ second: Value, _ property: @autoclosure () -> String
) throws(BrokenProperty) {
  guard first == second else { throw BrokenProperty("\(property()): \(first) and \(second)") }
}

/// Returns the result of a call that must not throw.
func required<Value>(
  _ property: @autoclosure () -> String, _ call: () throws -> Value
) throws(BrokenProperty) -> Value {
  do {
    return try call()
  } catch {
    throw BrokenProperty("\(property()): \(error)")
  }
}

/// The UTF-8 text of an input, or nil for invalid text.
func text(_ bytes: some Sequence<UInt8>) -> String? {
  String(validating: Array(bytes), as: UTF8.self)
}
