import PCMCore

/// Checks a value against a shape and collects the errors.
struct ShapeCheck {
  /// The maximum number of reported errors.
  static let errorLimit = 100

  private(set) var errors: [ScenarioError] = []

  /// - Parameter pointer: The JSON pointer to the value.
  static func errors(of node: SourceNode, as shape: Shape, at pointer: String = "") -> [ScenarioError] {
    var check = ShapeCheck()
    check.check(node, shape, pointer)
    return check.errors
  }

  private mutating func check(_ node: SourceNode, _ shape: Shape, _ pointer: String) {
    guard errors.count < Self.errorLimit else { return }
    switch (shape, node.value) {
    case (.named(_, let shape), _): check(node, shape, pointer)
    case (.any, _), (.nullable, .null), (.flag, .bool), (.yes, .bool(true)): break
    case (.nullable(let shape), _): check(node, shape, pointer)
    case (.integer(let range), .number(let number)) where range?.contains(number) ?? true: break
    case (.number, _) where node.number != nil: break
    case (.share, _) where node.number.map((0...1).contains) == true: break
    case (.text(let format), .text(let text)) where format.accepts(text): break
    case (.choice(let choices), .text(let text)) where choices.contains(text): break
    case (.choice(let choices), .text(let text)):
      note("expected \(shape.expected), found \(node.shown)\(NearestName.hint(for: text, among: choices))", node.place, pointer)
    case (.list(let item, let counts), .list(let items)): check(items, item, counts, node.place, pointer)
    case (.window, .list(let ends)): checkWindow(ends, node, pointer)
    case (.object(let object), .object(let members)): check(members, object, node.place, pointer)
    case (.map(let format, let shape), .object(let members)):
      for member in members {
        let pointer = pointer + "/" + JSONPointer.escaped(member.name)
        if !format.accepts(member.name) {
          note("expected \(format.expected), found \(member.name.quoted)", member.namePlace, pointer)
        }
        check(member.node, shape, pointer)
      }
    case (.oneOf(let shapes), _):
      if let shape = Self.fitting(shapes, node) {
        check(node, shape, pointer)
      } else {
        note("expected \(shape.expected), found \(node.shown)", node.place, pointer, .wrongType)
      }
    default:
      note(
        "expected \(shape.expected), found \(node.shown)\(Self.quotes(for: node, shape))", node.place, pointer,
        Self.code(for: node, shape))
    }
  }

  private mutating func check(
    _ items: [SourceNode], _ item: Shape, _ counts: ClosedRange<Int>, _ place: SourcePlace, _ pointer: String
  ) {
    if !counts.contains(items.count) {
      let range = counts.upperBound == .max ? "at least \(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
      note("expected \(range) items, found \(items.count)", place, pointer, .outOfRange)
    }
    for (index, node) in items.prefix(counts.upperBound).enumerated() { check(node, item, "\(pointer)/\(index)") }
  }

  private mutating func checkWindow(_ ends: [SourceNode], _ node: SourceNode, _ pointer: String) {
    guard ends.count == 2 else { return note("expected \(Shape.window.expected), found \(node.shown)", node.place, pointer) }
    let times = ends.map { end in
      if case .text(let text) = end.value { Interval(text: text) } else { Interval?.none }
    }
    for (index, end) in ends.enumerated() where times[index] == nil { check(end, .text(.duration), "\(pointer)/\(index)") }
    if let earliest = times[0], let before = times[1], before <= earliest {
      note(
        "expected the second duration after the first; the window is half-open, so [PT1H, PT1H] is empty", node.place, pointer)
    }
  }

