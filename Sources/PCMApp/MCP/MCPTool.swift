import PCMCore
import PCMCrypto
import PCMInput

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

  /// Creates the tool of an operation of the OpenAPI document. Its arguments are the parameters, and the members of the body.
  init(_ name: String, _ operation: JSON, _ method: String, _ path: String, hint: String) {
    let parameters = (operation["parameters"]?.items ?? []).filter { $0["in"]?.string != "header" }
    let body = operation["requestBody"]?["content"]?["application/json"]?["schema"]
    var arguments = parameters.map { parameter in
      let schema = (parameter["schema"]?.members ?? []).filter { $0.name != "description" }
      // The values of arguments are not encoded.
      let description = (parameter["description"]?.string ?? "").replacing(", percent-encoded", with: "")
      return JSON.Member(parameter["name"]?.string ?? "", .object(schema + [.init("description", .string(description))]))
    }
    // Models accept no alternatives at the top of a schema, so the arguments are the members of all alternatives.
    for member in (body?["oneOf"]?.items ?? [body ?? .null]).flatMap({ $0["properties"]?.members ?? [] })
    where !arguments.contains(where: { $0.name == member.name }) {
      arguments.append(member)
    }
    let required = parameters.compactMap { $0["required"] == .bool(true) ? $0["name"] : nil } + (body?["required"]?.items ?? [])
    let texts = [.string("\(operation["summary"]?.string ?? "")."), body?["description"], operation["description"]]
    let description = hint + texts.compactMap { $0?.string }.joined(separator: " ")
    let inPath = parameters.filter { $0["in"] == "path" }.compactMap { $0["name"]?.string }
    self.init(name, description, arguments, required: required, method: method) { arguments, call in
      var target = path
      for name in inPath {
        guard let text = arguments[name]?.string, !text.isEmpty else { return .invalid(name, "expected a text") }
        target = target.replacing("{\(name)}", with: PercentEncoding.component.encode(text))
      }
      // The API reports unknown parameters and members.
      let rest = arguments.members.filter { !inPath.contains($0.name) }
      guard body == nil else { return MCPResult(try await call(method, target, JSON.object(rest).bytes)) }
      let query = rest.flatMap { member in
        (member.value.items.isEmpty ? [member.value] : member.value.items).map { value in
          [member.name, value.string ?? value.text].map(PercentEncoding.component.encode).joined(separator: "=")
        }
      }
      return MCPResult(try await call(method, target + (query.isEmpty ? "" : "?" + query.joined(separator: "&")), []))
    }
  }

  /// The tools besides the operations of the table, with their names and hints.
  private static let others = [
    "putBrowser": ("create_browser", "Begin here. With \"clock\": {\"mode\": \"manual\"}, only advance_clock moves the time. "),
    "putNamedApp": ("register_app", "Pass the keys of the Info.plist, or only the report endpoint. "),
    "advanceClock": ("advance_clock", ""), "listReports": ("list_reports", ""),
    "checkExpectation": ("check_expectation", ""), "putNetwork": ("set_network", ""), "deleteBrowser": ("delete_browser", ""),
    "explain": ("explain", "Why a report was sent or not: the rules, the values that they read, and the smallest change. "),
    "getScenario": ("get_scenario", "pcm-browser run plays the result as a regression test. "),
    "putAdNetwork": ("register_ad_network", ""), "listPostbacks": ("list_postbacks", ""),
  ]

  /// Returns the operations of the table, what comes before and after them in a test, and two checks without a browser.
  static func tools(_ document: JSON) -> [MCPTool] {
    let table = Set(OperationCatalog.all.map { $0.method + shape($0.path) })
    let operations = (document["paths"]?.members ?? []).flatMap { path in
      path.value.members.compactMap { member -> MCPTool? in
        let (method, id) = (member.name.uppercased(), member.value["operationId"]?.string ?? "")
        let known = others[id] ?? (table.contains(method + shape(path.name)) ? (snakeCased(id), "") : nil)
        // The responses are large, and no tool describes them.
        let operation = JSON.object(member.value.members.filter { $0.name != "responses" })
        return known.map { MCPTool($0, resolved(operation, in: document), method, path.name, hint: $1) }
      }
    }
    return operations + [checkManifest, verifyPostback]
  }

  /// A path without the names of its parameters, which the table and the document write differently.
  private static func shape(_ path: String) -> String { path.replacing(/[:{][^\/]*/, with: "*") }

  /// `recordSDKEvent` is `record_sdk_event`.
  private static func snakeCased(_ name: String) -> String {
    name.replacing(/([a-z])([A-Z])/) { "\($0.1)_\($0.2)" }.replacing(/([A-Z])([A-Z][a-z])/) { "\($0.1)_\($0.2)" }.lowercased()
  }

  /// Returns a part of the document without references. The members next to a reference take precedence over its target's.
  private static func resolved(_ value: JSON, in document: JSON, depth: Int = 0) -> JSON {
    if case .array(let items) = value { return .array(items.map { resolved($0, in: document, depth: depth) }) }
    guard case .object(let members) = value else { return value }
    let own = members.filter { $0.name != "$ref" }.map { JSON.Member($0.name, resolved($0.value, in: document, depth: depth)) }
    guard let reference = value["$ref"]?.string, depth < JSON.depthLimit else { return .object(own) }
    let target = reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? .null }
    return .object(resolved(target, in: document, depth: depth + 1).members.filter { value[$0.name] == nil } + own)
  }

  private static let checkManifest = MCPTool(
    "check_manifest", "Explains an app's Info.plist: the values that a browser and a device read, what works, and what to fix.",
    [.init("file", text("The path of an Info.plist, of an app such as MyApp.app, or of Expo's app.json."))], required: ["file"]
  ) { arguments, _ in
    // Standard input has the messages.
    guard let file = arguments["file"]?.string, file != "-" else { return .invalid("file", "expected the path of a file") }
    let explanation = ManifestExplanation(try ManifestFile.review(file, sites: SiteParser(publicSuffixList: .builtIn())))
    return MCPResult(text: explanation.text, value: explanation.json)
  }

  private static let verifyPostback = MCPTool(
    "verify_postback", "Verifies the signature of a postback of SKAdNetwork or AdAttributionKit.",
    [
      .init("postback", text("The JSON of the postback exactly as received, or a compact JSON Web Signature.")),
      .init("keys", text("`test` for a postback of a simulated device, `apple` for another one. The default is `apple`.")),
    ], required: ["postback"]
  ) { arguments, _ in
    guard let text = arguments["postback"]?.string else { return .invalid("postback", "expected the text of a postback") }
    let verifier = try SignatureVerifier(
      arguments["keys"] == "test" ? .test : .apple,
      domains: SiteParser(publicSuffixList: .builtIn()).registrableDomain(ofHost:))
    let verdicts = SignedItems.items(of: Array(text.utf8), file: "postback").items.flatMap { item in
      verifier.verdicts(on: item.bytes).map { (name: item.name + $0.pointer, verdict: $0.verdict) }
    }
    return MCPResult(
      text: verdicts.map { VerdictText(verdict: $0.verdict, name: $0.name).text }.joined(separator: "\n"),
      value: ["verdicts": .array(verdicts.map(\.verdict.json))])
  }

  private static func text(_ description: JSON) -> JSON { ["type": "string", "description": description] }
}

