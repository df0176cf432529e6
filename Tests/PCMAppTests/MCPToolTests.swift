import Foundation
import NIOConcurrencyHelpers
import PCMCore
import Testing

@testable import PCMApp

@Suite struct MCPToolTests {
  private let document: JSON
  private let tools: [MCPTool]

  init() throws {
    let file = URL(filePath: #filePath).appending(path: "../../../Sources/COpenAPI/openapi.json").standardized
    document = try #require(JSON(parsing: Array(try Data(contentsOf: file)), keepingNumbers: true))
    tools = MCPTool.tools(document)
  }

  private func tool(_ name: String) throws -> MCPTool { try #require(tools.first { $0.name == name }, "\(name)") }

  /// Calls a tool, and returns its result and the request that it sends: its method, path, and body.
  private func call(
    _ name: String, _ arguments: JSON, response: String = #"{"a":1}"#, status: Int = 200
  ) async throws -> (result: MCPResult, request: String) {
    let request = NIOLockedValueBox("none")
    let result = try await tool(name).perform(arguments) { method, path, body in
      request.withLockedValue { $0 = "\(method) \(path) \(String(decoding: body, as: UTF8.self))" }
      return (status, Array(response.utf8))
    }
    return (result, request.withLockedValue { $0 })
  }

  @Test func eachOperationOfTheTableIsATool() {
    #expect(tools.count == OperationCatalog.all.count + 14)
    #expect(Set(tools.map(\.name)).count == tools.count)
    for tool in tools { #expect(tool.name.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil, "\(tool.name)") }
    #expect(MCPTool.descriptions.keys.allSatisfy { name in tools.contains { $0.name == name } })
    for name in [
      "create_browser", "register_app", "open_event_attribution", "follow_link", "observe_triggering_event", "advance_clock",
      "explain", "record_sdk_event", "check_manifest", "verify_postback",
    ] {
      #expect(tools.contains { $0.name == name }, "\(name)")
    }
    #expect(MCPTool.tools([:]).map(\.name) == ["check_manifest", "verify_postback"])
  }

  @Test("A tool speaks of tools and arguments, once, and not of HTTP")
  func words() throws {
    let http =
      /\b(PUT|POST|PATCH|DELETE|HTTP status|status code|[Tt]he body|request body|2xx|20[0-9]|4[0-2][0-9]|50[0-9])\b|\/v1\/|…\//
    for tool in tools {
      let description = tool.json["description"]?.string ?? ""
      #expect(description.utf8.count < 320 && !description.contains(http), "\(tool.name): \(description)")
      for argument in tool.json["inputSchema"]?["properties"]?.members ?? [] {
        let text = argument.value["description"]?.string ?? ""
        #expect(argument.name == "method" || !text.contains(http), "\(tool.name) \(argument.name): \(text)")
      }
      let device = tool.json["inputSchema"]?["properties"]?["device"]
      #expect(device == nil || device?["type"] == "object", "\(tool.name)")
    }
    let size = tools.reduce(0) { $0 + $1.json.bytes.count }
    #expect(size < 48_000, "\(size)")
  }

  @Test func eachSchemaIsAnObjectWithoutReferencesAndAlternatives() throws {
    for tool in tools {
      let schema = try #require(tool.json["inputSchema"])
      #expect(!schema.text.contains("$ref"), "\(tool.name)")
      #expect(schema.members.map(\.name) == ["type", "properties", "required", "additionalProperties"])
      let names = (schema["properties"]?.members ?? []).map(\.name)
      #expect(Set(names).count == names.count, "\(tool.name)")
      let required = schema["required"]?.items ?? []
      #expect(required.allSatisfy { names.contains($0.string ?? "") }, "\(tool.name)")
      #expect(tool.json["description"]?.string?.contains("  ") == false, "\(tool.json["description"]?.text ?? "")")
    }
    let advance = try tool("advance_clock").json["inputSchema"]
    #expect(
      advance?["properties"]?.members.map(\.name) == ["browser", "by", "to", "toNextEvent", "untilIdle", "within"])
    #expect(advance?["required"] == ["browser"])
    #expect(try tool("explain").json["annotations"]?["readOnlyHint"] == .bool(true))
    #expect(try tool("delete_browser").json["annotations"]?["destructiveHint"] == .bool(true))
  }

  @Test(
    arguments: [
      (
        "create_browser", #"{"browser":"a/b c","clock":{"mode":"manual"}}"#,
        #"PUT /v1/browsers/a%2Fb%20c {"clock":{"mode":"manual"}}"#
      ),
      ("advance_clock", #"{"untilIdle":true,"browser":"x"}"#, #"POST /v1/browsers/x/clock/advance {"untilIdle":true}"#),
      ("follow_link", #"{"browser":"x"}"#, "POST /v1/browsers/x/link-clicks {}"),
      ("explain", #"{"browser":"x","about":"shop.example"}"#, "GET /v1/browsers/x/explain?about=shop.example "),
      (
        "list_reports", #"{"browser":"x","state":["delivered","lost"],"limit":5}"#,
        "GET /v1/browsers/x/reports?state=delivered&state=lost&limit=5 "
      ),
      ("end_view", #"{"browser":"x","impression":"impression-7"}"#, "POST /v1/devices/x/impressions/impression-7/end "),
      (
        "put_cards", #"{"browser":"x","bundleIdentifier":"com.example.a","cards":[{"n":1.50}]}"#,
        #"PUT /v1/devices/x/apps/com.example.a/cards {"cards":[{"n":1.50}]}"#
      ),
    ])
  func argumentsAreThePathTheQueryAndTheBody(_ name: String, _ arguments: String, _ request: String) async throws {
    let arguments = try #require(JSON(parsing: Array(arguments.utf8), keepingNumbers: true))
    #expect(try await call(name, arguments).request == request)
  }

  @Test(
    arguments: [
      ("explain", [:], "browser"), ("explain", ["browser": ""], "browser"), ("explain", ["browser": 7], "browser"),
      ("install_app", ["device": "x"], "browser"), ("check_manifest", [:], "file"), ("check_manifest", ["file": "-"], "file"),
      ("verify_postback", ["postback": [:]], "postback"),
    ] as [(String, JSON, String)])
  func anInvalidArgumentIsAResultThatNamesIt(_ name: String, _ arguments: JSON, _ argument: String) async throws {
    let (result, request) = try await call(name, arguments)
    #expect(result.isError)
    #expect(result.text.hasPrefix("\(argument): expected"), "\(result.text)")
    #expect(request == "none")
  }

  @Test func aProblemIsAResultWithItsArguments() async throws {
    let problem = #"""
      {"detail":"three errors","errors":[{"pointer":"/a/b~1c","detail":"is missing"},{"parameter":"device","detail":"is unknown"},
      {"pointer":"","detail":"is invalid"}]}
      """#
    let invalid = try await call("follow_link", ["browser": "x"], response: problem, status: 422).result
    #expect(invalid == MCPResult(text: "a.b/c: is missing\nbrowser: is unknown\nis invalid", isError: true))
    #expect(
      try await call("explain", ["browser": "x"], response: "", status: 502).result
        == MCPResult(text: "The call failed with status 502.", isError: true))
  }

  @Test(
    "An error names tools in place of calls",
    arguments: [
      ("no app is registered; PUT its Info.plist to …/apps first", "no app is registered; call register_app first"),
      (
        "no app is registered; PUT its Info.plist to …/apps, or {\"reportEndpoint\": \"https://…\"} to …/apps/a, first",
        "no app is registered; call register_app first"
      ),
      ("there is no browser \"a\"; PUT /v1/browsers/a creates it", "there is no browser \"a\"; create_browser creates it"),
      (
        "it is not installed on this device; POST it to …/installs first",
        "it is not installed on this device; call install_app first"
      ),
      ("the app has no card \"a\"; PUT …/cards sends one", "the app has no card \"a\"; put_cards sends one"),
      ("PUT …/apps/com.example.a registers it", "register_app registers it"), ("PATCH changes them", "PATCH changes them"),
    ])
  func calls(text: String, expected: String) {
    #expect(MCPResult(text: text, isError: true).naming(tools).text == expected)
    #expect(MCPResult(text: text).naming(tools).text == text)
  }

  @Test func theTextIsWhatAPersonReads() async throws {
    #expect(try await call("explain", ["browser": "x"], response: "No report.\n").result == MCPResult(text: "No report.\n"))
    let members = try await call("check_expectation", ["browser": "x"], response: #"{"met":false,"text":"none"}"#).result
      .members
    #expect(
      JSON.object(members)
        == [
          "content": [["type": "text", "text": "none"]], "isError": .bool(false),
          "structuredContent": ["met": .bool(false), "text": "none"],
        ])
    #expect(
      try await call("delete_browser", ["browser": "x"], response: "", status: 204).result == MCPResult(text: "Done."))
  }

  @Test func aPostbackIsVerifiedWithoutABrowser() async throws {
    let (result, request) = try await call("verify_postback", ["postback": "nonsense"])
    #expect(!result.isError)
    #expect(result.value?["verdicts"]?.items.count == 1)
    #expect(result.text.hasPrefix("postback: "), "\(result.text)")
    #expect(request == "none")
  }
}
