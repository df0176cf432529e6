package import PCMCore

/// A member whose value does not have the expected form.
package struct WrongMember: Sendable {
  package let name: String
  package let value: JSON
  /// Whether the member is required.
  package let isRequired: Bool
  /// Returns whether the form accepts a value.
  package let accepts: @Sendable (JSON) -> Bool
}

/// Reads the members of a JSON object and collects their faults.
package struct MemberReader {
  package let members: [JSON.Member]
  /// The pointer of the object.
  package let pointer: String
  package private(set) var faults: [Fault] = []
  /// The names of members without a usable value: invalid members, and missing required members.
  private(set) var unusable: Set<String> = []
  /// The names of the members that were read, present or not.
  package private(set) var names: [String] = []
  package private(set) var wrong: [WrongMember] = []

  package init(_ members: [JSON.Member], at pointer: String = "") {
    self.members = members
    self.pointer = pointer
  }

  func has(_ name: String) -> Bool { members.contains { $0.name == name } }

  /// Adds a fault about a member.
  mutating func add(_ name: String, _ detail: String) {
    faults.append(Fault(pointer + "/" + JSONPointer.escaped(name), detail))
  }

  /// Reads a member that may be absent.
  mutating func optional<Value>(_ name: String, _ form: MemberForm<Value>) -> Value? {
    read(name, form, isRequired: false)
  }

  private mutating func read<Value>(_ name: String, _ form: MemberForm<Value>, isRequired: Bool) -> Value? {
    names.append(name)
    guard let member = members.first(where: { $0.name == name }) else { return nil }
    if let value = form.read(member.value) { return value }
    unusable.insert(name)
    wrong.append(WrongMember(name: name, value: member.value, isRequired: isRequired) { form.read($0) != nil })
    add(name, "\(name) is \(member.value.shown); it must be \(form.expected).")
    return nil
  }

  mutating func required<Value>(_ name: String, _ form: MemberForm<Value>) -> Value? {
    guard has(name) else {
      names.append(name)
      unusable.insert(name)
      add(name, "\(name) is missing; it must be \(form.expected).")
      return nil
    }
    return read(name, form, isRequired: true)
  }
}

extension JSON {
  /// The value with its type, for a description.
  fileprivate var shown: String {
    switch self {
    case .null: "null"
    case .bool(let flag): "\(flag)"
    case .number, .verbatim: "the number \(text.truncated(to: 40))"
    case .string(let text): "the string \(JSON.string(text.truncated(to: 60)).text)"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