  private mutating func check(
    _ members: [SourceMember], _ object: ObjectShape, _ place: SourcePlace, _ pointer: String
  ) {
    let known = object.members.map(\.name)
    for member in members where errors.count < Self.errorLimit {
      let pointer = pointer + "/" + JSONPointer.escaped(member.name)
      if let shape = object.members.first(where: { $0.name.utf8.elementsEqual(member.name.utf8) })?.shape {
        check(member.node, shape, pointer)
      } else {
        let hint = NearestName.hint(for: member.name, among: known) + Self.indentation(of: member.name, members, object)
        let rest = known.isEmpty ? "no member" : known.joined(separator: ", ")
        // An expectation depends on the response, so its error names the members that exist.
        let expected = hint.isEmpty || pointer.contains("/expect/") ? rest : "a known member"
        note("expected \(expected), found \(member.name.quoted)\(hint)", member.namePlace, pointer, .unknownMember)
      }
    }
    let names = Set(members.map(\.name))
    for member in object.members where member.isRequired && !names.contains(member.name) {
      note("expected the member \(member.name): \(member.description)", place, pointer, .missing)
    }
    for rule in object.rules {
      if let (detail, name) = rule.breach(of: members.map(\.name)) {
        let place = members.first { $0.name == name }?.namePlace ?? place
        note(detail, place, pointer, name == nil ? .missing : .conflictingMembers)
      }
    }
  }

  private static func code(for node: SourceNode, _ shape: Shape) -> InputError.Code {
    switch (shape.unnamed, node.value) {
    case (.integer, .number), (.share, .number), (.share, .decimal): .outOfRange
    case (.text, .text), (.yes, .bool): .invalidValue
    default: .wrongType
    }
  }

  /// Advice about quotes: YAML parses `1` as a number, `true` as a Boolean, and `"1"` as a string.
  private static func quotes(for node: SourceNode, _ shape: Shape) -> String {
    switch (shape.unnamed, node.value) {
    case (.text(let format), .number), (.text(let format), .bool):
      format.accepts(node.shown) ? "; enclose it in quotes: \(node.shown.quoted)" : ""
    case (.integer(let range), .text(let text)):
      Int64(text).map { "\($0)" == text && range?.contains($0) ?? true } == true ? "; remove the quotes" : ""
    case (.flag, .text("true")), (.flag, .text("false")): "; remove the quotes"
    case (.number, .text(let text)) where Double(text) != nil: "; remove the quotes"
    case (.share, _): node.shareAdvice
    default: ""
    }
  }

  private mutating func note(
    _ detail: String, _ place: SourcePlace, _ pointer: String, _ code: InputError.Code = .invalidValue
  ) {
    if errors.count < Self.errorLimit { errors.append(ScenarioError(detail, at: place, pointer: pointer, code: code)) }
  }

  /// Advice about a member on the level of the object to which it belongs, which is then null.
  private static func indentation(of name: String, _ members: [SourceMember], _ object: ObjectShape) -> String {
    let parent = members.first { member in
      guard member.node.value == .null,
        case .object(let inner)? = object.members.first(where: { $0.name == member.name })?.shape
      else { return false }
      return inner.members.contains { $0.name == name }
    }
    return parent.map { "; indent it below \($0.name)" } ?? ""
  }

  /// Returns the shape that matches the kind of the value. Among objects, the first member determines the shape.
  private static func fitting(_ shapes: [Shape], _ node: SourceNode) -> Shape? {
    let candidates = shapes.filter { $0.takes(node) }
    guard candidates.count > 1 else { return candidates.first }
    return candidates.first { shape in
      guard case .object(let object) = shape.unnamed, let leading = object.members.first else { return true }
      return node[leading.name] != nil
    }
  }
}

extension ObjectShape.Rule {
  /// Returns the error in the members, and the member that causes it.
  fileprivate func breach(of names: [String]) -> (detail: String, name: String?)? {
    switch self {
    case .atLeastOne(let some):
      guard !names.contains(where: some.contains) else { return nil }
      return ("expected at least one of \(some.joined(separator: ", "))", nil)
    case .atMostOne(let some):
      let found = names.filter(some.contains)
      guard found.count > 1 else { return nil }
      return ("expected at most one of \(some.joined(separator: ", ")), found \(found.joined(separator: " and "))", found[1])
    case .alone(let name):
      guard names.contains(name), names.count > 1 else { return nil }
      return ("expected \(name) without other members", name)
    }
  }
}
