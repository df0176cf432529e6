import BrowserSupport
import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import PCMBrowser
import PCMCore
import PCMStore
import Testing

@testable import PCMHTTP

/// Callers that do not read their responses, and the size of pages.
@Suite(.timeLimit(.minutes(10))) struct ResponseLimitTests {
  private static let browser = "/v1/browsers/test"
  /// More than the buffers of two sockets.
  private static let long = RouterExtension { router in
    router.get("/long") { _, _ in String(repeating: "x", count: 64 << 20) }
  }

  private static func get(_ path: String) -> String {
    "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
  }

  private func metric(_ name: String, of server: LiveServer) async throws -> Int? {
    let metrics = try await server.exchange(Self.get("/metrics"))
    return metrics.split(separator: "\r\n").joined(separator: "\n").split(separator: "\n").first { $0.hasPrefix("\(name) ") }
      .flatMap { Int($0.dropFirst(name.utf8.count + 1)) }
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

  @Test("a long response arrives in full")
  func complete() async throws {
    try await LiveServer.run(.patient, extension: Self.long) { server in
      let answer = try await server.exchange(Self.get("/long"))
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
      #expect(answer.count { $0 == "x" } > 64 << 20 - 1)
    }
  }

  @Test("a page with decisions ends with the event that reaches a megabyte with them")
  func decisions() async throws {
    let store = MemoryStore()
    let rules = RuleList((1...40).map { RuleHeading(name: "rule-\($0)-\(String(repeating: "x", count: 500))", inputs: []) })
    let decided = ClickDiscarded(
      origin: .linkClick, destination: nil, reasons: [Reason("no-user-gesture", "x")],
      decision: RecordedDecision(rules: rules, inputs: [], failed: "rule-40", change: "wait"))
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
