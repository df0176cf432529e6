import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import PCMHTTP
import Testing

/// Size, time, and connection limits on real sockets.
@Suite struct ServerLimitTests {
  private static let get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"

  private static func limits(_ change: (inout ServerLimits) -> Void = { _ in }) -> ServerLimits {
    // A busy machine exceeds the default time limits, so each test sets its time limits.
    var limits = ServerLimits.patient
    change(&limits)
    return limits
  }

  private func expectProblem(_ answer: String, _ status: Int, _ name: String) {
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(400))")
    #expect(answer.lowercased().contains("\r\ncontent-type: application/problem+json\r\n"))
    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
    #expect(answer.contains("\"type\":\"urn:pcm-browser:problem:\(name)\",\"code\":\"\(name)\""))
    #expect(answer.contains("\"retryable\":\(status == 503)"))
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

  @Test(arguments: ["\u{1}\u{2}nonsense\r\n\r\n", "GET / HTTP/1.1\r\nbad header\r\n\r\n", "GET / HTTP/3.0\r\n\r\n"])
  func invalidHTTPIsRejected(_ text: String) async throws {
    try await LiveServer.run(Self.limits()) { server in
      expectProblem(try await server.exchange(text), 400, "malformed")
    }
  }

  @Test(
    "a connection without a complete part of a request is closed",
    arguments: ["", get, get + "x: ", get + "Content-Length: 9\r\n\r\n{"])
  func incomplete(_ start: String) async throws {
    try await LiveServer.run(Self.limits { $0.idleTime = .milliseconds(50) }) { server in
      // The response to a GET precedes the end of its body. A busy machine may send the start to a closed connection.
      let answer = (try? await server.exchange(start)) ?? ""
      #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
    }
  }

  @Test func idleConnectionsAreClosed() async throws {
    try await LiveServer.run(Self.limits { $0.idleTime = .milliseconds(50) }) { server in
      let answer = try await server.patientExchange(Self.get + "\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("}\n"), "\(answer)")
    }
  }

  @Test func aSlowHeadEndsTheConnection() async throws {
    try await LiveServer.run(Self.limits { $0.idleTime = .milliseconds(100) }) { server in
      try await server.connect { line in
        // A busy machine may send it to a closed connection.
        try? await line.send(Self.get + "x: ")
        let send = line.sender
        let drops = Task {
          // One byte for each step of another conversation: bytes keep coming, but slowly.
          while !Task.isCancelled {
            try await send("y")
            _ = try await server.exchange(Self.get + "Connection: close\r\n\r\n")
          }
        }
        let answer = try? await line.rest()
        drops.cancel()
        #expect(answer ?? "" == "")
      }
    }
  }

  private static let manifest =
    "PUT /v1/browsers/default/apps HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-plist\r\n"
  private static let click = CancellationTests.request(
    "POST", "/v1/browsers/default/link-clicks", CancellationTests.click, keepAlive: false)

  @Test("large files are read in the threads for blocking work, and other calls do not wait for them")
  func files() async throws {
    let plist = """
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.app</string></dict></plist>
      """
    try await LiveServer.run(Self.limits()) { server in
      let lock = ConditionLock(value: false)
      for _ in 0..<NIOSingletons.blockingPoolThreadCountSuggestion {
        NIOThreadPool.singleton.submit { _ in
          lock.lock(whenValue: true)
          lock.unlock()
        }
      }
      try await server.connect { line in
        try await line.send(Self.manifest + "Content-Length: \(plist.utf8.count)\r\n\r\n" + plist)
        for path in ["/healthz", "/v1/browsers/default/apps"] {
          let answer = try await server.exchange("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
          #expect(answer.hasPrefix("HTTP/1.1 200 ") && !answer.contains("com.example.app"), "\(answer)")
        }
        lock.lock()
        lock.unlock(withValue: true)
        #expect(try await line.read(to: "com.example.app").hasPrefix("HTTP/1.1 200 "))
      }
    }
  }

  @Test(
    "the token and the media type are checked before the body arrives",
    arguments: [
      ("", 401), ("Authorization: Bearer secret\r\n", 415), ("Authorization: Bearer secret\r\nIdempotency-Key: k\r\n", 415),
    ])
  func early(_ fields: String, _ status: Int) async throws {
    for path in ["link-clicks", "clock/advance", "apps/com.example.app", "sites/news.example", "forks"] {
      let method = path.contains("app") || path.contains("sites") ? "PUT" : "POST"
      let head = "\(method) /v1/browsers/default/\(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\n"
      try await LiveServer.run(Self.limits(), access: AccessRules(hosts: nil, token: "secret")) { server async throws in
        try await server.connect { line in
          try await line.send(head + fields + "Content-Length: 5000\r\n\r\n")
          #expect(try await line.read(to: "\r\n\r\n").hasPrefix("HTTP/1.1 \(status) "), "\(path)")
        }
      }
    }
  }

  @Test func aSlowResponseDoesNotTimeOut() async throws {
    let limits = Self.limits { limits in
      limits.idleTime = .milliseconds(50)
    }
    try await LiveServer.run(limits) { server in
      let opened = NIOLockedValueBox(false)
      for _ in 0..<1_000 where !opened.withLockedValue({ $0 }) {
        try await server.connect { stream in
          // A busy machine may send the request to a closed connection.
          try? await stream.send(
            "GET /v1/browsers/default/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
          guard let head = try? await stream.read(to: "\r\n\r\n"), head.hasPrefix("HTTP/1.1 200 ") else { return }
          opened.withLockedValue { $0 = true }
          // Several times as long as anybody else may be quiet.
          for _ in 0..<4 { #expect(try await server.patientExchange(Self.get + "\r\n").hasPrefix("HTTP/1.1 200 ")) }
          let answer = try await server.patientExchange(Self.click)
          #expect(answer.hasPrefix("HTTP/1.1 201 "), "\(answer)")
          #expect(try await stream.read(to: "\"kind\":\"click-stored\"").contains("\"sequence\":"))
        }
      }
      #expect(opened.withLockedValue { $0 })
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

  @Test func earlierResponsesPrecedeAnError() async throws {
    try await LiveServer.run(Self.limits()) { server in
      let answer = try await server.exchange(Self.get + "\r\n" + Self.get + "\r\n" + "nonsense\r\n\r\n")
      #expect(answer.components(separatedBy: "HTTP/1.1 200 ").count == 3, "\(answer)")
      #expect(answer.components(separatedBy: "HTTP/1.1 400 ").count == 2, "\(answer)")
      #expect(answer.hasSuffix("}\n"))
    }
  }
}
