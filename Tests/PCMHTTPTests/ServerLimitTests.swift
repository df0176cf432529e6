import Foundation
import PCMHTTP
import Testing

/// Size, time, and connection limits on real sockets.
@Suite struct ServerLimitTests {
  private static let get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"

  private static func limits(_ change: (inout ServerLimits) -> Void = { _ in }) -> ServerLimits {
    // A busy machine exceeds the default time limits, so each test sets the ones that it needs.
    var limits = ServerLimits.patient
    change(&limits)
    return limits
  }

  private func expectProblem(_ answer: String, _ status: Int, _ name: String) {
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(400))")
    #expect(answer.lowercased().contains("\r\ncontent-type: application/problem+json\r\n"))
    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
    #expect(answer.contains("\"type\":\"urn:pcm-browser:problem:\(name)\",\"code\":\"\(name)\""))
    #expect(answer.contains("\"retryable\":\([408, 503].contains(status))"))
    // There is no complete request to identify.
    #expect(!answer.contains("requestId"))
  }

  @Test func aHeadMayHaveAHundredFields() async throws {
    try await LiveServer.run(Self.limits()) { server in
      func fields(_ count: Int) -> String { (0..<count).map { "x-\($0): y\r\n" }.joined() }
      let most = try await server.exchange(Self.get + fields(98) + "Connection: close\r\n\r\n")
      #expect(most.hasPrefix("HTTP/1.1 200 "), "\(most)")
      expectProblem(try await server.exchange(Self.get + fields(100) + "\r\n"), 431, "head-too-large")
      expectProblem(try await server.exchange(Self.get + fields(200_000)), 431, "head-too-large")
    }
  }

  @Test func aHeadMayHave32KiB() async throws {
    try await LiveServer.run(Self.limits()) { server in
      func field(_ size: Int) -> String { "x: " + String(repeating: "y", count: size) + "\r\n" }
      let most = try await server.exchange(Self.get + field(32_000) + "Connection: close\r\n\r\n")
      #expect(most.hasPrefix("HTTP/1.1 200 "), "\(most)")
      expectProblem(try await server.exchange(Self.get + field(33_000) + "\r\n"), 431, "head-too-large")
      let many = (0..<99).map { "x-\($0): " + String(repeating: "y", count: 400) + "\r\n" }.joined()
      expectProblem(try await server.exchange(Self.get + many + "\r\n"), 431, "head-too-large")
      expectProblem(try await server.exchange(Self.get + field(8 << 20)), 431, "head-too-large")
    }
  }

  @Test(arguments: [(8_192, 404), (8_193, 414), (30_000, 414), (40_000, 414), (4 << 20, 414)])
  func aTargetMayHave8KiB(_ size: Int, _ status: Int) async throws {
    try await LiveServer.run(Self.limits()) { server in
      let target = "/" + String(repeating: "a", count: size - 1)
      let answer = try await server.exchange("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(300))")
      if status == 414 { expectProblem(answer, 414, "target-too-long") }
    }
  }

  @Test(arguments: ["\u{1}\u{2}nonsense\r\n\r\n", "GET / HTTP/1.1\r\nbad header\r\n\r\n", "GET / HTTP/3.0\r\n\r\n"])
  func invalidHTTPIsRejected(_ text: String) async throws {
    try await LiveServer.run(Self.limits()) { server in
      expectProblem(try await server.exchange(text), 400, "malformed")
    }
  }

  @Test func silentConnectionsAreClosed() async throws {
    try await LiveServer.run(Self.limits { $0.openingTime = .milliseconds(50) }) { server async throws in
      #expect(try await server.exchange("") == "")
    }
  }

  @Test func idleConnectionsAreClosed() async throws {
    try await LiveServer.run(Self.limits { $0.idleTime = .milliseconds(50) }) { server in
      let answer = try await server.exchange(Self.get + "\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("}"), "\(answer)")
    }
  }

  @Test func aSlowHeadTimesOut() async throws {
    let limits = Self.limits { limits in
      limits.headTime = .milliseconds(100)
      limits.headBytes = 1 << 30
    }
    try await drip(limits, Self.get + "x: ", status: 408)
  }

  @Test func aSlowBodyTimesOut() async throws {
    let head = "POST /v1/browsers/default/link-clicks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    try await drip(Self.limits { $0.bodyTime = .milliseconds(100) }, head + "Content-Length: 65000\r\n\r\n", status: 408)
  }

  /// Sends a byte at a time, without an end, until the service has had enough.
  private func drip(_ limits: ServerLimits, _ start: String, status: Int) async throws {
    try await LiveServer.run(limits) { server in
      try await server.connect { line in
        try await line.send(start)
        let send = line.sender
        let drops = Task {
          // One byte for each step of another conversation: bytes keep coming, but slowly.
          while !Task.isCancelled {
            try await send("y")
            _ = try await server.exchange(Self.get + "Connection: close\r\n\r\n")
          }
        }
        let answer = try await line.rest()
        drops.cancel()
        expectProblem(answer, status, "too-slow")
      }
    }
  }

  @Test func aSlowResponseDoesNotTimeOut() async throws {
    let limits = Self.limits { limits in
      (limits.headTime, limits.bodyTime, limits.idleTime) = (.milliseconds(50), .milliseconds(50), .milliseconds(50))
    }
    try await LiveServer.run(limits) { server in
      try await server.connect { stream in
        try await stream.send(
          "GET /v1/browsers/default/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        _ = try await stream.read(to: "\r\n\r\n")
        // Several times as long as anybody else may be quiet.
        for _ in 0..<4 { #expect(try await server.exchange(Self.get + "\r\n").hasPrefix("HTTP/1.1 200 ")) }
        let click = #"{"pageURL":"https://a.example/","attributionSourceID":"1","attributionDestination":"https://b.example"}"#
        let answer = try await server.exchange(
          "POST /v1/browsers/default/link-clicks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Connection: close\r\nContent-Length: \(click.utf8.count)\r\n\r\n\(click)")
        #expect(answer.hasPrefix("HTTP/1.1 201 "), "\(answer)")
        #expect(try await stream.read(to: "\"kind\":\"click-stored\"").contains("\"sequence\":1,"))
      }
    }
  }

  @Test func excessConnectionsAreRejected() async throws {
    try await LiveServer.run(Self.limits { $0.connections = 1 }) { server in
      try await server.connect { first in
        try await first.send(Self.get + "\r\n")
        _ = try await first.read(to: "}")
        expectProblem(try await server.exchange(""), 503, "too-many-connections")
        try await first.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(try await first.rest().contains("pcm_http_refusals_total{reason=\"too-many-connections\"} 1\n"))
      }
      // The service learns a moment later than we that the first is gone.
      var answer = ""
      for _ in 0..<1_000 where !answer.hasPrefix("HTTP/1.1 200 ") {
        // A connection may be refused and closed before anything could be said on it.
        answer = (try? await server.exchange(Self.get + "Connection: close\r\n\r\n")) ?? ""
      }
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test func rejectedAndOpenConnectionsAreCounted() async throws {
    try await LiveServer.run(Self.limits { $0.headTime = .milliseconds(50) }) { server in
      _ = try await server.exchange("GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: localhost\r\n\r\n")
      _ = try await server.exchange("GET / HT")
      _ = try await server.exchange("nonsense\r\n\r\n")
      let answer = try await server.exchange("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      for reason in ["target-too-long", "too-slow", "malformed"] {
        #expect(answer.contains("pcm_http_refusals_total{reason=\"\(reason)\"} 1\n"))
      }
      #expect(answer.contains("\npcm_http_connections "))
    }
  }

  @Test func earlierResponsesPrecedeAnError() async throws {
    try await LiveServer.run(Self.limits()) { server in
      let answer = try await server.exchange(Self.get + "\r\n" + Self.get + "\r\n" + "nonsense\r\n\r\n")
      #expect(answer.components(separatedBy: "HTTP/1.1 200 ").count == 3, "\(answer)")
      #expect(answer.components(separatedBy: "HTTP/1.1 400 ").count == 2, "\(answer)")
      #expect(answer.hasSuffix("}"))
    }
  }
}
