import DevToolsSupport
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOWebSocket
import PCMCore
import Testing

@testable import PCMDevTools

@Suite struct DevToolsConnectionTests {
  private static let sevens: @Sendable (Int) -> [UInt8] = { [UInt8](repeating: 7, count: $0) }
  private static let done = DevToolsError(.closed, "done")

  private static func event(_ number: Int64) -> JSON { ["method": "Test.event", "params": ["number": .number(number)]] }

  /// Connects, sends commands, and returns the messages until `count` came or the connection ended with an error.
  private func messages(
    of browser: FakeBrowser, sending commands: [DevToolsCommand] = [], count: Int = .max,
    budget: MessageBudget = MessageBudget()
  ) async -> (messages: [DevToolsMessage], error: DevToolsError) {
    let received = NIOLockedValueBox<[DevToolsMessage]>([])
    do throws(DevToolsError) {
      try await DevToolsConnection.run(to: browser.address, drawing: Self.sevens, budget: budget) { connection in
        for command in commands { try connection.send(command) }
        try await connection.receive { message in
          let soFar = received.withLockedValue { messages in
            messages.append(message)
            return messages.count
          }
          if soFar == count { throw Self.done }
        }
      }
      return (received.withLockedValue { $0 }, Self.done)
    } catch {
      return (received.withLockedValue { $0 }, error)
    }
  }

