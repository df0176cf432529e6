import PCMCore
import PCMCrypto
import PCMInput

/// The tools of an agent: the operations of the table, what comes before and after them in a test, and two checks without a browser.
enum MCPCatalog {
  /// What an agent should know before it calls a tool.
  static let instructions = """
    pcm-browser is the browser in Private Click Measurement and the device in SKAdNetwork and AdAttributionKit, for tests. To find \
    out why a report is sent or not: (1) create_browser with "clock": {"mode": "manual"}; (2) register_app; \
    (3) open_event_attribution for a tap on an ad in an app, or follow_link for a link of a page; (4) observe_triggering_event, the \
    conversion on the destination; (5) advance_clock with "untilIdle": true, because reports are due after 24 to 48 hours; \
    (6) explain with the destination's domain, or with a click, an event, or a report. A browser and its device have the same name. \
    check_expectation compares the reports, and get_scenario writes what happened as a test.
    """

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

  /// - Parameter document: The OpenAPI document of the service.
  static func tools(_ document: JSON) -> [MCPTool] {
    let table = Set(OperationCatalog.all.map { $0.method + shape($0.path) })
    let operations = (document["paths"]?.members ?? []).flatMap { path in
      path.value.members.compactMap { member -> MCPTool? in
        let (method, id) = (member.name.uppercased(), member.value["operationId"]?.string ?? "")
        let known = others[id] ?? (table.contains(method + shape(path.name)) ? (snakeCased(id), "") : nil)
        return known.map { MCPTool($0, resolved(member.value, in: document), method, path.name, hint: $1) }
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

  /// Returns a part of the document without references. The members next to a reference take precedence over the members of its target.
  private static func resolved(_ value: JSON, in document: JSON, depth: Int = 0) -> JSON {
    guard case .object(let members) = value else {
      guard case .array(let items) = value else { return value }
      return .array(items.map { resolved($0, in: document, depth: depth) })
    }
    // The responses are large, and no tool describes them.
    let own = members.filter { $0.name != "$ref" && $0.name != "responses" }
      .map { JSON.Member($0.name, resolved($0.value, in: document, depth: depth)) }
    guard let reference = value["$ref"]?.string, depth < JSON.depthLimit else { return .object(own) }
    let target = reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? .null }
    return .object(resolved(target, in: document, depth: depth + 1).members.filter { value[$0.name] == nil } + own)
  }

  private static let checkManifest = MCPTool(
    "check_manifest",
    "Explains the Info.plist of an app: the values that a browser and a device read, what works, and what to fix.",
    [.init("file", string("The path of an Info.plist, of an app such as MyApp.app, or of an app.json of Expo"))],
    required: ["file"]
  ) { arguments, _ in
    // Standard input has the messages.
    guard let file = arguments["file"]?.string, file != "-" else {
      return .invalid("file", "expected the path of an Info.plist")
    }
    do throws(StartError) {
      let explanation = ManifestExplanation(try ManifestFile.review(file, sites: SiteParser(publicSuffixList: .builtIn())))
      return MCPResult(text: explanation.text, value: explanation.json)
    } catch {
      return .invalid("file", error.description)
    }
  }

  private static let verifyPostback = MCPTool(
    "verify_postback", "Verifies the signature of a postback of SKAdNetwork or AdAttributionKit.",
    [
      .init("postback", string("The JSON of the postback exactly as received, or a compact JSON Web Signature")),
      .init("keys", string("`test` for a postback of a simulated device, `apple` for another one. The default is `apple`")),
    ], required: ["postback"]
  ) { arguments, _ in
    guard let text = arguments["postback"]?.string else { return .invalid("postback", "expected a string with a postback") }
    let verdicts = try SignatureVerifier(arguments["keys"] == "test" ? .test : .apple).verdicts(on: Array(text.utf8))
    return MCPResult(
      text: verdicts.map { VerdictText(verdict: $1, name: "postback" + $0).text }.joined(separator: "\n"),
      value: ["verdicts": .array(verdicts.map(\.verdict.json))])
  }

  private static func string(_ description: String) -> JSON { ["type": "string", "description": .string(description + ".")] }
}
