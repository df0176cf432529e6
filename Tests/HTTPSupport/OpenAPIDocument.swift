import Foundation
package import HTTPTypes
import PCMCore
import Testing

/// A JSON value as a test looks at it: numbers are numbers and never truth values.
package enum JSONValue: Hashable, Sendable, Decodable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Reads JSON.
  package init(_ bytes: some Sequence<UInt8>) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
  }

  /// Reads JSON.
  package init(_ text: String) throws { try self.init(Array(text.utf8)) }

  /// A member of an object.
  package subscript(_ name: String) -> JSONValue? { object?[name] }
  /// The members of an object.
  package var object: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
  /// The items of an array.
  package var array: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
  /// A string.
  package var string: String? { if case .string(let text) = self { text } else { nil } }
  /// A number.
  package var number: Double? { if case .number(let number) = self { number } else { nil } }
  /// The strings of an array.
  package var strings: [String] { (array ?? []).compactMap(\.string) }

  /// The value as text that the service can read.
  package var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let number): number == number.rounded() ? String(Int64(number)) : String(number)
    case .string(let text): JSON.string(text).text
    case .array(let items): "[\(items.map(\.text).joined(separator: ","))]"
    case .object(let members):
      "{\(members.sorted { $0.key < $1.key }.map { "\(JSON.string($0.key).text):\($0.value.text)" }.joined(separator: ","))}"
    }
  }
}

/// The OpenAPI document as the service serves it.
package struct OpenAPIDocument: Sendable {
  /// The document.
  package let root: JSONValue

  /// Requests the document.
  package init(_ api: API) async throws {
    let answer = try await api.call(.get, "/openapi.json")
    #expect(answer.status == 200)
    #expect(answer.headers[.contentType] == "application/json")
    root = try JSONValue(answer.bytes)
  }

  /// One method of one path.
  package struct Operation: Sendable {
    /// As in the document: `/v1/browsers/{browser}`.
    package let path: String
    /// In capitals.
    package let method: String
    /// The operation object, with its request body in place of a reference.
    package let value: JSONValue

    /// The method and the path.
    package var name: String { "\(method) \(path)" }

    /// Parameters in braces match one part each.
    package func matches(_ path: String) -> Bool {
      let (own, given) = (self.path.split(separator: "/"), path.split(separator: "/"))
      return own.count == given.count && zip(own, given).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
  }

  /// All operations, sorted by their names.
  package var operations: [Operation] {
    (root["paths"]?.object ?? [:]).flatMap { path, methods in
      (methods.object ?? [:]).map { Operation(path: path, method: $0.key.uppercased(), value: withBody($0.value)) }
    }.sorted { $0.name < $1.name }
  }

  /// An operation with the body of its requests in place of a reference to it.
  private func withBody(_ operation: JSONValue) -> JSONValue {
    guard var members = operation.object, let body = members["requestBody"] else { return operation }
    members["requestBody"] = try? resolved(body)
    return .object(members)
  }

  /// One call of each operation, with names in place of the parameters of its path.
  package var calls: [(HTTPRequest.Method, String)] {
    let names = [
      "browser": "test", "device": "test", "host": "a.example", "bundleIdentifier": "a", "event": "triggering-event-1",
    ]
    return operations.compactMap { operation in
      let parts = operation.path.split(separator: "/", omittingEmptySubsequences: false).map { part in
        let name = String(part.dropFirst().dropLast())
        return part.hasPrefix("{") ? names[name] ?? "\(name)-1" : String(part)
      }
      let query = operation.path.hasSuffix("/explain") ? "?about=shop.example" : ""
      return HTTPRequest.Method(operation.method).map { ($0, parts.joined(separator: "/") + query) }
    }
  }

  /// The target of a local reference, or the value itself.
  package func resolved(_ value: JSONValue) throws -> JSONValue {
    guard let reference = value["$ref"]?.string else { return value }
    return try resolved(self.value(at: reference))
  }

  /// The target of `#/components/…`.
  package func value(at pointer: String) throws -> JSONValue {
    try pointer.split(separator: "/").dropFirst().reduce(root) { value, name in
      try #require(value[String(name)], "\(pointer) leads nowhere")
    }
  }

  /// A schema by its name.
  package func schema(_ name: String) throws -> JSONValue { try value(at: "#/components/schemas/\(name)") }

  /// The values of an enumeration, by the name of its schema.
  package func enumeration(_ name: String) throws -> [String] {
    let schema = try schema(name)
    return try #require(schema["enum"] ?? schema["x-extensible-enum"]).strings
  }
}
