import PCMCore
import Testing

@testable import PCMApp

@Suite struct MCPSessionTests {
  private static let tool = MCPTool("explain", "Explains.", [], required: []) { _, _ in MCPResult(text: "why") }
  private static let initialize = #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#
  private static let stamp = #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#

  private var session = MCPSession(tools: [tool], instructions: "Begin with explain.")

  /// Returns the messages that answer lines; the identifier and the name of each call.
  private mutating func answers(_ lines: String...) -> [JSON] {
    lines.flatMap { session.receive(Array("\($0)\n".utf8)) }.map { action in
      switch action {
      case .send(let message): message
      case .call(let tool, let arguments, let id): ["call": .string(tool.name), "arguments": arguments, "id": id]
      }
    }
  }

  @Test(
    arguments: [
      ("{", -32700, "null"), ("nonsense", -32700, "null"), (#"{"id":1,"method":"\#u{0}"}"#, -32700, "null"),
      (String(repeating: "[", count: 100_000), -32700, "null"), ("[]", -32600, "null"), ("[{}]", -32600, "null"),
      ("7", -32600, "null"), ("{}", -32600, "null"), (#"{"jsonrpc":"2.0","id":1}"#, -32600, "1"),
      (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600, "1"), (#"{"id":1,"method":"ping"}"#, -32600, "1"),
      (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600, "1"), (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, "null"),
      (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, "null"),
      (#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, -32600, "null"),
      (#"{"jsonrpc":"2.0","id":"a","method":"resources/list"}"#, -32601, #""a""#),
      (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32602, "1"),
      (#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, -32602, "1"),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, -32602, "1"),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"explain"}}"#, -32602, "1"),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x",\#(stamp)}}"#, -32602, "1"),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{\#(stamp)}}"#, -32602, "1"),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"explain","arguments":[],\#(stamp)}}"#, -32602, "1"),
    ] as [(String, Int64, String)])
  mutating func errorsOfTheProtocolHaveCodes(_ line: String, _ code: Int64, _ id: String) throws {
    let answer = try #require(answers(line).first)
    #expect(answer["error"]?["code"] == .number(code), "\(answer.text)")
    #expect(answer["error"]?["message"]?.string?.isEmpty == false)
    #expect(answer["id"]?.text == id)
    #expect(answers(#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).first?["result"] != nil, "the session goes on")
  }

  @Test(
    arguments: [
      "", " \r", #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, #"{"jsonrpc":"2.0","method":"tools/call"}"#,
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
      #"{"jsonrpc":"2.0","id":1,"result":{}}"#, #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#,
    ])
  mutating func notificationsAndResponsesHaveNoAnswer(_ line: String) {
    #expect(answers(line).isEmpty)
  }

  @Test(arguments: ["7", #""a""#, #""""#, "1.5", "-1", "123456789012345678901234567890", #""\u0000""#])
  mutating func anIdentifierIsReturnedAsItIs(_ id: String) {
    #expect(answers(#"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#).first?["id"]?.text == id)
  }

  @Test(
    arguments: [
      ("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25"),
      ("", "2025-11-25"),
    ])
  mutating func theHandshakeNegotiatesTheRevision(_ requested: String, _ negotiated: String) {
    let answer = answers(Self.initialize.replacing("2025-11-25", with: requested)).first
    #expect(answer?["result"]?["protocolVersion"]?.string == negotiated)
    #expect(answer?["result"]?["instructions"] == "Begin with explain.")
    #expect(answer?["result"]?["capabilities"]?["tools"] != nil)
    #expect(answer?["result"]?["serverInfo"]?["name"] == "pcm-browser")
  }

  @Test mutating func aRequestMayNameItsRevisionWithoutAHandshake() {
    let discovery = answers(#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{\#(Self.stamp)}}"#).first?["result"]
    #expect(discovery?["supportedVersions"]?.items.first == "2026-07-28")
    #expect(discovery?["resultType"] == "complete")
    let list = answers(#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{\#(Self.stamp)}}"#).first?["result"]
    #expect(list?["tools"]?.items.map { $0["name"] } == ["explain"])
    let stamp = Self.stamp.replacing("2026", with: "1999")
    let error = answers(#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{\#(stamp)}}"#).first?["error"]
    #expect(error?["code"] == -32022)
    #expect(error?["data"]?["requested"] == "1999-07-28")
    #expect(error?["data"]?["supported"]?.items.contains("2026-07-28") == true)
  }

  @Test mutating func aCallIsPerformedAfterTheHandshake() {
    let call = #"{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"explain","arguments":{"a":1}}}"#
    #expect(answers(Self.initialize, call).last == ["call": "explain", "arguments": ["a": 1], "id": "c"])
    #expect(answers(call.replacing(#","arguments":{"a":1}"#, with: "")).last?["arguments"] == [:])
  }

  @Test mutating func aLineArrivesInParts() {
    let lines = Array("\(Self.initialize)\r\n\n{\n\(Self.initialize)\n".utf8)
    let actions = lines.flatMap { session.receive([$0]) }
    #expect(actions.count == 3)
    #expect(session.receive(Array(Self.initialize.utf8)).isEmpty)
    #expect(session.receive(Array("\n".utf8)).count == 1)
  }

  @Test mutating func aLineOverTheLimitIsAnErrorAndIsNotKept() {
    let part = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    for _ in 0..<6 { #expect(session.receive(part).isEmpty) }
    let answer = answers(" ").first
    #expect(answer?["error"]?["code"] == -32700)
    #expect(answer?["error"]?["message"]?.string?.contains("4194304 bytes") == true)
    #expect(answers(Self.initialize).first?["result"] != nil)
  }
}
