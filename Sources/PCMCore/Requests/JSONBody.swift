/// The body of a request: a JSON object whose members are described once.
///
/// The service reads bodies with this description, scenarios check their steps with it, the Swift client writes bodies with
/// it, and the request schemas of `openapi.json` and `scenario.schema.json` are recorded from it.
package protocol JSONBody: Hashable, Sendable {
  /// Creates a body with the values of absent members. The value of a required member is never used: reading fails without
  /// it.
  init()

  static var definition: BodyDefinition<Self> { get }

  // The compiler specializes this for each body.
  init(json bytes: [UInt8]) throws(BodyError)
}

/// The members of a body and the rules between them.
package struct BodyDefinition<Body: JSONBody>: Sendable {
  package let description: BodyDescription
  let members: [BodyMember<Body>]
  let names: MemberNames
  let required: MemberSet
  let rules: [BodyRule<Body>]

  /// - Parameter text: The description of the request in complete sentences.
  package init(_ text: String, _ members: [BodyMember<Body>], rules: [BodyRule<Body>] = []) {
    description = BodyDescription(text: text, members: members.map(\.description))
    self.members = members
    names = MemberNames(members.map { Array($0.name.utf8) })
    self.rules = rules
    required = members.indices.filter { members[$0].description.isRequired }.reduce(into: MemberSet()) { $0.insert($1) }
  }
}

/// The description of a body in documents.
package struct BodyDescription: Sendable {
  package let text: String
  package let members: [Member]

  package struct Member: Sendable {
    package let name: String
    package let value: ValueDescription
    package let isRequired: Bool
    /// One sentence without a period.
    package let text: String
  }
}

/// One member: its name, its property, and the codec of its value.
///
/// A class, because reading a body visits all its members, and a copy would retain each closure and each string.
package final class BodyMember<Body: JSONBody>: Sendable {
  let description: BodyDescription.Member
  /// Reads the value into the body. Returns false for a value of another kind.
  let read: @Sendable (inout BodyReader, inout Body) throws(MalformedJSON) -> Bool
  /// Returns the value as JSON, or nil when the member is absent.
  let json: @Sendable (Body) -> JSON?
  /// Removes the user information of URLs from the value; nil for a kind of value without text.
  let removeUserInformation: (@Sendable (inout Body) -> Void)?

  var name: String { description.name }

  /// A member that must be present.
  package static func required<Value: Sendable>(
    _ name: String, _ property: any WritableKeyPath<Body, Value> & Sendable, _ value: BodyValue<Value>, _ text: String
  ) -> BodyMember {
    BodyMember(name, property, value, text, isRequired: true)
  }

  /// A member whose property has a value when it is absent.
  package static func defaulted<Value: Sendable>(
    _ name: String, _ property: any WritableKeyPath<Body, Value> & Sendable, _ value: BodyValue<Value>, _ text: String
  ) -> BodyMember {
    BodyMember(name, property, value, text, isRequired: false)
  }

  /// A member whose property is nil when it is absent.
  package static func optional<Value: Sendable>(
    _ name: String, _ property: any WritableKeyPath<Body, Value?> & Sendable, _ value: BodyValue<Value>, _ text: String
  ) -> BodyMember {
    BodyMember(
      description: .init(name: name, value: value.description, isRequired: false, text: text),
      read: { (reader, body) throws(MalformedJSON) in
        guard let value = try value.read(&reader) else { return false }
        body[keyPath: property] = value
        return true
      }, json: { $0[keyPath: property].map(value.json) },
      removeUserInformation: removal(from: Value.self) { body in
        guard let value = body[keyPath: property] else { return }
        body[keyPath: property] = withoutUserInformation(value, in: name)
      })
  }

  private convenience init<Value: Sendable>(
    _ name: String, _ property: any WritableKeyPath<Body, Value> & Sendable, _ value: BodyValue<Value>, _ text: String,
    isRequired: Bool
  ) {
    self.init(
      description: .init(name: name, value: value.description, isRequired: isRequired, text: text),
      read: { (reader, body) throws(MalformedJSON) in
        guard let value = try value.read(&reader) else { return false }
        body[keyPath: property] = value
        return true
      }, json: { value.json($0[keyPath: property]) },
      removeUserInformation: removal(from: Value.self) { body in
        body[keyPath: property] = withoutUserInformation(body[keyPath: property], in: name)
      })
  }

  private init(
    description: BodyDescription.Member,
    read: @escaping @Sendable (inout BodyReader, inout Body) throws(MalformedJSON) -> Bool,
    json: @escaping @Sendable (Body) -> JSON?, removeUserInformation: (@Sendable (inout Body) -> Void)?
  ) {
    self.description = description
    self.read = read
    self.json = json
    self.removeUserInformation = removeUserInformation
  }
}

/// Returns the function if values of the type can contain user information. Each request calls it, and this check is slow.
private func removal<Value, Body>(
  from type: Value.Type, _ remove: @escaping @Sendable (inout Body) -> Void
) -> (@Sendable (inout Body) -> Void)? {
  type == String.self || type == [JSON].self || type is any JSONBody.Type ? remove : nil
}

/// Returns the value of a member without user information: a text, objects of any members, or an object with texts.
private func withoutUserInformation<Value>(_ value: Value, in member: String) -> Value {
  if let items = value as? [JSON] { return items.map(\.withoutUserInformation) as? Value ?? value }
  if let text = value as? String { return text.withoutUserInformation(in: member) as? Value ?? value }
  if let body = value as? any JSONBody { return body.withoutUserInformation as? Value ?? value }
  return value
}

/// A rule between members. It is checked when all present members are valid.
package enum BodyRule<Body: JSONBody>: Sendable {
  /// Exactly one of these members is present.
  case exactlyOne(of: [String])
  /// A check that returns an error, or nil.
  case check(@Sendable (Body) -> InputError?)
}

extension JSONBody {
  /// Whether the body can be absent where it is the body of an operation: no member is required, and no rule applies.
  package static var isOptional: Bool { definition.required.count == 0 && definition.rules.isEmpty }

  /// The body as the service reads it, without nil members.
  package var json: JSON {
    .object(Self.definition.members.compactMap { member in member.json(self).map { JSON.Member(member.name, $0) } })
  }
}
