internal import PCMCore

/// Reads the members of a JSON object and collects what is wrong with them.
struct MemberReader {
  let members: [JSON.Member]
  /// The pointer of the object.
  let pointer: String
  private(set) var faults: [Fault] = []
  /// The names of members without a usable value: wrong ones, and required ones that are missing.
  private(set) var unusable: Set<String> = []
  /// The names of the members that were read, present or not.
  private(set) var names: [String] = []
  /// What was most likely meant by wrong values.
  private(set) var repairs: [MemberRepair] = []

  init(_ members: [JSON.Member], at pointer: String = "") {
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
    if let repair = form.repair(member.value, of: name, isRequired: isRequired) { repairs.append(repair) }
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
  /// The value with its type, for a fault.
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
