import PCMCore
import PCMCrypto
import PCMManifest
import PCMURL
import PCMVerify

/// Calls the API with a method, a path, and a JSON body, which may be empty. An explanation is text for people.
typealias ServiceCall = @Sendable (String, String, [UInt8]) async throws -> (status: Int, body: [UInt8])

/// A tool of an agent.
struct MCPTool: Sendable {
  let name: String
  /// The tool in the result of `tools/list`.
  let json: JSON
  /// The method and the last word of the path of its call: `PUT apps`; nil for a tool without a call.
  private(set) var route: String?
  let perform: @Sendable (_ arguments: JSON, _ call: ServiceCall) async throws -> MCPResult

  /// - Parameter required: The names of the required arguments.
  init(
    _ name: String, _ description: String, _ arguments: [JSON.Member], required: [JSON], method: String = "GET",
    perform: @escaping @Sendable (JSON, ServiceCall) async throws -> MCPResult
  ) {
    let schema: JSON = [
      "type": "object", "properties": .object(arguments), "required": .array(required), "additionalProperties": .bool(false),
    ]
    let hints: JSON = method == "GET" ? ["readOnlyHint": .bool(true)] : ["destructiveHint": .bool(method == "DELETE")]
    json = ["name": .string(name), "description": .string(description), "inputSchema": schema, "annotations": hints]
    (self.name, self.perform) = (name, perform)
  }

