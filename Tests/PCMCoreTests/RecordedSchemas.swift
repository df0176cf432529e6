import Foundation
import PCMCore
import Testing

/// The schemas in `openapi.json` that are recorded from the code.
enum RecordedSchemas {
  private static let file = URL(filePath: #filePath).appending(path: "../../../Sources/COpenAPI/openapi.json").standardized

  /// Expects these schemas in the document. With `PCM_RECORD=1`, writes them first; a new schema follows its predecessor.
  static func check(_ recorded: [(name: String, schema: JSON)]) throws {
    if ProcessInfo.processInfo.environment["PCM_RECORD"] == "1" { try record(recorded) }
    let schemas = try schemas(recorded.map(\.name))
    for (name, schema) in recorded {
      #expect(
        sorted(schema) == schemas[name],
        "if the change of \(name) is intended, run PCM_RECORD=1 swift test --filter SchemaTests")
    }
  }

  /// Returns schemas of the document, with members in alphabetical order.
  static func schemas(_ names: [String]) throws -> [String: JSON] {
    let root = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    let components = try #require(root["components"] as? [String: Any])
    let schemas = try #require(components["schemas"] as? [String: Any])
    return try names.reduce(into: [:]) { found, name in
      guard let schema = schemas[name] else { return }
      let data = try JSONSerialization.data(withJSONObject: schema)
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

  private static func record(_ schemas: [(name: String, schema: JSON)]) throws {
    var document = try String(contentsOf: file, encoding: .utf8)
    var previous: String?
    for (name, schema) in schemas {
      let (place, comma) = try place(of: name, after: previous, in: document)
      document.replaceSubrange(place, with: "\(comma)\n      \"\(name)\": \(lines(schema, "      "))")
      previous = name
    }
    try document.write(to: file, atomically: true, encoding: .utf8)
  }

  /// Returns the place of a schema in the text, and the separator from the text before it.
  private static func place(
    of name: String, after previous: String?, in document: String
  ) throws -> (Range<String.Index>, String) {
    if let range = range(of: name, in: document) { return (range, "") }
    let end = try #require(previous.flatMap { range(of: $0, in: document) }, "\(name)").upperBound
    return (end..<end, ",")
  }

  private static func range(of name: String, in document: String) -> Range<String.Index>? {
    // A request body may have the name of a schema.
    guard let schemas = document.range(of: "\n    \"schemas\": {\n"),
      let start = document.range(of: "\n      \"\(name)\": {\n", range: schemas.lowerBound..<document.endIndex),
      let end = document.range(of: "\n      }", range: start.upperBound..<document.endIndex)
    else { return nil }
    return start.lowerBound..<end.upperBound
  }

  /// The value in the layout of the document.
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
