import PCMCore

/// Calls the API with a method, a path, and a body of JSON or an empty one. An explanation is text for people.
typealias ServiceCall = @Sendable (String, String, [UInt8]) async throws -> (status: Int, body: [UInt8])

/// A tool of an agent.
struct MCPTool: Sendable {
  let name: String
  /// The tool in the result of `tools/list`.
  let json: JSON
  let perform: @Sendable (_ arguments: JSON, _ call: ServiceCall) async throws -> MCPResult

  /// - Parameter required: The names of the required arguments.
  init(
    _ name: String, _ description: String, _ arguments: [JSON.Member], required: [JSON], method: String = "GET",
    perform: @escaping @Sendable (JSON, ServiceCall) async throws -> MCPResult
  ) {
    let schema: JSON = [
      "type": "object", "properties": .object(arguments), "required": .array(required), "additionalProperties": .bool(false),
    ]
    let hints: JSON = ["readOnlyHint": .bool(method == "GET"), "destructiveHint": .bool(method == "DELETE")]
    json = ["name": .string(name), "description": .string(description), "inputSchema": schema, "annotations": hints]
    (self.name, self.perform) = (name, perform)
  }

  /// Creates the tool of an operation of the API. Its arguments are the parameters of the path and the query, and the members of the
  /// body.
  ///
  /// - Parameters:
  ///   - operation: The operation of the OpenAPI document, without references.
  ///   - path: The path with its parameters: `/v1/browsers/{browser}/explain`.
  ///   - hint: What an agent reads before the description.
  init(_ name: String, _ operation: JSON, _ method: String, _ path: String, hint: String) {
    let parameters = (operation["parameters"]?.items ?? []).filter { $0["in"]?.string != "header" }
    let names = parameters.compactMap { $0["name"]?.string }
    let body = operation["requestBody"]?["content"]?["application/json"]?["schema"]
    // Models accept no alternatives at the top of a schema, so the arguments are the members of all alternatives.
    let bodies = body?["oneOf"]?.items ?? [body].compactMap { $0 }
    var arguments = zip(names, parameters).map { name, parameter in
      let schema = (parameter["schema"]?.members ?? []).filter { $0.name != "description" }
      // The values of arguments are not encoded.
      let description = (parameter["description"]?.string ?? "").replacing(", percent-encoded", with: "")
      return JSON.Member(name, .object(schema + [.init("description", .string(description))]))
    }
    for member in bodies.flatMap({ $0["properties"]?.members ?? [] })
    where !arguments.contains(where: { $0.name == member.name }) {
      arguments.append(member)
    }
    let common = (bodies.first?["required"]?.items ?? []).filter { name in
      bodies.allSatisfy { $0["required"]?.items.contains(name) == true }
    }
    let texts = [.string(hint + (operation["summary"]?.string ?? "") + "."), body?["description"], operation["description"]]
    self.init(
      name, texts.compactMap { $0?.string }.joined(separator: " "), arguments,
      required: parameters.filter { $0["required"]?.flag == true }.compactMap { $0["name"] } + common, method: method
    ) { arguments, call in
      var (target, query): (String, [String]) = (path, [])
      for (name, parameter) in zip(names, parameters) {
        let value = arguments[name]
        if parameter["in"]?.string == "path" {
          guard let text = value?.string, !text.isEmpty else { return .invalid(name, "expected a string that is not empty") }
          target = target.replacing("{\(name)}", with: PercentEncoding.component.encode(text))
        } else if let value {
          let values = if case .array(let items) = value { items } else { [value] }
          query += values.map { "\(name)=\(PercentEncoding.component.encode($0.string ?? $0.text))" }
        }
      }
      let rest = arguments.members.filter { !names.contains($0.name) }
      if body == nil, let unknown = rest.first?.name {
        return .invalid(unknown, "no such argument; known are \(names.joined(separator: ", "))")
      }
      if !query.isEmpty { target += "?" + query.joined(separator: "&") }
      return MCPResult(try await call(method, target, body == nil ? [] : JSON.object(rest).bytes))
    }
  }
}

/// The result of a call of a tool.
struct MCPResult: Hashable, Sendable {
  /// What a person would read.
  let text: String
  let value: JSON?
  let isError: Bool

  init(text: String, value: JSON? = nil, isError: Bool = false) {
    (self.text, self.value, self.isError) = (text, value, isError)
  }

  /// Creates the result for a response of the API. A problem is its sentence with the pointers to the errors.
  init(_ response: (status: Int, body: [UInt8])) {
    (value, isError) = (JSON(parsing: response.body, keepingNumbers: true), response.status >= 300)
    let pointers = (value?["errors"]?.items ?? []).map { $0["pointer"]?.string ?? "/" + ($0["parameter"]?.string ?? "") }
    let text = value?[isError ? "detail" : "text"]?.string ?? String(decoding: response.body, as: UTF8.self)
    self.text =
      (text.isEmpty ? "Status \(response.status)" : text) + (pointers.isEmpty ? "" : " (\(pointers.joined(separator: ", ")))")
  }

  static func invalid(_ argument: String, _ detail: String) -> MCPResult {
    MCPResult(text: "\(argument): \(detail) (\(JSONPointer.text([argument])))", isError: true)
  }

  var members: [JSON.Member] {
    [.init("content", [["type": "text", "text": .string(text)]]), .init("isError", .bool(isError))]
      + (value.map { [.init("structuredContent", $0)] } ?? [])
  }
}