  /// Creates the tool of an operation of the OpenAPI document. Its arguments are the parameters, and the members of the body.
  init(_ name: String, _ operation: JSON, _ method: String, _ path: String) {
    let parameters = (operation["parameters"]?.items ?? []).filter { $0["in"]?.string != "header" }
    let body = operation["requestBody"]?["content"]?["application/json"]?["schema"]
    let schemas = parameters.map { parameter in
      let description = parameter["description"].map { [JSON.Member("description", $0)] } ?? []
      let others = (parameter["schema"]?.members ?? []).filter { $0.name != "description" }
      return JSON.Member(Self.argument(parameter["name"]?.string ?? ""), .object(others + description))
    }
    // Models accept no alternatives at the top of a schema, so the arguments are the members of all alternatives.
    let members = (body?["oneOf"]?.items ?? [body ?? .null]).flatMap { $0["properties"]?.members ?? [] }
    var arguments: [JSON.Member] = []
    for member in schemas + members
    where !Self.omitted.contains(member.name) && !arguments.contains(where: { $0.name == member.name }) {
      arguments.append(.init(member.name, Self.brief(member.value, member.name)))
    }
    let required = parameters.filter { $0["required"] == .bool(true) }.map {
      JSON.string(Self.argument($0["name"]?.string ?? ""))
    }
    let inPath = parameters.filter { $0["in"] == "path" }.compactMap { $0["name"]?.string }
    self.init(
      name, Self.descriptions[name] ?? "\(operation["summary"]?.string ?? "").", arguments,
      required: required + (body?["required"]?.items ?? []), method: method
    ) { arguments, call in
      var target = path
      for name in inPath {
        let argument = Self.argument(name)
        guard let text = arguments[argument]?.string, !text.isEmpty else { return .invalid(argument, "expected a text") }
        target = target.replacing("{\(name)}", with: PercentEncoding.component.encode(text))
      }
      // The API reports unknown parameters and members.
      let rest = arguments.members.filter { !inPath.map(Self.argument).contains($0.name) }
      guard body == nil else { return MCPResult(try await call(method, target, JSON.object(rest).bytes)) }
      let query = rest.flatMap { member in
        (member.value.items.isEmpty ? [member.value] : member.value.items).map { value in
          [member.name, value.string ?? value.text].map(PercentEncoding.component.encode).joined(separator: "=")
        }
      }
      return MCPResult(try await call(method, target + (query.isEmpty ? "" : "?" + query.joined(separator: "&")), []))
    }
    route = "\(method) \(path.split(separator: "/").last { !$0.hasPrefix("{") } ?? "")"
  }

  /// The argument for a parameter of a path or a query. A browser and its device have the same name.
  static func argument(_ parameter: String) -> String { parameter == "device" ? "browser" : parameter }

  /// Returns a schema without the keywords that a model does not need.
  ///
  /// - Parameter isDescribed: Whether it has a description.
  private static func brief(_ schema: JSON, _ name: String, isDescribed: Bool = true) -> JSON {
    guard case .object(let members) = schema else { return schema }
    let kept = members.filter { keywords.contains($0.name) && (isDescribed || $0.name != "description") }.map {
      member -> JSON.Member in
      switch member.name {
      case "description": .init(member.name, argumentDescriptions[name].map { .string($0) } ?? member.value)
      case "properties":
        .init(
          member.name,
          .object(member.value.members.map { .init($0.name, brief($0.value, "", isDescribed: name != "crowdTiers")) }))
      case "items": .init(member.name, brief(member.value, ""))
      case "oneOf", "anyOf": .init(member.name, .array(member.value.items.map { brief($0, "") }))
      default: member
      }
    }
    // Alternatives that differ in other keywords are none.
    return .object(kept.filter { !["oneOf", "anyOf"].contains($0.name) || !$0.value.items.contains([:]) })
  }

  /// The names of the tools that are not operations of the table.
  private static let others = [
    "putBrowser": "create_browser", "putNamedApp": "register_app", "advanceClock": "advance_clock",
    "listReports": "list_reports",
    "checkExpectation": "check_expectation", "putNetwork": "set_network", "deleteBrowser": "delete_browser",
    "explain": "explain",
    "getScenario": "get_scenario", "putAdNetwork": "register_ad_network", "signAd": "sign_ad",
    "listPostbacks": "list_postbacks",
  ]

  /// Returns the operations of the table, the calls before and after them in a test, and two checks without a browser.
  static func tools(_ document: JSON) -> [MCPTool] {
    let table = Set(OperationCatalog.all.map { $0.method + shape($0.path) })
    let operations = (document["paths"]?.members ?? []).flatMap { path in
      path.value.members.compactMap { member -> MCPTool? in
        let (method, id) = (member.name.uppercased(), member.value["operationId"]?.string ?? "")
        let known = others[id] ?? (table.contains(method + shape(path.name)) ? snakeCased(id) : nil)
        // The responses are large, and no tool describes them.
        let operation = JSON.object(member.value.members.filter { $0.name != "responses" })
        return known.map { MCPTool($0, resolved(operation, in: document), method, path.name) }
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
  /// The text for people.
  var text: String
  var value: JSON?
  var isError = false

  var members: [JSON.Member] {
    [.init("content", [["type": "text", "text": .string(text)]]), .init("isError", .bool(isError))]
      + (value.map { [.init("structuredContent", $0)] } ?? [])
  }

  static func invalid(_ argument: String, _ detail: String) -> MCPResult {
    MCPResult(text: "\(argument): \(detail)", isError: true)
  }
}

extension MCPResult {
  /// Creates the result for a response of the API. The text of a problem has each error with its argument.
  init(_ response: (status: Int, body: [UInt8])) {
    let (json, isError) = (JSON(parsing: response.body, keepingNumbers: true), response.status >= 300)
    let text = json?[isError ? "detail" : "text"]?.string ?? String(decoding: response.body, as: UTF8.self)
    let errors = (json?["errors"]?.items ?? []).compactMap { error in
      error["detail"]?.string.map { detail in Self.argument(of: error).map { "\($0): \(detail)" } ?? detail }
    }
    let shown = errors.isEmpty ? text : errors.joined(separator: "\n")
    let empty = isError ? "The call failed with status \(response.status)." : "Done."
    // The problem has the words of HTTP.
    self.init(text: shown.isEmpty ? empty : shown, value: isError ? nil : json, isError: isError)
  }

  /// The argument of an error, such as `settings.debugMode` for the pointer `/settings/debugMode`; nil for an error in the whole call.
  private static func argument(of error: JSON) -> String? {
    if let parameter = error["parameter"]?.string { return MCPTool.argument(parameter) }
    let parts = error["pointer"]?.string?.split(separator: "/").map(String.init) ?? []
    return parts.isEmpty ? nil : parts.map { $0.replacing("~1", with: "/").replacing("~0", with: "~") }.joined(separator: ".")
  }
}