/// The result of a call of a tool.
struct MCPResult: Hashable, Sendable {
  /// What a person would read.
  let text: String
  var value: JSON?
  var isError = false

  var members: [JSON.Member] {
    [.init("content", [["type": "text", "text": .string(text)]]), .init("isError", .bool(isError))]
      + (value.map { [.init("structuredContent", $0)] } ?? [])
  }

  static func invalid(_ argument: String, _ detail: String) -> MCPResult {
    MCPResult(text: "\(argument): \(detail) (/\(argument))", isError: true)
  }
}

extension MCPResult {
  /// Creates the result for a response of the API. A problem is its sentence with the pointers to the errors.
  init(_ response: (status: Int, body: [UInt8])) {
    let (json, isError) = (JSON(parsing: response.body, keepingNumbers: true), response.status >= 300)
    let text = json?[isError ? "detail" : "text"]?.string ?? String(decoding: response.body, as: UTF8.self)
    let places = (json?["errors"]?.items ?? []).map { $0["pointer"]?.string ?? "/\($0["parameter"]?.string ?? "")" }
    let pointers = places.isEmpty ? "" : " (\(places.joined(separator: ", ")))"
    self.init(text: text.isEmpty ? "Status \(response.status)" : text + pointers, value: json, isError: isError)
  }
}
