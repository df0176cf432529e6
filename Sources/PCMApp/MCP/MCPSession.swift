import PCMCore

/// The server's part in the Model Context Protocol: bytes in, actions out. Each line is a message of JSON-RPC 2.0.
///
/// From revision 2026-07-28 on, each request names its revision. A client of an earlier revision begins with `initialize`.
struct MCPSession {
  /// The reaction to a message.
  enum Action {
    case send(JSON)
    /// Performs a call, and sends its result with ``reply(to:_:)``.
    case call(MCPTool, arguments: JSON, id: JSON)
  }

  /// An error of the protocol. An error in the arguments of a tool is a result.
  private struct Failure: Error {
    var code: Int64 = -32602
    let message: String
    var data: [JSON.Member] = []
  }

  /// The maximum size of a message in bytes.
  static let messageLimit = 4_194_304
  /// The revisions that begin with `initialize`, newest first.
  private static let handshakeRevisions: [JSON] = ["2025-11-25", "2025-06-18"]
  private static let revisions = ["2026-07-28"] + handshakeRevisions
  private static let revisionKey = "io.modelcontextprotocol/protocolVersion"
  private static let server: JSON = ["name": "pcm-browser", "version": .string(PCMBrowserCommand.version)]

  /// The instructions for an agent before its first call.
  static let guide = """
    pcm-browser is the browser in Private Click Measurement and the device in SKAdNetwork and AdAttributionKit, for tests. To find \
    out why a report is sent or not: (1) create_browser with "clock": {"mode": "manual"}; (2) register_app; \
    (3) open_event_attribution for a tap in an app, or follow_link; (4) observe_triggering_event, the conversion on the destination; \
    (5) advance_clock with "untilIdle": true, because reports are due after 24 to 48 hours; (6) explain with the destination's \
    domain, a click, an event, or a report. For ads that lead to apps: register_ad_network, sign_ad, display_ad, and install_app. A \
    browser and its device have the same name. get_scenario returns all of it as a test.
    """

  let tools: [MCPTool]
  let instructions: String
  /// The incomplete line; nil for more than the limit.
  private(set) var line: [UInt8]? = []
  private(set) var isInitialized = false

  /// Returns the reactions to the lines that end in a part of the input.
  mutating func receive(_ bytes: [UInt8]) -> [Action] {
    var actions: [Action] = []
    for (index, part) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      if index > 0 {
        if let action = action(for: line) { actions.append(action) }
        line = []
      }
      line = line.flatMap { $0.count + part.count <= Self.messageLimit ? $0 + part : nil }
    }
    return actions
  }

  /// Returns the message with the result of a request.
  static func reply(to id: JSON, _ result: [JSON.Member]) -> JSON {
    let about: JSON = ["io.modelcontextprotocol/serverInfo": server]
    return ["jsonrpc": "2.0", "id": id, "result": .object(result + [.init("resultType", "complete"), .init("_meta", about)])]
  }

  /// Returns nil for a notification, a response, and an empty line.
  private mutating func action(for line: [UInt8]?) -> Action? {
    if let line, line.allSatisfy({ $0 <= 0x20 }) { return nil }
    // A member that occurs twice in the arguments of a tool is an error of its call.
    let message = line.flatMap { JSON(parsing: $0, keepingNumbers: true, keepingDuplicates: true) }
    let id = message?["id"].flatMap { if case .verbatim = $0 { $0 } else { $0.string == nil && $0.integer == nil ? nil : $0 } }
    do throws(Failure) {
      guard let message else {
        let expected = line == nil ? "at most \(Self.messageLimit) bytes" : "JSON in UTF-8"
        throw Failure(code: -32700, message: "Parse error: expected \(expected) on each line")
      }
      if message["method"] == nil, message["result"] != nil || message["error"] != nil { return nil }
      guard message["jsonrpc"]?.string == "2.0", let method = message["method"]?.string else {
        throw Failure(code: -32600, message: "Invalid request: expected jsonrpc \"2.0\" and a method, and no batch")
      }
      guard message["id"] != nil else { return nil }
      guard let id else { throw Failure(code: -32600, message: "Invalid request: expected a string or a number as id") }
      return try answer(method, message["params"] ?? .object([]), id)
    } catch {
      let members = [.init("code", .number(error.code)), .init("message", .string(error.message))] + error.data
      return .send(["jsonrpc": "2.0", "id": id ?? .null, "error": .object(members)])
    }
  }

  private mutating func answer(_ method: String, _ parameters: JSON, _ id: JSON) throws(Failure) -> Action {
    guard case .object = parameters else { throw Failure(message: "expected an object as params") }
    let revision = parameters["_meta"]?[Self.revisionKey]
    if let revision, !Self.revisions.contains(revision) {
      let data: JSON = ["supported": .array(Self.revisions), "requested": revision]
      throw Failure(code: -32022, message: "Unsupported protocol version", data: [.init("data", data)])
    }
    guard isInitialized || revision != nil || !method.hasPrefix("tools/") else {
      throw Failure(message: "begin with initialize, or name \(Self.revisionKey) in params._meta")
    }
    let caching: [JSON.Member] = [.init("ttlMs", 3_600_000), .init("cacheScope", "private")]
    let about: [JSON.Member] = [.init("capabilities", ["tools": [:]]), .init("instructions", .string(instructions))]
    switch method {
    case "server/discover":
      return .send(Self.reply(to: id, [.init("supportedVersions", .array(Self.revisions))] + about + caching))
    case "initialize":
      guard let requested = parameters["protocolVersion"]?.string else { throw Failure(message: "protocolVersion is missing") }
      isInitialized = true
      let revision = Self.handshakeRevisions.first { $0.string == requested } ?? Self.handshakeRevisions[0]
      return .send(Self.reply(to: id, [.init("protocolVersion", revision), .init("serverInfo", Self.server)] + about))
    case "ping": return .send(Self.reply(to: id, []))
    case "tools/list": return .send(Self.reply(to: id, [.init("tools", .array(tools.map(\.json)))] + caching))
    case "tools/call":
      let (name, arguments) = (parameters["name"]?.string ?? "", parameters["arguments"] ?? .object([]))
      guard let tool = tools.first(where: { $0.name == name }) else {
        throw Failure(message: "Unknown tool: \(name.asShown(upTo: 200)); tools/list returns all names")
      }
      guard case .object = arguments else { throw Failure(message: "expected an object as arguments") }
      return .call(tool, arguments: arguments, id: id)
    default: throw Failure(code: -32601, message: "Method not found: \(method.asShown(upTo: 200))")
    }
  }
}
