import Foundation
import PCMCore
import Testing

/// The request bodies in `openapi.json` are recorded from their descriptions.
@Suite struct RequestSchemaTests {
  private static let file = URL(filePath: #filePath).appending(path: "../../../Sources/COpenAPI/openapi.json").standardized

  private static let bodies: [(name: String, body: BodyDescription)] = [
    ("EventAttribution", EventAttributionInput.definition.description), ("LinkClick", LinkClickInput.definition.description),
    ("TriggeringEvent", TriggeringEventInput.definition.description),
    ("Redirect", TriggeringEventInput.Redirect.definition.description), ("Load", LoadInput.definition.description),
    ("BrowserSpecification", BrowserSpecification.definition.description),
    ("BrowserChange", BrowserChange.definition.description), ("SettingsChange", SettingsChange.definition.description),
    ("NetworkSpecification", NetworkSpecification.definition.description),
    ("Expectation", ExpectationInput.definition.description), ("ExpectedReport", ExpectedReport.definition.description),
    ("ForkSpecification", ForkSpecification.definition.description),
  ]

  @Test("The document contains the recorded schemas of the bodies")
  func recorded() throws {
    var document = try String(contentsOf: Self.file, encoding: .utf8)
    if ProcessInfo.processInfo.environment["PCM_RECORD"] == "1" {
      for (name, body) in Self.bodies { document = try Self.replacing(name, with: Self.schema(body), in: document) }
      try document.write(to: Self.file, atomically: true, encoding: .utf8)
    }
    let schemas = try Self.schemas(document)
    for (name, body) in Self.bodies {
      #expect(
        Self.sorted(Self.schema(body)) == (try #require(schemas[name])),
        "if the change of \(name) is intended, run PCM_RECORD=1 swift test --filter SchemaTests")
    }
  }

  /// Their variants are written by hand; the members are compared.
  @Test(
    "The variants of a body have the described members",
    arguments: [
      ("ClockAdvance", ClockAdvance.definition.description), ("ClockSpecification", ClockSpecification.definition.description),
    ])
  func variants(_ name: String, _ body: BodyDescription) throws {
    let schema = try #require(try Self.schemas(String(contentsOf: Self.file, encoding: .utf8))[name])
    #expect(schema.member("description") == .string(body.text))
    let variants = try #require(schema.member("oneOf")?.items)
    for variant in variants {
      for member in try #require(variant.member("properties")?.members) {
        let described = try #require(body.members.first { $0.name == member.name })
        #expect(member.value.member("type") == described.value.type, "\(name) \(member.name)")
      }
    }
    for member in body.members {
      let isDescribed = variants.contains { $0.member("properties")?.member(member.name) != nil }
      #expect(isDescribed, "\(name) has \(member.name) in some variant")
    }
  }

  private static func schema(_ body: BodyDescription) -> JSON {
    let required = body.members.filter(\.isRequired).map { JSON.string($0.name) }
    let properties = body.members.map { JSON.Member($0.name, schema($0)) }
    return .object(
      [.init("type", "object"), .init("description", .string(body.text))]
        + (required.isEmpty ? [] : [.init("required", .array(required))])
        + [.init("properties", .object(properties)), .init("additionalProperties", .bool(false))])
  }

  private static func schema(_ member: BodyDescription.Member) -> JSON {
    let description = JSON.Member("description", .string(member.text + "."))
    if let component = member.value.component {
      let reference = JSON.Member("$ref", .string("#/components/schemas/\(component)"))
      return .object([reference, description])
    }
    return .object([.init("type", member.value.type), description] + member.value.keywords)
  }

  /// The document's schemas, with members in alphabetical order.
  private static func schemas(_ document: String) throws -> [String: JSON] {
    let root = try #require(try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
    let components = try #require(root["components"] as? [String: Any])
    let schemas = try #require(components["schemas"] as? [String: Any])
    let names = bodies.map(\.name) + ["ClockAdvance", "ClockSpecification"]
    return try names.reduce(into: [:]) { found, name in
      let data = try JSONSerialization.data(withJSONObject: try #require(schemas[name]))
      found[name] = try JSONDecoder().decode(JSON.self, from: data)
    }
  }

  private static func sorted(_ value: JSON) -> JSON {
    switch value {
    case .object(let members):
      .object(members.sorted { $0.name < $1.name }.map { .init($0.name, sorted($0.value)) })
    case .array(let items): .array(items.map(sorted))
    default: value
    }
  }

  /// The document with another schema, in the layout that it has.
  private static func replacing(_ name: String, with schema: JSON, in document: String) throws -> String {
    let start = try #require(document.range(of: "\n      \"\(name)\": {\n"), "\(name)")
    let end = try #require(document.range(of: "\n      }", range: start.upperBound..<document.endIndex))
    return document.replacingCharacters(
      in: start.lowerBound..<end.upperBound, with: "\n      \"\(name)\": \(lines(schema, "      "))")
  }

  private static func lines(_ value: JSON, _ indentation: String) -> String {
    let inner = indentation + "  "
    switch value {
    case .object(let members):
      let rows = members.map { "\(inner)\(JSON.string($0.name).text): \(lines($0.value, inner))" }
      return "{\n\(rows.joined(separator: ",\n"))\n\(indentation)}"
    case .array(let items):
      return "[\n\(items.map { inner + lines($0, inner) }.joined(separator: ",\n"))\n\(indentation)]"
    default: return value.text
    }
  }
}

extension ValueDescription {
  fileprivate var type: JSON {
    switch kind {
    case .text: "string"
    case .flag: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .list: "array"
    case .object: "object"
    }
  }
}

extension JSON {
  fileprivate func member(_ name: String) -> JSON? { members.first { $0.name == name }?.value }

  fileprivate var items: [JSON] {
    guard case .array(let items) = self else { return [] }
    return items
  }
}
