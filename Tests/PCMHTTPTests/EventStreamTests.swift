import AsyncHTTPClient
import BrowserSupport
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
  /// The lines of a stream that begin with a field's name, as they arrive.
  private func ids(_ port: Int, count: Int, after: Int64? = nil, onReady: () async throws -> Void = {}) async throws -> [Int64]
  {
    var request = HTTPClientRequest(url: "http://localhost:\(port)/v1/browsers/test/events")
    request.headers.add(name: "Accept", value: "text/event-stream")
    if let after { request.headers.add(name: "Last-Event-ID", value: String(after)) }
    let response = try await HTTPClient.shared.execute(request, timeout: .minutes(1))
    #expect(response.headers.first(name: "Content-Type") == "text/event-stream")
    try await onReady()
    var (rest, ids) = (Substring(), [Int64]())
    for try await chunk in response.body {
      rest += String(buffer: chunk)
      while let end = rest.firstIndex(of: "\n") {
        if rest.hasPrefix("id: "), let id = Int64(rest[..<end].dropFirst(4)) { ids.append(id) }
        rest = rest[rest.index(after: end)...]
      }
      if ids.count >= count { break }
    }
    return ids
  }

  private func live(_ body: @escaping @Sendable (any TestClientProtocol, Int) async throws -> Void) async throws {
    let router = try await API.router(sleep: Scene.endlessSleep)
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("localhost", port: 0)))
    try await application.test(.live) { client in
      let clock = #"{"clock":{"mode":"manual","now":"2026-11-20T10:00:00.000Z"},"seed":"seed"}"#
      try await client.execute(
        uri: "/v1/browsers/test", method: .put, headers: [.contentType: "application/json"], body: ByteBuffer(string: clock)
      ) { #expect($0.status == .created) }
      try await body(client, try #require(client.port))
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

  @Test func whatIsThereComesFirstAndThenWhatHappens() async throws {
    try await live { client, port in
      for number in 1...3 { try await Self.click(client, number) }
      let ids = try await ids(port, count: 6) { for number in 4...6 { try await Self.click(client, number) } }
      #expect(ids == [1, 2, 3, 4, 5, 6])
    }
  }

  @Test func aReaderWhoWasCutOffGoesOnWhereHeWas() async throws {
    try await live { client, port in
      for number in 1...5 { try await Self.click(client, number) }
      #expect(try await ids(port, count: 2, after: 3) == [4, 5])
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

  @Test func aReaderWhoFallsFarBehindIsToldSoAndLetGo() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    var iterator = EventStream(browser: scene.browser, start: 0).makeAsyncIterator()
    #expect(try await iterator.next().map { String(buffer: $0).hasPrefix("id: 1\nevent: app-registered\ndata: {") } == true)
    try await store.write(scene.browser.record.id) { writer in
      for _ in 0...10_000 { try writer.append(.clickDiscarded, at: Scene.start, [:]) }
    }
    let farewell = try await iterator.next().map { String(buffer: $0) }
    #expect(farewell == "event: reader-too-slow\ndata: {\"behind\":10001,\"resumeAfter\":1}\n\n")
    #expect(try await iterator.next() == nil)
  }

  @Test func aReaderWhoComesLateCatchesUpHoweverMuchThereIs() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    try await store.write(scene.browser.record.id) { writer in
      for _ in 0...10_000 { try writer.append(.clickDiscarded, at: Scene.start, [:]) }
    }
    var (count, iterator) = (0, EventStream(browser: scene.browser, start: 0).makeAsyncIterator())
    while count < 10_002, let page = try await iterator.next() {
      count += String(buffer: page).split(separator: "\n").count { $0.hasPrefix("id: ") }
    }
    #expect(count == 10_002)
    #expect(try await iterator.next().map { String(buffer: $0) } == ": nothing happened\n\n", "time runs out at once here")
  }
}
