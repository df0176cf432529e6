package import PCMCore

/// The allowed values of a part of a scenario file. The same shape checks values and generates the published JSON Schema.
package indirect enum Shape: Sendable {
  /// Any value.
  case any
  case flag
  /// Only `true`. Otherwise, the member is absent.
  case yes
  case integer(ClosedRange<Int64>?)
  /// A number that may have a fraction.
  case number
  /// A number from 0 to 1.
  case share
  case text(TextFormat)
  case choice([String])
  case list(Shape, ClosedRange<Int>)
  /// Two durations, the first before the second.
  case window
  case object(ObjectShape)
  /// Names of a format, and a shape for all values.
  case map(TextFormat, Shape)
  /// Alternatives that differ in their kind. Alternative objects differ in their first member.
  case oneOf([Shape])
  case nullable(Shape)
  /// A shape that the schema defines once under this name.
  case named(String, Shape)

  package static let text = Shape.text(.any)
  package static let integer = Shape.integer(nil)

  /// Reads a file in which numbers may have a fraction and names may be numbers, or throws the errors with their places.
  package func read(_ file: [UInt8], as format: SourceFormat) throws(ScenarioErrors) -> SourceNode {
    let node = try SourceNode.read(SourceText(file, as: format), hasFractions: true)
    let errors = ShapeCheck.errors(of: node, as: self)
    guard errors.isEmpty else { throw ScenarioErrors(errors) }
    return node
  }

  /// The shape without its name in the schema.
  var unnamed: Shape {
    guard case .named(_, let shape) = self else { return self }
    return shape.unnamed
  }
}

/// An object with known members. Other members are errors.
package struct ObjectShape: Sendable {
  package struct Member: Sendable {
    let name: String
    let shape: Shape
    /// A sentence without a period.
    let description: String
    let isRequired: Bool
  }

  /// A rule about the combination of members.
  package enum Rule: Hashable, Sendable {
    case atLeastOne([String])
    case atMostOne([String])
    /// The member excludes all others.
    case alone(String)
  }

  let description: String
  let members: [Member]
  let rules: [Rule]

  package init(_ description: String, _ members: [Member], rules: [Rule] = []) {
    self.description = description
    self.members = members
    self.rules = rules
  }
}

extension ObjectShape.Member {
  package static func required(_ name: String, _ shape: Shape, _ description: String) -> Self {
    Self(name: name, shape: shape, description: description, isRequired: true)
  }

  package static func optional(_ name: String, _ shape: Shape, _ description: String) -> Self {
    Self(name: name, shape: shape, description: description, isRequired: false)
  }
}

extension Shape {
  /// Returns the shape of the body of an API call: its members and their kinds. The API checks values, so that a scenario
  /// can make an invalid call.
  package static func body<Body: JSONBody>(_ type: Body.Type) -> Shape { Shape(Body.definition.description) }

  private init(_ body: BodyDescription) {
    let members = body.members.map { member in
      // A null member counts as absent.
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
