import AsyncHTTPClient
import BrowserSupport
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import PCMBrowser
import PCMCore
import PCMStore
import Testing

@testable import PCMHTTP

/// The log as server-sent events, over a real socket.
@Suite struct EventStreamTests {
  /// The shared client opens eight connections to a host, and readers would wait for each other.
  private static let readers: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 32
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  /// The lines of a stream that begin with a field's name, as they arrive.
  private func ids(_ port: Int, count: Int, after cursor: String? = nil, onReady: () async throws -> Void = {}) async throws
    -> [Int64]
  {
    var request = HTTPClientRequest(url: "http://localhost:\(port)/v1/browsers/test/events")
    request.headers.add(name: "Accept", value: "text/event-stream")
    if let cursor { request.headers.add(name: "Last-Event-ID", value: cursor) }
    let response = try await Self.readers.execute(request, timeout: .minutes(10))
    #expect(response.headers.first(name: "Content-Type") == "text/event-stream")
    #expect(response.headers.first(name: "Browser-Incarnation") == "3-drawn")
    try await onReady()
    var (rest, ids) = (Substring(), [Int64]())
    for try await chunk in response.body {
      rest += String(buffer: chunk)
      while let end = rest.firstIndex(of: "\n") {
        if rest.hasPrefix("id: "), let id = Self.number(String(rest[..<end].dropFirst(4))) { ids.append(id) }
        rest = rest[rest.index(after: end)...]
      }
      if ids.count >= count { break }
    }
    return ids
  }

  /// The sequence number that an ID of the stream stands for.
  private static func number(_ id: String) -> Int64? { CursorText.position(id).flatMap { Int64($0) } }

