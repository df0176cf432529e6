/// The members of an object that were read, and their errors.
struct ObjectReading<Body: JSONBody> {
  private let definition: BodyDefinition<Body>
  /// Where the search for the next member begins: callers tend to write members in their order.
  private var next = 0
  /// The members with a value.
  var given = MemberSet()
  private var present = MemberSet()
  private var repeated = MemberSet()
  private var errors: [(index: Int, error: InputError)] = []
  private var unknown: Set<String> = []

  init(_ definition: BodyDefinition<Body>) {
    self.definition = definition
  }

  private var members: [BodyMember<Body>] { definition.members }

  mutating func index(of name: JSONText) -> Int? {
    if name.hasEscapes {
      return (try? name.decoded()).flatMap { text in members.firstIndex { $0.name.utf8.elementsEqual(text.utf8) } }
    }
    guard let found = definition.names.firstIndex(of: name.bytes, from: next) else { return nil }
    next = found + 1
    return found
  }

  /// Returns false for a duplicate member.
  mutating func begin(_ index: Int) -> Bool { present.insert(index) }

  mutating func add(_ found: some Sequence<InputError>, at index: Int) {
    let name = members[index].name
    errors += found.map { (index, $0.within(name)) }
  }

  /// Notes the error of a duplicate member, once for all duplicates.
  mutating func noteRepeated(_ index: Int) {
    guard repeated.insert(index) else { return }
    add([InputError([], "\(members[index].name) is given twice; give it once", .duplicateMember)], at: index)
  }

  mutating func addNull(_ index: Int) {
    given.insert(index)
    let member = members[index]
    let remedy = member.description.isRequired ? "it must be \(member.description.value.expected)" : "omit it instead"
    add([InputError([], "\(member.name) is null; \(remedy)", .wrongType)], at: index)
  }

  mutating func addUnknown(_ name: String) { unknown.insert(name) }

  /// Returns the errors of the object: errors of its members in order, of the rules between them, and of unknown members.
  func finish(_ body: Body) -> [InputError] {
    if errors.isEmpty, unknown.isEmpty, definition.required.isSubset(of: given) { return errors(with: body) }
    var all = errors
    for (index, member) in members.enumerated() where member.description.isRequired && !given.contains(index) {
      // The error of an invalid member was already added.
      let detail = "\(member.name) is missing; it must be \(member.description.value.expected)"
      all.append((index, InputError([member.name], detail, .missing)))
    }
    var found = all.enumerated().sorted { ($0.element.index, $0.offset) < ($1.element.index, $1.offset) }.map(\.element.error)
    if found.isEmpty { found = errors(with: body) }
    let names = members.map(\.name).sorted()
    let remedy = names.isEmpty ? "; the object has no members" : "; known are \(names.joined(separator: ", "))"
    return found
      + unknown.sorted().prefix(BodyError.limit).map { name in
        let hint = NearestName.hint(for: name, among: names)
        return InputError([name], "\(name) is not a member here\(hint.isEmpty ? remedy : hint)", .unknownMember)
      }
  }

  /// Returns the errors of the rules between members.
  private func errors(with body: Body) -> [InputError] {
    definition.rules.compactMap { rule in
      switch rule {
      case .exactlyOne(let names): exactlyOne(of: names)
      case .check(let check): check(body)
      }
    }
  }

  private func exactlyOne(of names: [String]) -> InputError? {
    let count = members.indices.count { given.contains($0) && names.contains(members[$0].name) }
    guard unknown.isEmpty, count != 1 else { return nil }
    let alternatives = names.dropLast().joined(separator: ", ") + " and " + names.suffix(1).joined()
    return InputError([], "give exactly one of \(alternatives)", count == 0 ? .missing : .conflictingMembers)
  }
}

/// A set of member indexes. A body has at most 64 members.
struct MemberSet: Sendable {
  private var bits: UInt64 = 0

  var count: Int { bits.nonzeroBitCount }

  func isSubset(of other: MemberSet) -> Bool { bits & ~other.bits == 0 }

  func contains(_ index: Int) -> Bool { bits & 1 << UInt64(index) != 0 }

  /// Returns false when the set already contains the index.
  @discardableResult
  mutating func insert(_ index: Int) -> Bool {
    guard !contains(index) else { return false }
    bits |= 1 << UInt64(index)
    return true
  }
}

/// The names of a body's members in UTF-8. The search is not generic: each operation on an array of generic members would
/// look up their type.
struct MemberNames: Sendable {
  private let names: [[UInt8]]

  init(_ names: [[UInt8]]) {
    self.names = names
  }

  /// Returns the index of a name. The search begins at `start` and wraps around.
  func firstIndex(of name: ArraySlice<UInt8>, from start: Int) -> Int? {
    for offset in names.indices {
      let index = start + offset < names.count ? start + offset : start + offset - names.count
      if names[index].count == name.count, name.elementsEqual(names[index]) { return index }
    }
    return nil
  }
}
