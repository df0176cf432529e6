import PCMCore

/// What a value of a scenario file may look like, said once: a value is checked by it, and the published JSON Schema is
/// made of it.
package indirect enum Shape: Sendable {
  /// Any value at all.
  case any
  case flag
  /// Only `true`: what is not so is left out.
  case yes
  case integer(ClosedRange<Int64>?)
  case text(TextFormat)
  case choice([String])
  case list(Shape, ClosedRange<Int>)
  /// Two durations, the first before the second.
  case window
  case object(ObjectShape)
  /// Names of one format, and a shape for all values.
  case map(TextFormat, Shape)
  /// Shapes that a value's kind tells apart. Objects among them are told apart by the first member of each.
  case oneOf([Shape])
  case nullable(Shape)
  /// A shape that the schema defines once, by this name.
  case named(String, Shape)

  static let text = Shape.text(.any)
  static let integer = Shape.integer(nil)

  /// The shape itself, without the name that the schema gives it.
  var unnamed: Shape {
    guard case .named(_, let shape) = self else { return self }
    return shape.unnamed
  }
}

/// An object with members that are known by name; others are refused.
package struct ObjectShape: Sendable {
  package struct Member: Sendable {
    let name: String
    let shape: Shape
    /// One sentence without its full stop.
    let description: String
    let isRequired: Bool
  }

  /// What members say about each other.
  package enum Rule: Hashable, Sendable {
    case atLeastOne([String])
    case atMostOne([String])
    /// Goes with no other member.
    case alone(String)
  }

  let description: String
  let members: [Member]
  let rules: [Rule]

  init(_ description: String, _ members: [Member], rules: [Rule] = []) {
    self.description = description
    self.members = members
    self.rules = rules
  }
}

extension ObjectShape.Member {
  static func required(_ name: String, _ shape: Shape, _ description: String) -> Self {
    Self(name: name, shape: shape, description: description, isRequired: true)
  }

  static func optional(_ name: String, _ shape: Shape, _ description: String) -> Self {
    Self(name: name, shape: shape, description: description, isRequired: false)
  }
}

extension Shape {
  /// The body of one of the control API's calls: its members and their kinds. Values are left to the API, so that a
  /// scenario can make a call that must be refused.
  static func body<Body: JSONBody>(_ type: Body.Type) -> Shape { Shape(Body.definition.description) }

  private init(_ body: BodyDescription) {
    let members = body.members.map { member in
      // A member that is null counts as absent.
      let shape = Shape(member.value.kind)
      return ObjectShape.Member(
        name: member.name, shape: member.isRequired ? shape : .nullable(shape), description: member.text,
        isRequired: member.isRequired)
    }
    self = .object(ObjectShape(body.text, members))
  }

  private init(_ kind: ValueDescription.Kind) {
    switch kind {
    case .text: self = .text
    case .flag: self = .flag
    case .integer: self = .integer
    case .number, .list: self = .any
    case .object(let body): self = Shape(body)
    }
  }
}
