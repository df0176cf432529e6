import HTTPTypes
import Testing

/// Holds each answer that passes through it against the document, and remembers what of the document it has met.
actor OpenAPIWitness {
  private let document: OpenAPIDocument
  private var checker: JSONSchema
  /// `GET /v1/browsers 200`.
  private var answers: Set<String> = []

  init(_ document: OpenAPIDocument) {
    self.document = document
    checker = JSONSchema(root: document.root)
  }

  /// Checks status, media type and body.
  func hear(_ answer: API.Answer, to method: HTTPRequest.Method, _ path: String) throws {
    let bare = String(path.prefix { $0 != "?" })
    let name = "\(method.rawValue) \(path) \(answer.status)"
    let matching = document.operations.filter { $0.matches(bare) }
    guard let operation = matching.first(where: { $0.method == method.rawValue }) else {
      #expect(answer.status == (matching.isEmpty ? 404 : 405), "\(name)")
      return try check(answer, against: document.value(at: Self.unlisted(answer.status)), name)
    }
    let responses = operation.value["responses"]
    let response = try #require(responses?[String(answer.status)], "\(name) is not in the document: \(answer.text)")
    try check(answer, against: response, name)
    answers.insert("\(operation.name) \(answer.status)")
  }

  /// What no operation answers, because there is none.
  private static func unlisted(_ status: Int) -> String {
    "#/components/responses/\(status == 405 ? "MethodNotAllowed" : "NotFound")"
  }

  private func check(_ answer: API.Answer, against response: JSONValue, _ name: String) throws {
    let response = try document.resolved(response)
    for header in (response["headers"]?.object ?? [:]).keys {
      #expect(HTTPField.Name(header).flatMap { answer.headers[$0] } != nil, "\(name) has no \(header)")
    }
    let mediaType = answer.headers[.contentType]?.split(separator: ";").first.map(String.init)
    guard let contents = response["content"]?.object else {
      #expect(answer.bytes.isEmpty && mediaType == nil, "\(name) has a body that the document does not mention")
      return
    }
    let schema = try #require(contents[mediaType ?? ""]?["schema"], "\(name): \(mediaType ?? "no media type")")
    let isJSON = mediaType?.hasSuffix("json") == true
    let value = isJSON ? try JSONValue(answer.bytes) : .string(answer.text)
    #expect(checker.faults(value, schema, at: "#") == [], "\(name): \(answer.text.prefix(1_000))")
  }

  /// Every answer that the document lists and no call has had.
  var unheard: [String] {
    document.operations.flatMap { operation in
      (operation.value["responses"]?.object ?? [:]).keys.map { "\(operation.name) \($0)" }
    }.filter { !answers.contains($0) }.sorted()
  }

  /// Properties that no answer had, nullable ones that never were null or never anything else, and values of
  /// enumerations that never came.
  var unseen: [String] {
    get throws {
      var walk = Walk(document: document)
      for operation in document.operations {
        for response in (operation.value["responses"]?.object ?? [:]).values {
          for content in (try document.resolved(response)["content"]?.object ?? [:]).values {
            try walk.visit(try #require(content["schema"]), at: "#")
          }
        }
      }
      let missing = walk.properties.flatMap { location, kinds in
        kinds.subtracting(checker.seen[location] ?? []).map { "\(location): \($0)" }
      }
      let unchosen = walk.choices.flatMap { location, values in
        values.subtracting(checker.chosen[location] ?? []).map { "\(location): \($0.text)" }
      }
      return (missing + unchosen).map { $0.replacing("#/components/schemas/", with: "") }.sorted()
    }
  }
}

/// Collects what there is to see in a schema, under the same places as `JSONSchema` does.
private struct Walk {
  let document: OpenAPIDocument
  private(set) var properties: [String: Set<String>] = [:]
  private(set) var choices: [String: Set<JSONValue>] = [:]
  private var visited: Set<String> = []

  init(document: OpenAPIDocument) {
    self.document = document
  }

  mutating func visit(_ schema: JSONValue, at location: String) throws {
    if let reference = schema["$ref"]?.string {
      guard visited.insert(reference).inserted else { return }
      try visit(document.value(at: reference), at: reference)
    }
    if let values = (schema["enum"] ?? schema["x-extensible-enum"])?.array { choices[location] = Set(values) }
    for (name, property) in schema["properties"]?.object ?? [:] {
      var checker = JSONSchema(root: document.root)
      let inner = "\(location)/properties/\(name)"
      properties[inner] = checker.faults(.null, property, at: "#").isEmpty ? ["null", "value"] : ["value"]
      try visit(property, at: inner)
    }
    if let items = schema["items"] { try visit(items, at: "\(location)/items") }
    for keyword in ["anyOf", "oneOf"] {
      for (index, branch) in (schema[keyword]?.array ?? []).enumerated() {
        try visit(branch, at: "\(location)/\(keyword)/\(index)")
      }
    }
  }
}
