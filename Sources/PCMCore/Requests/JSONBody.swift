/// The body of a request: a JSON object whose members are described once.
///
/// The service reads bodies by this description, scenarios check their steps by it, the Swift client writes bodies with it,
/// and the request schemas of `openapi.json` and `scenario.schema.json` are recorded from it.
package protocol JSONBody: Hashable, Sendable {
  /// A body with the values of absent members. The value of a required member is never seen: without it, reading fails.
  init()

  static var definition: BodyDefinition<Self> { get }
}

/// The members of a body, and what they must have in common.
package struct BodyDefinition<Body: JSONBody>: Sendable {
  package let description: BodyDescription
  let members: [BodyMember<Body>]
  let required: MemberSet
  let rules: [BodyRule<Body>]

  /// - Parameter text: What the request says, in whole sentences.
  package init(_ text: String, _ members: [BodyMember<Body>], rules: [BodyRule<Body>] = []) {
    description = BodyDescription(text: text, members: members.map(\.description))
    self.members = members
    self.rules = rules
    required = members.indices.filter { members[$0].description.isRequired }.reduce(into: MemberSet()) { $0.insert($1) }
  }
}

/// What documents say of a body.
package struct BodyDescription: Sendable {
  package let text: String
  package let members: [Member]

  package struct Member: Sendable {
    package let name: String
    package let value: ValueDescription
    package let isRequired: Bool
    /// One sentence without its full stop.
    package let text: String
  }
}

/// One member: its name, the property that it fills, and how its value is read and written.
///
/// A class, because each body that is read looks at all members: a copy would retain each closure and each text.
package final class BodyMember<Body: JSONBody>: Sendable {
  let description: BodyDescription.Member
  let nameBytes: [UInt8]
  /// Reads the value into the body; false when it is of another kind.
  let read: @Sendable (inout BodyReader, inout Body) throws(MalformedJSON) -> Bool
  /// Nil when the member is absent.
  let json: @Sendable (Body) -> JSON?

  var name: String { description.name }

  /// A member that must be given and not be null.
  package static func required<Value: Sendable>(
    _ name: String, _ property: any WritableKeyPath<Body, Value> & Sendable, _ value: BodyValue<Value>, _ text: String
  ) -> BodyMember {
    BodyMember(name, property, value, text, isRequired: true)
  }

  /// A member whose property has a value when it is absent or null.
  package static func defaulted<Value: Sendable>(
    _ name: String, _ property: any WritableKeyPath<Body, Value> & Sendable, _ value: BodyValue<Value>, _ text: String
  ) -> BodyMember {
    BodyMember(name, property, value, text, isRequired: false)
  }

  /// A member whose property is nil when it is absent or null.
  package static func optional<Value: Sendable>(
    _ name: String, _ property: any WritableKeyPath<Body, Value?> & Sendable, _ value: BodyValue<Value>, _ text: String
  ) -> BodyMember {
    BodyMember(
      description: .init(name: name, value: value.description, isRequired: false, text: text), nameBytes: Array(name.utf8),
      read: { (reader, body) throws(MalformedJSON) in
        guard let value = try value.read(&reader) else { return false }
        body[keyPath: property] = value
        return true
      }, json: { $0[keyPath: property].map(value.json) })
  }

  private convenience init<Value: Sendable>(
    _ name: String, _ property: any WritableKeyPath<Body, Value> & Sendable, _ value: BodyValue<Value>, _ text: String,
    isRequired: Bool
  ) {
    self.init(
      description: .init(name: name, value: value.description, isRequired: isRequired, text: text),
      nameBytes: Array(name.utf8),
      read: { (reader, body) throws(MalformedJSON) in
        guard let value = try value.read(&reader) else { return false }
        body[keyPath: property] = value
        return true
      }, json: { value.json($0[keyPath: property]) })
  }

  private init(
    description: BodyDescription.Member, nameBytes: [UInt8],
    read: @escaping @Sendable (inout BodyReader, inout Body) throws(MalformedJSON) -> Bool,
    json: @escaping @Sendable (Body) -> JSON?
  ) {
    self.description = description
    self.nameBytes = nameBytes
    self.read = read
    self.json = json
  }
}

/// What members must have in common. Checked when each member that is given is valid.
package enum BodyRule<Body: JSONBody>: Sendable {
  /// Exactly one member is given.
  case exactlyOne
  /// Returns what is wrong.
  case check(@Sendable (Body) -> InputError?)
}

extension JSONBody {
  /// The body as the service reads it. A member that is nil is left out.
  package var json: JSON {
    .object(Self.definition.members.compactMap { member in member.json(self).map { JSON.Member(member.name, $0) } })
  }
}
