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
    #expect(tools.count == OperationCatalog.all.count + 13)
    #expect(Set(tools.map(\.name)).count == tools.count)
    for tool in tools { #expect(tool.name.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil, "\(tool.name)") }
    for name in [
      "create_browser", "register_app", "open_event_attribution", "follow_link", "observe_triggering_event", "advance_clock",
      "explain", "record_sdk_event", "check_manifest", "verify_postback",
    ] {
      #expect(tools.contains { $0.name == name }, "\(name)")
    }
    #expect(MCPTool.tools([:]).map(\.name) == ["check_manifest", "verify_postback"])
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
      ("end_view", #"{"device":"x","impression":"impression-7"}"#, "POST /v1/devices/x/impressions/impression-7/end "),
      (
        "put_cards", #"{"device":"x","bundleIdentifier":"com.example.a","cards":[{"n":1.50}]}"#,
        #"PUT /v1/devices/x/apps/com.example.a/cards {"cards":[{"n":1.50}]}"#
      ),
    ])
  func argumentsAreThePathTheQueryAndTheBody(_ name: String, _ arguments: String, _ request: String) async throws {
    let arguments = try #require(JSON(parsing: Array(arguments.utf8), keepingNumbers: true))
    #expect(try await call(name, arguments).request == request)
  }

  @Test(
    arguments: [
      ("explain", [:], "/browser"), ("explain", ["browser": ""], "/browser"), ("explain", ["browser": 7], "/browser"),
      ("check_manifest", [:], "/file"),
      ("check_manifest", ["file": "-"], "/file"),
      ("verify_postback", ["postback": [:]], "/postback"),
    ] as [(String, JSON, String)])
  func anInvalidArgumentIsAResultWithItsPointer(_ name: String, _ arguments: JSON, _ pointer: String) async throws {
    let (result, request) = try await call(name, arguments)
    #expect(result.isError)
    #expect(result.text.hasSuffix("(\(pointer))"), "\(result.text)")
    #expect(request == "none")
  }

  @Test func aProblemIsAResultWithItsSentenceAndPointers() async throws {
    let problem = #"{"detail":"a is missing; b is unknown","errors":[{"pointer":"/a"},{"parameter":"b"}]}"#
    let invalid = try await call("follow_link", ["browser": "x"], response: problem, status: 422).result
    #expect(invalid.isError)
    #expect(invalid.text == "a is missing; b is unknown (/a, /b)")
    #expect(invalid.value?["detail"] == "a is missing; b is unknown")
    #expect(
      try await call("explain", ["browser": "x"], response: "", status: 502).result
        == MCPResult(text: "Status 502", isError: true))
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
      try await call("delete_browser", ["browser": "x"], response: "", status: 204).result == MCPResult(text: "Status 204"))
  }

  @Test func aPostbackIsVerifiedWithoutABrowser() async throws {
    let (result, request) = try await call("verify_postback", ["postback": "nonsense"])
    #expect(!result.isError)
    #expect(result.value?["verdicts"]?.items.count == 1)
    #expect(result.text.hasPrefix("postback: "), "\(result.text)")
    #expect(request == "none")
  }
}
