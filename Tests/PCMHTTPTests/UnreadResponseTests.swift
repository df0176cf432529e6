import BrowserSupport
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMStore
import Testing

@testable import PCMHTTP

/// Callers that do not read their responses.
@Suite(.timeLimit(.minutes(10))) struct UnreadResponseTests {
  private static let browser = "/v1/browsers/test"
  /// More than the buffers of two sockets.
  private static let long = RouterExtension { router in
    router.get("/long") { _, _ in String(repeating: "x", count: 64 << 20) }
  }

  private static func get(_ path: String, close: Bool = true) -> String {
    "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(close ? "Connection: close\r\n" : "")\r\n"
  }

  private static func post(_ path: String, _ body: String = "") -> String {
    """
    POST \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r
    Content-Length: \(body.utf8.count)\r\n\r\n\(body)
    """
  }

  private func metric(_ name: String, of server: LiveServer) async throws -> Int? {
    let metrics = try await server.exchange(Self.get("/metrics"))
    return metrics.split(separator: "\r\n").joined(separator: "\n").split(separator: "\n").first { $0.hasPrefix("\(name) ") }
      .flatMap { Int($0.dropFirst(name.utf8.count + 1)) }
  }

  /// Waits until a number of calls are answered, and returns the number of those that succeeded.
  private func successes(of count: Int, _ method: String, _ route: String, _ server: LiveServer) async throws -> Int {
    let name = #"pcm_http_requests_total{route="\#(route)",method="\#(method)",status="#
    var (succeeded, refused) = (0, 0)
    while succeeded + refused < count {
      succeeded = try await metric(name + "\"2xx\"}", of: server) ?? 0
      refused = try await metric(name + "\"5xx\"}", of: server) ?? 0
    }
    return succeeded
  }

  /// Waits until a call is answered with 200. What its predecessors occupied is then free.
  private func succeeds(_ call: String, _ server: LiveServer) async throws {
    var answer = ""
    while !answer.hasPrefix("HTTP/1.1 200 ") { answer = try await server.exchange(call) }
  }

  private func expectBusy(_ call: String, _ server: LiveServer) async throws {
    let answer = try await server.exchange(call)
    #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains(#""code":"busy""#), "\(answer)")
    #expect(answer.contains(#""retryable":true"#))
  }

  @Test("a connection that accepts nothing of a response is closed")
  func stalled() async throws {
    var limits = ServerLimits.patient
    limits.writeTime = .milliseconds(200)
    try await LiveServer.run(limits, extension: Self.long) { server in
      try await server.connect { line in
        try await line.send(Self.get("/long"))
        var closed: Int?
        while closed != 1 { closed = try await metric("pcm_http_refusals_total{reason=\"unread\"}", of: server) }
        #expect(try await metric("pcm_http_unread_bytes", of: server) == 0)
      }
    }
  }

  @Test("an event stream that accepts nothing is closed")
  func stalledStream() async throws {
    var limits = ServerLimits.patient
    limits.writeTime = .milliseconds(200)
    let store = MemoryStore()
    try await LiveServer.run(limits, store: store) { server in
      let browser = try #require(try await store.browsers().first)
      // More than the buffers of the system hold.
      try await store.write(browser.id) { writer in
        for _ in 0..<1_000 { try writer.append(EventStreamTests.event(String(repeating: "x", count: 32_768)), at: Scene.start) }
      }
      try await server.connect { line in
        let head = "GET /v1/browsers/\(browser.name)/events?after=0 HTTP/1.1\r\nHost: localhost\r\n"
        try await line.send(head + "Accept: text/event-stream\r\n\r\n")
        var closed: Int?
        while closed != 1 { closed = try await metric("pcm_http_refusals_total{reason=\"unread\"}", of: server) }
      }
    }
  }

  @Test("a caller that reads steadily makes progress in small steps")
  func slow() async throws {
    try await LiveServer.run(.patient, extension: Self.long) { server in
      try await server.connect { line in
        try await line.send(Self.get("/long"))
        var (unread, total, step, longest) = (0, 0, 0, 0)
        while total < 4 << 20 {
          let read = try await line.read(atLeast: 65_536)
          try #require(read > 0, "the connection stays open")
          (total, step) = (total + read, step + read)
          let left = try await metric("pcm_http_unread_bytes", of: server) ?? 0
          if left < unread { (longest, step) = (max(longest, step), 0) }
          unread = left
        }
        #expect(max(longest, step) <= 1_200_000, "a reader of 40 KB/s makes progress in 30 seconds")
      }
    }
  }

  @Test("a response of many parts arrives in full, and nothing of it is counted afterward")
  func complete() async throws {
    try await LiveServer.run(.patient, extension: Self.long) { server in
      let answer = try await server.exchange(Self.get("/long"))
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
      #expect(answer.count { $0 == "x" } > 64 << 20 - 1)
      #expect(try await metric("pcm_http_unread_bytes", of: server) == 0)
    }
  }

  @Test("small responses that are not read are counted, and not any longer when they have arrived")
  func small() async throws {
    let size = ServerLimits.patient.partBytes - 1
    let short = RouterExtension { router in
      router.get("/short") { _, _ in String(repeating: "x", count: size) }
    }
    try await LiveServer.run(.patient, extension: short) { server in
      try await server.connect { line in
        // More than the buffers of two sockets.
        let count = 300
        for _ in 1..<count { try await line.send(Self.get("/short", close: false)) }
        try await line.send(Self.get("/short"))
        while try await metric("pcm_http_unread_bytes", of: server) == 0 {}
        #expect(try await line.rest().count { $0 == "x" } >= count * size)
        #expect(try await metric("pcm_http_unread_bytes", of: server) == 0)
      }
      try await server.connect { line in
        for _ in 1...300 { try await line.send(Self.get("/short", close: false)) }
        while try await metric("pcm_http_unread_bytes", of: server) == 0 {}
      }
      while try await metric("pcm_http_unread_bytes", of: server) != 0 {}
    }
  }

  @Test("lists of which nothing is read are refused when they exceed the total together")
  func together() async throws {
    var limits = ServerLimits.patient
    limits.unreadBytes = 5 << 19
    let store = MemoryStore()
    try await LiveServer.run(limits, store: store) { server in
      try await Self.fill(store, "default")
      let list = Self.get("/v1/browsers/default/events?limit=1000", close: false)
      try await server.ignoreAnswer(to: list, count: 20) {
        let listed = try await successes(of: 20, "GET", "/v1/browsers/{browser}/events", server)
        #expect(listed == 2, "two pages of a megabyte")
        #expect(try await metric("pcm_http_unread_bytes", of: server) ?? 0 <= limits.unreadBytes)
      }
      try await succeeds(Self.get("/v1/browsers/default/events"), server)
    }
  }

  /// Routes with a response of a megabyte, which are not marked as long.
  private static func largeRoutes(_ limits: ServerLimits) -> RouterExtension {
    RouterExtension { router in
      var routes = RouteTable(router: router, responses: LongResponses(limits))
      for method in [HTTPRequest.Method.get, .post] {
        routes.on("/large", method) { _, _ in Response(text: String(repeating: "x", count: 1 << 20)) }
      }
    }
  }

  @Test(
    "large responses of any route count, and beyond the total only those to a POST that just took effect are sent",
    arguments: [("GET", 2), ("POST", 20)])
  func large(_ method: String, _ sent: Int) async throws {
    var limits = ServerLimits.patient
    limits.unreadBytes = 5 << 19
    try await LiveServer.run(limits, extension: Self.largeRoutes(limits)) { server in
      let call = method == "GET" ? Self.get("/large", close: false) : Self.post("/large")
      try await server.ignoreAnswer(to: call, count: 20) {
        #expect(try await successes(of: 20, method, "/large", server) == sent)
        try await expectBusy(Self.get("/large"), server)
      }
      try await succeeds(Self.get("/large"), server)
    }
  }

  @Test("a large response to a read is refused beyond the total, one to a change is sent, and a kept one is sent later")
  func repeatable() async throws {
    var limits = ServerLimits.patient
    (limits.partBytes, limits.unreadBytes) = (100, 200)
    let store = MemoryStore()
    let browser = #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"}}"#
    let day = Array(#"{"by":"P1D"}"#.utf8)
    let advance = "\(Self.browser)/clock/advance"
    try await Application(router: try await API.router(store: store, limits: limits)).test(.router) { [limits] client in
      let api = API(client: client)
      #expect(try await api.call(.put, Self.browser, browser).status == 201)
      let read = try await api.call(.get, Self.browser)
      #expect(read.status == 503 && read.text.contains(#""code":"busy""#), "\(read.text)")
      let moved = try await api.call(.post, advance, bytes: day, type: "application/json", headers: .key("k"))
      #expect(moved.status == 200 && moved.bytes.count > limits.unreadBytes, "\(moved.text)")
      let again = try await api.call(.post, advance, bytes: day, type: "application/json", headers: .key("k"))
      #expect(again.status == 503 && again.text.contains(#""code":"busy""#), "\(again.text)")
    }
    try await Application(router: try await API.router(store: store)).test(.router) { client in
      let api = API(client: client)
      let again = try await api.call(.post, advance, bytes: day, type: "application/json", headers: .key("k"))
      #expect(again.status == 200 && again.text.contains("2026-11-21T10:00:00.000Z"), "\(again.text)")
    }
  }

  @Test("a list that has arrived does not count while its connection stays open")
  func arrived() async throws {
    var limits = ServerLimits.patient
    limits.unreadBytes = 3 << 19
    let store = MemoryStore()
    try await LiveServer.run(limits, store: store) { server in
      try await Self.fill(store, "default")
      let path = "/v1/browsers/default/events?limit=1000"
      let size = try await server.exchange(Self.get(path)).utf8.count
      try await server.connect { line in
        try await line.send(Self.get(path, close: false))
        // The other response has an additional field, which says that its connection closes.
        #expect(try await line.read(atLeast: size - 64) >= size - 64)
        try await succeeds(Self.get(path), server)
      }
    }
  }

  @Test(
    "unread files, which all connections share in memory, do not count",
    arguments: ["/assets/swagger-ui-bundle.js", "/openapi.json"])
  func shared(_ path: String) async throws {
    var limits = ServerLimits.patient
    limits.unreadBytes = 1 << 20
    try await LiveServer.run(limits) { server in
      try await server.ignoreAnswer(to: Self.get(path, close: false), count: 20) {
        while try await metric("pcm_http_unread_bytes", of: server) ?? 0 <= limits.unreadBytes {}
        #expect(try await server.exchange(Self.get("/v1/browsers/default/events")).hasPrefix("HTTP/1.1 200 "))
      }
    }
  }

  @Test(
    "a list or a part of a page whose caller has left is not completed",
    arguments: ["/v1/browsers/default/events"]
      + ["summary", "timeline", "charts", "messages"].map { "/browsers/default/\($0)" })
  func departed(_ path: String) async throws {
    let (gate, holdsNext, reads) = (Gate(), NIOLockedValueBox(false), AsyncStream.makeStream(of: Void.self))
    let store = ObservedStore(
      MemoryStore(),
      StoreObserver(beforeRead: {
        guard
          holdsNext.withLockedValue({ holdsNext in
            defer { holdsNext = false }
            return holdsNext
          })
        else { return }
        reads.continuation.yield()
        await gate.wait()
      }))
    try await LiveServer.run(.patient, store: store) { server in
      holdsNext.withLockedValue { $0 = true }
      try await server.connect(endsInReset: true) { line in
        try await line.send(Self.get(path))
        for await _ in reads.stream { break }
      }
      while try await metric("pcm_http_connections", of: server) != 1 {}
      gate.open()
      let place = path.replacing("/default/", with: "/{browser}/")
      let route = #"pcm_http_requests_total{route="\#(place)",method="GET",status="#
      var (completed, canceled) = (0, 0)
      while completed + canceled == 0 {
        completed = try await metric(route + "\"2xx\"}", of: server) ?? 0
        canceled = try await metric(route + "\"4xx\"}", of: server) ?? 0
      }
      #expect((completed, canceled) == (0, 1))
    }
  }

  /// Adds 300 events of 8 KB each to the log of a browser.
  private static func fill(_ store: MemoryStore, _ name: String) async throws {
    let browser = try #require(try await store.browsers().first { $0.name == name })
    let filler = BrowserEvent.clickDiscarded(
      ClickDiscarded(
        origin: .linkClick, destination: nil, reasons: [Reason("no-user-gesture", String(repeating: "x", count: 8_000))],
        decision: nil))
    try await store.write(browser.id) { writer in
      for _ in 1...300 { try writer.append(filler, at: Scene.start) }
    }
  }

  @Test("lists are refused, and clocks do not move, while too many bytes wait for other callers")
  func total() async throws {
    var limits = ServerLimits.patient
    limits.unreadBytes = 3 << 19
    let store = MemoryStore()
    try await LiveServer.run(limits, store: store) { server in
      try await Self.fill(store, "default")
      let events = "/v1/browsers/default/events"
      let manual = #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"}}"#
      let created = try await server.exchange(Self.post("/v1/browsers", manual))
      let name = try #require(created.firstMatch(of: /"name":"([^"]+)"/)?.1)
      let advance = Self.post("/v1/browsers/\(name)/clock/advance", #"{"by":"P1D"}"#)
      try await server.ignoreAnswer(to: Self.get("\(events)?limit=1000", close: false), count: 1) {
        while try await metric("pcm_http_unread_bytes", of: server) == 0 {}
        for call in [Self.get(events), advance] { try await expectBusy(call, server) }
        #expect(try await server.exchange(Self.get("/healthz")).hasPrefix("HTTP/1.1 200 "))
        let unmoved = try await server.exchange(Self.get("/v1/browsers/\(name)"))
        #expect(unmoved.contains(#""now":"2026-11-20T10:00:00.000Z""#), "\(unmoved)")
      }
      try await succeeds(Self.get(events), server)
      try await succeeds(advance, server)
    }
  }

  @Test("waits and streams leave connections to other calls")
  func waits() async throws {
    var limits = ServerLimits.patient
    limits.connections = 6
    try await LiveServer.run(limits) { server in
      let events = "/v1/browsers/default/events"
      let stream = "GET \(events) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
      try await server.connect { first in
        try await first.send(stream)
        _ = try await first.read(to: "\r\n\r\n")
        try await server.connect { second in
          try await second.send(stream)
          _ = try await second.read(to: "\r\n\r\n")
          try await server.connect { third in
            try await third.send(stream)
            _ = try await third.read(to: "\r\n\r\n")
            for call in [stream.replacing("\r\n\r\n", with: "\r\nConnection: close\r\n\r\n"), Self.get("\(events)?wait=PT5M")] {
              let answer = try await server.exchange(call)
              #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains(#""code":"busy""#), "\(answer)")
            }
            #expect(try await server.exchange(Self.get(events)).hasPrefix("HTTP/1.1 200 "))
          }
        }
      }
      // The places of the readers are free again.
      let heads = AsyncStream.makeStream(of: String.self)
      var found = heads.stream.makeAsyncIterator()
      var head: String? = ""
      while head?.hasPrefix("HTTP/1.1 200 ") != true {
        try await server.connect { line in
          try await line.send(stream)
          heads.continuation.yield(try await line.read(to: "\r\n\r\n"))
        }
        head = await found.next()
      }
    }
  }

  @Test("a page ends with the item that reaches a megabyte", arguments: ["", "&wait=PT0S", "&kind=click-discarded"])
  func pages(_ filter: String) async throws {
    let store = MemoryStore()
    try await API.test(store: store) { api in
      try await Self.fill(store, "test")
      let first = try await api.call(.get, "\(Self.browser)/events?limit=1000\(filter)")
      #expect((1_000_000...1_200_000).contains(first.bytes.count))
      #expect(try first.object["next"] is String)
      #expect(try first.position("resumeAfter") == first.position())
      let path = "\(Self.browser)/events?limit=1000\(filter)"
      let sequences = try await api.items(path).compactMap { $0["sequence"] as? Int }
      #expect(sequences.suffix(300) == Array(2...301)[...])
      let clicks = try await api.call(.get, "\(Self.browser)/clicks?limit=1000")
      #expect((1_000_000...1_200_000).contains(clicks.bytes.count))
      #expect(try await api.items("\(Self.browser)/clicks?limit=1000").count == 300)
    }
  }

  @Test("a page with decisions ends with the event that reaches a megabyte with them")
  func decisions() async throws {
    let store = MemoryStore()
    let rules = RuleList((1...40).map { RuleHeading(name: "rule-\($0)-\(String(repeating: "x", count: 500))", inputs: []) })
    let decided = BrowserEvent.clickDiscarded(
      ClickDiscarded(
        origin: .linkClick, destination: nil, reasons: [Reason("no-user-gesture", "x")],
        decision: RecordedDecision(rules: rules, inputs: [], failed: "rule-40", change: "wait")))
    try await API.test(store: store) { api in
      let browser = try #require(try await store.browsers().first { $0.name == "test" })
      try await store.write(browser.id) { writer in
        for _ in 1...200 { try writer.append(decided, at: Scene.start) }
      }
      let path = "\(Self.browser)/events?limit=1000&include=decision"
      let first = try await api.call(.get, path)
      #expect((1_000_000...1_200_000).contains(first.bytes.count), "\(first.bytes.count)")
      #expect(try first.position("resumeAfter") == first.position())
      #expect(try await api.items(path).compactMap { $0["sequence"] as? Int } == Array(1...201))
    }
  }
}