  private func live(
    store: any Store = MemoryStore(), _ body: @escaping @Sendable (any TestClientProtocol, Int) async throws -> Void
  ) async throws {
    let router = try await API.router(store: store, sleep: Scene.endlessSleep)
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("localhost", port: 0)))
    // The calls need no socket, and the live client's timeout is too short for a busy machine.
    let calls = Application(router: router)
    try await application.test(.live) { server in
      try await calls.test(.router) { client in
        let clock = #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"},"seed":"seed"}"#
        try await client.execute(
          uri: "/v1/browsers/test", method: .put, headers: [.contentType: "application/json"],
          body: ByteBuffer(string: clock)
        ) { #expect($0.status == .created) }
        try await body(client, try #require(server.port))
      }
    }
  }

  private static func click(_ client: any TestClientProtocol, _ number: Int) async throws {
    let body = """
      {"pageURL":"https://news.example/","attributionSourceID":"1","attributionDestination":"https://d\(number).example"}
      """
    try await client.execute(
      uri: "/v1/browsers/test/link-clicks", method: .post, headers: [.contentType: "application/json"],
      body: ByteBuffer(string: body)
    ) { #expect($0.status == .created) }
  }

  @Test func aStreamContainsPastEventsThenNewOnes() async throws {
    try await live { client, port in
      for number in 1...3 { try await Self.click(client, number) }
      let ids = try await ids(port, count: 6) { for number in 4...6 { try await Self.click(client, number) } }
      #expect(ids == [1, 2, 3, 4, 5, 6])
    }
  }

  @Test func aReaderResumesAfterAnInterruption() async throws {
    try await live { client, port in
      for number in 1...5 { try await Self.click(client, number) }
      let log = "/v1/browsers/test/events"
      let third = try await API(client: client).call(.get, "\(log)?limit=3").member("resumeAfter", as: String.self)
      #expect(try await ids(port, count: 2, after: third) == [4, 5])
    }
  }

  @Test func aReaderOfAnEarlierBrowserOfTheNameReadsFromTheBeginning() async throws {
    try await live { client, port in
      let api = API(client: client)
      let other = try await api.call(.get, "/v1/browsers/default/events").member("resumeAfter", as: String.self)
      for number in 1...2 { try await Self.click(client, number) }
      #expect(try await ids(port, count: 2, after: other) == [1, 2])
    }
  }

  @Test func tenReadersSeeEveryEventOnce() async throws {
    try await live { client, port in
      try await withThrowingTaskGroup(of: [Int64].self) { group in
        for _ in 0..<10 { group.addTask { try await self.ids(port, count: 500) } }
        for number in 1...500 { try await Self.click(client, number) }
        for try await ids in group { #expect(ids == Array(1...500)) }
      }
    }
  }

  static func event(_ filler: String = "") -> any BrowserEvent {
    ClickDiscarded(origin: .linkClick, destination: nil, reasons: [Reason("no-user-gesture", filler)], decision: nil)
  }

  @Test func aSlowReaderReceivesAFinalEvent() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    let cursors = ListCursors.events(of: scene.browser)
    var iterator = EventStream(browser: scene.browser, start: 0).makeAsyncIterator()
    #expect(try await iterator.next().map { String(buffer: $0).hasPrefix("id: \(cursors.text(1))\ndata: {") } == true)
    try await store.write(scene.browser.record.id) { writer in
      for _ in 0...10_000 { try writer.append(Self.event(), at: Scene.start) }
    }
    let farewell = try await iterator.next().map { String(buffer: $0) }
    let detail = #"{"behind":10001,"resumeAfter":"\#(cursors.text(1))"}"#
    #expect(farewell == #"data: {"kind":"reader-too-slow","detail":\#(detail)}"# + "\n\n")
    #expect(try await iterator.next() == nil)
  }

  @Test func aStreamEndsWhenAnotherInstanceDeletesItsBrowser() async throws {
    let (store, otherStore) = InstanceStore.pair()
    let scene = try await Scene(store: store)
    let others = try await Scene(sleep: Scene.endlessSleep).anew(otherStore, maximumCount: 10)
    try await others.load()
    let following = Task { await others.followChanges() }
    let stream = EventStream(browser: try await others.browser(Scene.name), start: 1)
    async let messages = stream.reduce(into: [String]()) { $0.append(String(buffer: $1)) }
    try await scene.browsers.delete(Scene.name)
    #expect(try await messages.map { $0.contains("browser-deleted") } == [true])
    following.cancel()
    await following.value
  }

  @Test(arguments: [EventSelection.all, EventSelection(about: ["news.example"], kinds: [])])
  func theFinalMessageOfAStreamReportsTheDeletionOfItsBrowser(_ selection: EventSelection) async throws {
    let scene = try await Scene(sleep: Scene.endlessSleep)
    let stream = EventStream(browser: scene.browser, start: 1, selection: selection)
    async let messages = stream.reduce(into: [String]()) { $0.append(String(buffer: $1)) }
    try await scene.browsers.delete("test")
    let incarnation = scene.browser.record.incarnation
    #expect(
      try await messages == [#"data: {"kind":"browser-deleted","detail":{"incarnation":"\#(incarnation)"}}"# + "\n\n"])
  }

  @Test(arguments: [EventSelection.all, EventSelection(about: ["news.example"], kinds: [])])
  func aStreamHasTheEventsOfTheList(_ selection: EventSelection) async throws {
    let scene = try await Scene()
    try await scene.click(3)
    for includesDecisions in [false, true] {
      let stream = EventStream(
        browser: scene.browser, start: 1, selection: selection, includesDecisions: includesDecisions)
      var iterator = stream.makeAsyncIterator()
      let message = try await iterator.next().map { String(buffer: $0) }
      let page = try await scene.browser.eventPage(after: 1, limit: 1)
      let decisions = try await scene.browser.decisions(of: page.items, includesDecisions)
      let object = try #require(page.items.first).json(with: decisions)
      #expect(message == "id: \(ListCursors.events(of: scene.browser).text(2))\ndata: \(object.text)\n\n")
      #expect(object.text.contains(#""decision":{"rules":[{"rule":"#) == includesDecisions)
    }
  }

  @Test("Messages that are read at once have a limited size, with decisions, too", arguments: [false, true], [false, true])
  func partsOfAStream(_ includesDecisions: Bool, _ isFiltered: Bool) async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    let rules = RuleList((1...40).map { RuleHeading(name: "rule-\($0)-\(String(repeating: "x", count: 200))", inputs: []) })
    let event = ClickDiscarded(
      origin: .linkClick, destination: nil, reasons: [Reason("no-user-gesture", String(repeating: "x", count: 1_000))],
      decision: RecordedDecision(rules: rules, inputs: [], failed: "rule-40", change: "wait"))
    try await store.write(scene.browser.record.id) { writer in
      for _ in 1...500 { try writer.append(event, at: Scene.start) }
    }
    let stream = EventStream(
      browser: scene.browser, start: 1, selection: isFiltered ? EventSelection(kinds: [.clickDiscarded]) : .all,
      includesDecisions: includesDecisions)
    var (iterator, parts) = (stream.makeAsyncIterator(), [String]())
    while parts.joined().components(separatedBy: "\"sequence\":").count <= 500 {
      parts.append(String(buffer: try #require(try await iterator.next())))
    }
    #expect(parts.allSatisfy { $0.utf8.count <= 160_000 })
    let numbers = parts.joined().components(separatedBy: "\"sequence\":").dropFirst().map { Int($0.prefix { $0.isNumber }) }
    #expect(numbers == Array(2...501))
  }

  @Test func aWaitEndsWithTheDeletionOfItsBrowser() async throws {
    let scene = try await Scene(sleep: Scene.endlessSleep)
    let browser = scene.browser
    let page = Task { try await browser.eventPage(after: 1, limit: 1, .all, waiting: .minutes(5)) }
    try await scene.browsers.delete("test")
    await #expect(throws: StoreError.unknownBrowser) { try await page.value }
  }

  /// More than the sockets of both sides hold, so that the service has to wait for the reader.
  @Test func aStalledReaderBlocksNoOtherAndIsClosed() async throws {
    let store = MemoryStore()
    try await live(store: store) { client, port in
      var request = HTTPClientRequest(url: "http://localhost:\(port)/v1/browsers/test/events")
      request.headers.add(name: "Accept", value: "text/event-stream")
      let slow = try await Self.readers.execute(request, timeout: .minutes(10))
      var body = slow.body.makeAsyncIterator()
      try await Self.click(client, 1)
      var text = try await body.next().map { String(buffer: $0) } ?? ""
      let browser = try #require(try await store.browsers().first { $0.name == "test" })
      let filler = Self.event(String(repeating: "x", count: 1_000))
      for _ in 0..<30 {
        try await store.write(browser.id) { writer in
          for _ in 0..<1_000 { try writer.append(filler, at: Scene.start) }
        }
      }
      try await Self.click(client, 2)
      #expect(try await ids(port, count: 30_002).count >= 30_002, "a reader sees everything")
      while let chunk = try await body.next() { text += String(buffer: chunk) }
      let ids = text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.compactMap { Self.number(String($0.dropFirst(4))) }
      #expect(ids == (1...Int64(ids.count)).map { $0 }, "none is lost and none comes twice")
      #expect(ids.count < 30_002)
      #expect(text.contains(#"data: {"kind":"reader-too-slow","detail":{"behind":"#))
      let last = text.split(separator: "\n").last { $0.hasPrefix("id: ") }?.dropFirst(4) ?? ""
      #expect(text.hasSuffix("\"resumeAfter\":\"\(last)\"}}\n\n"))
    }
  }

  @Test func aLateReaderCatchesUp() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    try await store.write(scene.browser.record.id) { writer in
      for _ in 0...10_000 { try writer.append(Self.event(), at: Scene.start) }
    }
    var (count, iterator) = (0, EventStream(browser: scene.browser, start: 0).makeAsyncIterator())
    while count < 10_002, let page = try await iterator.next() {
      count += String(buffer: page).split(separator: "\n").count { $0.hasPrefix("id: ") }
    }
    #expect(count == 10_002)
    #expect(try await iterator.next().map { String(buffer: $0) } == ": no events\n\n", "time runs out at once here")
  }
}
