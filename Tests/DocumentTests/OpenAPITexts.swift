import HTTPSupport
import Testing

/// A member of a request's body that contains a text.
struct TextMember: Hashable, CustomStringConvertible {
  /// The method and the path, which also names a browser for a device.
  let operation: String
  /// The names from the outermost object, without the names of lists. `*` stands for any name.
  let path: [String]

  var description: String { "\(operation) \(path.joined(separator: "."))" }

  fileprivate func includes(_ other: TextMember) -> Bool {
    operation == other.operation && path.count == other.path.count
      && zip(path, other.path).allSatisfy { $0 == "*" || $0 == $1 }
  }
}

extension OpenAPIDocument {
  /// Expectations and scenarios are answered, and not kept.
  private static let operationsWithoutStorage = ["checkExpectation", "playScenario"]

  /// Returns the members of JSON bodies that are texts, and that contain the text in none of the requests.
  func textMembers(notIn requests: [TextField.Request], text: String) throws -> [TextMember] {
    let operations = self.operations
    let sent = try requests.flatMap { request -> [TextMember] in
      let operation = try #require(
        operations.first { $0.method == "\(request.method)" && $0.matches(request.path) },
        "\(request.method) \(request.path) is not in the document")
      return Self.places(of: text, in: try JSONValue(request.body)).map { operation.member(at: $0) }
    }
    return try operations.flatMap { try textMembers(of: $0) }.filter { member in !sent.contains { member.includes($0) } }
  }

  private func textMembers(of operation: Operation) throws -> [TextMember] {
    guard !Self.operationsWithoutStorage.contains(operation.value["operationId"]?.string ?? ""),
      let schema = operation.value["requestBody"]?["content"]?["application/json"]?["schema"]
    else { return [] }
    return try texts(in: schema).sorted { $0.lexicographicallyPrecedes($1) }.map { operation.member(at: $0) }
  }

  /// The paths of the texts in a schema. A choice and a duration are none: they are not stored as text.
  private func texts(in schema: JSONValue, at path: [String] = []) throws -> Set<[String]> {
    let schema = try resolved(schema)
    var found: Set<[String]> = Self.isFreeText(schema) ? [path] : []
    let variants = (schema["anyOf"]?.array ?? []) + (schema["oneOf"]?.array ?? []) + [schema["items"]].compactMap { $0 }
    for variant in variants { found.formUnion(try texts(in: variant, at: path)) }
    for (name, member) in schema["properties"]?.object ?? [:] { found.formUnion(try texts(in: member, at: path + [name])) }
    if let free = schema["additionalProperties"] { found.formUnion(try texts(in: free, at: path + ["*"])) }
    return found
  }

  private static func isFreeText(_ schema: JSONValue) -> Bool {
    schema["type"] == .string("string") && schema["enum"] == nil && schema["const"] == nil
      && !["iso8601-duration", "date-time"].contains(schema["format"]?.string ?? "")
  }

  private static func places(of text: String, in value: JSONValue, at path: [String] = []) -> [[String]] {
    switch value {
    case .string(let found): found.contains(text) ? [path] : []
    case .array(let items): items.flatMap { places(of: text, in: $0, at: path) }
    case .object(let members): members.flatMap { places(of: text, in: $0.value, at: path + [$0.key]) }
    case .null, .bool, .number: []
    }
  }
}

extension OpenAPIDocument.Operation {
  fileprivate func member(at path: [String]) -> TextMember {
    TextMember(
      operation: "\(method) \(self.path.replacing("/v1/devices/{device}", with: "/v1/browsers/{browser}"))", path: path)
  }
}
