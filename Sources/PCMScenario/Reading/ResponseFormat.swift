import COpenAPI
import PCMCore

/// The members of the API's responses and events, from the OpenAPI document that the service publishes.
struct ResponseFormat: Sendable {
  fileprivate let document: JSON

  /// The deepest nesting of the document's schemas that is followed.
  private static let maximumDepth = 32

  /// The format of the API of this version.
  static let current = ResponseFormat(
    document: JSON(
      parsing: Array(UnsafeRawBufferPointer(start: pcm_openapi_document_bytes(), count: pcm_openapi_document_length)))
      ?? .null)

  /// Returns the shape of the response to a call; nil for a response without a body, and for an unknown response.
  ///
  /// - Parameter status: The expected status; nil for any successful status.
  func response(to call: ScenarioStage.Call, status: Int64?) -> Shape? {
    guard let responses = operation(call)?["responses"] else { return nil }
    let expected = responses.members.filter { response in
      if let status { response.name == "\(status)" } else { response.name.hasPrefix("2") }
    }
    let shapes = expected.compactMap { schema(of: resolved($0.value)).map { shape($0) } }
    return shapes.dropFirst().reduce(shapes.first) { $0?.merged(with: $1) }
  }

  /// Returns the shape of an event's detail; nil for an unknown kind.
  func detail(of kind: String) -> Shape? {
    let events = component("Event")["oneOf"]?.items.map(resolved) ?? []
    let event = events.first { ($0["properties"]?["kind"] ?? .null)["const"]?.string == kind }
    return (event?["properties"]?["detail"]).map { shape($0) }
  }

  /// Returns the shape of a list with items of a component.
  func list(of component: String) -> Shape { .list(shape(self.component(component)), 0...Int.max) }

  private func operation(_ call: ScenarioStage.Call) -> JSON? {
    let parts = call.path.prefix { $0 != "?" }.split(separator: "/")
    let path = document["paths"]?.members.first { path in
      let known = path.name.split(separator: "/")
      return known.count == parts.count && zip(known, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
    return path?.value[call.method.lowercased()]
  }

  private func schema(of response: JSON) -> JSON? {
    response["content"]?.members.first { $0.name.hasSuffix("json") }?.value["schema"]
  }

  private func component(_ name: String) -> JSON { document["components"]?["schemas"]?[name] ?? .null }

  /// Returns the value that a local reference names, or the value itself.
  private func resolved(_ value: JSON) -> JSON {
    guard let reference = value["$ref"]?.string else { return value }
    return reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? .null }
  }

  /// Returns the shape of a schema: the members of its objects. Any other value is allowed.
  private func shape(_ schema: JSON, depth: Int = 0) -> Shape {
    guard depth < Self.maximumDepth else { return .any }
    let schema = resolved(schema)
    let alternatives = ["anyOf", "oneOf"].flatMap { schema[$0]?.items ?? [] }.filter { $0["type"]?.string != "null" }
    if let first = alternatives.first {
      return alternatives.dropFirst().reduce(shape(first, depth: depth + 1)) {
        $0.merged(with: shape($1, depth: depth + 1))
      }
    }
    if let item = schema["items"] { return .list(shape(item, depth: depth + 1), 0...Int.max) }
    guard let properties = schema["properties"]?.members, schema["additionalProperties"] ?? .bool(false) == .bool(false) else {
      return .any
    }
    return .object(
      ObjectShape(
        schema["description"]?.string ?? "",
        properties.map { .optional($0.name, .nullable(shape($0.value, depth: depth + 1)), "As in the API") }))
  }
}

extension Shape {
  /// Returns a shape with the members of both objects, or any value if one is no object.
  fileprivate func merged(with other: Shape) -> Shape {
    switch (self, other) {
    case (.nullable(let one), .nullable(let other)): return .nullable(one.merged(with: other))
    case (.list(let one, let counts), .list(let other, _)): return .list(one.merged(with: other), counts)
    case (.object(let one), .object(let other)):
      let common = one.members.map { member in
        guard let same = other.members.first(where: { $0.name == member.name }) else { return member }
        return .optional(member.name, member.shape.merged(with: same.shape), member.description)
      }
      let names = Set(one.members.map(\.name))
      return .object(ObjectShape(one.description, common + other.members.filter { !names.contains($0.name) }))
    default: return .any
    }
  }
}

/// The shapes that the steps of a file have used. The shape of a response is costly to build, and steps repeat their calls.
struct ResponseShapes {
  private var known: [String: Shape?] = [:]

  mutating func response(to call: ScenarioStage.Call, status: Int64?) -> Shape? {
    shape("\(call.method) \(call.path) \(status.map(String.init) ?? "")") { $0.response(to: call, status: status) }
  }

  mutating func detail(of kind: String) -> Shape? { shape(kind) { $0.detail(of: kind) } }

  mutating func list(of component: String) -> Shape? { shape("list of \(component)") { $0.list(of: component) } }

  private mutating func shape(_ key: String, _ make: (ResponseFormat) -> Shape?) -> Shape? {
    if let shape = known[key] { return shape }
    let shape = make(.current)
    known.updateValue(shape, forKey: key)
    return shape
  }
}

extension SourceNode {
  /// Returns the errors of a step's expectation: members that a response, an event, or another record of the API never has.
  ///
  /// - Parameters:
  ///   - call: The call whose response the step expects; nil for none.
  ///   - pointer: The JSON pointer to the expectation.
  ///   - shapes: The shapes that earlier steps of the file have used.
  func unknownMembers(
    after call: ScenarioStage.Call?, at pointer: String, _ shapes: inout ResponseShapes
  ) -> [ScenarioError] {
    var parts: [(SourceNode, Shape?, String)] = []
    if let answer = self["answer"], let call {
      let status: Int64? = if case .number(let number)? = self["status"]?.value { number } else { nil }
      parts.append((answer, shapes.response(to: call, status: status), "\(pointer)/answer"))
    }
    for (index, item) in (self["events"]?.items ?? []).enumerated() {
      let place = "\(pointer)/events/\(index)"
      let events = item.items.isEmpty ? [(item, place)] : item.items.enumerated().map { ($1, "\(place)/\($0)") }
      for (event, place) in events {
        guard let detail = event["detail"], let kind = event["kind"]?.text else { continue }
        parts.append((detail, shapes.detail(of: kind), "\(place)/detail"))
      }
    }
    for (list, member, component) in [
      ("reports", "attempts", "Attempt"), ("postbacks", "attempts", "Attempt"), ("installs", "conversions", "Conversion"),
    ] {
      for (index, item) in (self[list]?.items ?? []).enumerated() {
        guard let node = item[member] else { continue }
        parts.append((node, shapes.list(of: component), "\(pointer)/\(list)/\(index)/\(member)"))
      }
    }
    return parts.flatMap { node, shape, place in
      shape.map { ShapeCheck.errors(of: node, as: .nullable($0), at: place) } ?? []
    }
  }
}