  @Test("Events and answers arrive in one order, and Chromium accepts the request")
  func order() async throws {
    var script = FakeBrowser.Script()
    script.onCommand = { id, _ in
      [.text(Self.event(2 * id - 1)), .text(["id": .number(id), "result": ["ok": .bool(true)]]), .text(Self.event(2 * id))]
    }
    let browser = try await FakeBrowser(script)
    let (messages, error) = await self.messages(
      of: browser, sending: [DevToolsCommand("A.a"), DevToolsCommand("B.b", session: "S")], count: 6)
    #expect(error == Self.done)
    let event = { (number: Int64) in DevToolsMessage.event(DevToolsEvent("Test.event", ["number": .number(number)])) }
    let result: JSON = ["ok": .bool(true)]
    #expect(
      messages == [event(1), .answer(id: 1, result: result), event(2), event(3), .answer(id: 2, result: result), event(4)])
    let head = try #require(browser.heads.withLockedValue { $0.first })
    #expect(head.uri == "/devtools/browser/1")
    #expect(head.headers["Host"] == ["127.0.0.1:\(browser.address.port)"])
    #expect(head.headers["Origin"].isEmpty)
    var commands = browser.commands.makeAsyncIterator()
    #expect(await commands.next() == ["id": 1, "method": "A.a", "params": [:]])
    #expect(await commands.next() == ["id": 2, "method": "B.b", "params": [:], "sessionId": "S"])
  }

  @Test("The WebSocket's host and port equal the address's, wherever the answer points")
  func elsewhere() async throws {
    var script = FakeBrowser.Script()
    script.version = { _ in (200, nil, #"{"webSocketDebuggerUrl":"ws://attacker.example:1/devtools/browser/2"}"#) }
    script.onOpen = { [.text(Self.event(1))] }
    let browser = try await FakeBrowser(script)
    #expect(await messages(of: browser, count: 1).messages.count == 1)
    #expect(browser.heads.withLockedValue { $0.map(\.uri) } == ["/devtools/browser/2"])
  }

  @Test(
    "An address that is no browser's is an error that says so",
    arguments: [
      (302, "http://127.0.0.1:1/json/version", "{}", "redirect 302"), (404, nil, "", "status 404"),
      (200, nil, "<html>", "without a webSocketDebuggerUrl"), (200, nil, "{}", "without a webSocketDebuggerUrl"),
      (200, nil, #"{"webSocketDebuggerUrl":"ws://h/a b"}"#, "without a webSocketDebuggerUrl"),
      (200, nil, #"{"webSocketDebuggerUrl":"ws://h/a\r\nX: y"}"#, "without a webSocketDebuggerUrl"),
      (200, nil, String(repeating: " ", count: 70_000), "the response is larger than 65536 bytes; start"),
    ] as [(Int, String?, String, String)])
  func version(status: Int, location: String?, body: String, text: String) async throws {
    var script = FakeBrowser.Script()
    script.version = { _ in (status, location, body) }
    let error = await self.messages(of: try await FakeBrowser(script)).error
    #expect(error.description.contains(text), "\(error)")
    #expect(error.code == .unreachable || error.code == .malformed)
  }

  @Test("Silence ends at the deadline, a refused WebSocket and a closed port at once")
  func unreachable() async throws {
    var silent = FakeBrowser.Script()
    silent.version = { _ in nil }
    let browser = try await FakeBrowser(silent)
    let error = await #expect(throws: DevToolsError.self) {
      try await DevToolsConnection.run(
        to: browser.address, drawing: Self.sevens, setupLimit: .milliseconds(20)
      ) {
        _ in
      }
    }
    #expect(error?.description.contains("within 20 ms") == true)
    var refusing = FakeBrowser.Script()
    refusing.accepts = false
    #expect(await messages(of: try await FakeBrowser(refusing)).error.code == .unreachable)
    let closed = try DevToolsAddress("http://127.0.0.1:1")
    let refusal = await #expect(throws: DevToolsError.self) {
      try await DevToolsConnection.run(to: closed, drawing: Self.sevens) { _ in }
    }
    #expect(
      refusal?.description
        == "DevTools at 127.0.0.1:1 accepts no connection; start the browser with "
        + "--remote-debugging-port and --user-data-dir")
  }

  @Test("A WebSocket with a path is used as it is, and nothing else is read")
  func path() async throws {
    var script = FakeBrowser.Script()
    script.version = { _ in (404, nil, "") }
    let browser = try await FakeBrowser(script)
    let address = try DevToolsAddress("ws://127.0.0.1:\(browser.address.port)/session/ab/se/cdp")
    try await DevToolsConnection.run(to: address, drawing: Self.sevens) { #expect($0.product == "a browser") }
    #expect(browser.heads.withLockedValue { $0.map(\.uri) } == ["/session/ab/se/cdp"])
  }

  @Test("Fragments are one message, a ping gets a pong, and events with text that is not Unicode are skipped")
  func frames() async throws {
    var script = FakeBrowser.Script()
    script.onOpen = {
      [
        .ping, .raw(#"{"method":"Runtime.consoleAPICalled","params":{"text":"\ud800"}}"#),
        .fragments([#"{"method":"Test"#, #".event","params":"#, #"{"number":1}}"#]),
      ]
    }
    let browser = try await FakeBrowser(script)
    #expect(await messages(of: browser, count: 1).messages == [.event(DevToolsEvent("Test.event", ["number": 1]))])
    var commands = browser.commands.makeAsyncIterator()
    #expect(await commands.next() == "pong")
  }

  @Test(
    "A breach of the protocol ends the connection with a reason",
    arguments: [
      ("not JSON", DevToolsError.Code.malformed), (#"{"method":"#, .malformed), (#"{"id":99,"result":{}}"#, .malformed),
      (#"{"id":1,"result":{"text":"\ud800"}}"#, .malformed), ("[]", .malformed), (#"{"error":{"code":-32700}}"#, .malformed),
    ])
  func malformed(text: String, code: DevToolsError.Code) async throws {
    var script = FakeBrowser.Script()
    script.onOpen = { [.text(Self.event(1)), .raw(text)] }
    let (messages, error) = await self.messages(of: try await FakeBrowser(script))
    #expect(messages.count == 1)
    #expect(error.code == code, "\(error)")
  }

  private static let badFrames: [(WebSocketFrame, String)] = [
    (WebSocketFrame(fin: true, opcode: .text, maskKey: [1, 2, 3, 4], data: ByteBuffer(string: "{}")), "a frame with a mask"),
    (WebSocketFrame(fin: true, rsv1: true, opcode: .text, data: ByteBuffer(string: "{}")), "a frame with reserved bits"),
    (WebSocketFrame(fin: true, rsv3: true, opcode: .ping, data: ByteBuffer()), "a frame with reserved bits"),
    (WebSocketFrame(fin: true, opcode: .reserved(3), data: ByteBuffer()), "the reserved opcode 3"),
    (WebSocketFrame(fin: true, opcode: .reserved(11), data: ByteBuffer()), "the reserved opcode 11"),
    (WebSocketFrame(fin: false, opcode: .ping, data: ByteBuffer()), "a control frame that is longer"),
    (WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer(repeating: 1, count: 126)), "a control frame that is longer"),
    (WebSocketFrame(fin: true, opcode: .continuation, data: ByteBuffer()), "fragments that are not a message"),
  ]

  @Test("A frame that no server sends ends the connection, with a text without names of the code", arguments: badFrames)
  func frameRules(_ frame: WebSocketFrame, _ text: String) async throws {
    var script = FakeBrowser.Script()
    script.onOpen = { [.text(Self.event(1)), .frame(frame), .text(Self.event(2))] }
    let (messages, error) = await self.messages(of: try await FakeBrowser(script))
    #expect(messages.count == 1)
    #expect(
      error.code == .malformed && error.description.hasPrefix("the browser sent ") && error.description.contains(text),
      "\(error)")
    #expect(
      !error.description.contains("Error") && !error.description.contains("NIO") && !error.description.contains("context at"))
  }

  @Test("A browser that does not read ends the connection", .timeLimit(.minutes(10)))
  func unreadCommands() async throws {
    var script = FakeBrowser.Script()
    script.reads = false
    let command = DevToolsCommand("A.a", ["text": .string(String(repeating: "x", count: 1_048_576))])
    let error = await messages(of: try await FakeBrowser(script), sending: Array(repeating: command, count: 64)).error
    #expect(error == DevToolsError(.tooLarge, "the browser left 16777216 bytes of commands unread; restart it"))
  }

  @Test("The messages of all connections share one budget, which small messages do not need", .timeLimit(.minutes(10)))
  func sharedBudget() async throws {
    let budget = MessageBudget(limit: 1_000_000)
    var script = FakeBrowser.Script()
    script.onOpen = { [.frame(WebSocketFrame(fin: false, opcode: .text, data: ByteBuffer(repeating: 0x20, count: 1_000_000)))] }
    let large = try await FakeBrowser(script)
    script.onOpen = { [.text(Self.event(1))] }
    let small = try await FakeBrowser(script)
    await withTaskGroup(of: DevToolsError.self) { group in
      for _ in 1...2 { group.addTask { await messages(of: large, budget: budget).error } }
      #expect(await group.next() == .overBudget)
      #expect(await messages(of: small, count: 1, budget: budget).error == Self.done)
      group.cancelAll()
      #expect(await group.next() == .stopped)
    }
  }

  @Test("A message holds its bytes until it is handled, and a connection that is over holds none")
  func heldBytes() {
    let (budget, allowance) = (MessageBudget(limit: 10), MessageBudget.allowance)
    let (first, second, third) = (HeldBytes(budget), HeldBytes(budget), HeldBytes(budget))
    #expect(first.add(allowance + 10, to: .incomplete) && second.add(allowance, to: .unsent))
    // It is over then.
    #expect(!second.add(1, to: .unsent) && second.add(1, to: .unsent))
    first.complete(allowance + 8)
    #expect(third.add(allowance + 2, to: .unsent))
    first.add(-8, to: .waiting)
    #expect(third.add(8, to: .unsent))
    third.end()
    #expect(first.add(10, to: .incomplete))
  }

  @Test("The end of the task ends each step of the setup", .timeLimit(.minutes(10)), arguments: [true, false])
  func cancellation(ofVersion isVersionSilent: Bool) async throws {
    let isAsked = NIOLockedValueBox(false)
    var script = FakeBrowser.Script()
    if isVersionSilent {
      script.version = { _ in
        isAsked.withLockedValue { $0 = true }
        return nil
      }
    } else {
      script.accepts = nil
    }
    let browser = try await FakeBrowser(script)
    let connecting = Task {
      try await DevToolsConnection.run(to: browser.address, drawing: Self.sevens, setupLimit: .hours(1)) { _ in }
    }
    while !isAsked.withLockedValue(\.self), browser.heads.withLockedValue(\.isEmpty) { await Task.yield() }
    connecting.cancel()
    let error = await #expect(throws: DevToolsError.self) { try await connecting.value }
    #expect(error == .stopped)
  }

  @Test("A message of more than 16 MiB ends the connection, in one frame and in fragments")
  func tooLarge() async throws {
    let half = String(repeating: "x", count: DevToolsConnection.messageLimit / 2 + 1)
    for isWhole in [true, false] {
      var script = FakeBrowser.Script()
      script.onOpen = { isWhole ? [.raw(half + half)] : [.fragments([half, half])] }
      let error = await messages(of: try await FakeBrowser(script)).error
      #expect(error.code == .tooLarge, "\(error)")
    }
  }

  @Test("A browser that closes, or is gone, ends the connection with a reason", arguments: [true, false])
  func closed(isClean: Bool) async throws {
    var script = FakeBrowser.Script()
    script.onCommand = { _, _ in isClean ? [.close] : [.disconnect] }
    let error = await self.messages(of: try await FakeBrowser(script), sending: [DevToolsCommand("A.a")]).error
    #expect(error.code == .closed)
  }

  @Test("An error of the network names its cause, and no type")
  func causes() {
    let errors: [any Error] = [
      IOError(errnoCode: ECONNRESET, reason: "read"), ChannelError.eof, ChannelError.connectTimeout(.seconds(1)),
      HTTPParserError.invalidConstant, DevToolsConnectionTests.Unknown(),
    ]
    #expect(
      errors.map(DevToolsError.cause) == [
        "Connection reset by peer", "the connection was closed", "no connection was accepted in time",
        "the response is not HTTP",
        "the response is not one of DevTools",
      ])
  }

  private struct Unknown: Error {}

  @Test("The answers of a target that is gone are not awaited, and a second answer is an error")
  func commandTable() throws {
    var table = CommandTable()
    let first = try table.insert(session: "S")
    let second = try table.insert(session: nil)
    _ = try table.message(Array(#"{"method":"Target.detachedFromTarget","params":{"sessionId":"S"}}"#.utf8))
    #expect(try table.message(Array("{\"id\":\(first),\"result\":{}}".utf8)) == nil)
    let refusal = Array("{\"id\":\(second),\"error\":{\"code\":1}}".utf8)
    #expect(try table.message(refusal) == .answer(id: second, result: nil))
    #expect(throws: DevToolsError.self) { try table.message(refusal) }
    for _ in 0..<CommandTable.limit { _ = try table.insert(session: nil) }
    let error = #expect(throws: DevToolsError.self) { try table.insert(session: nil) }
    #expect(error?.code == .tooLarge)
  }
}

extension WebSocketOpcode {
  fileprivate static func reserved(_ number: UInt8) -> WebSocketOpcode {
    WebSocketOpcode(encodedWebSocketOpcode: number) ?? .text
  }
}
