import PCMCore
import PCMNetwork
import TLSSupport
import Testing

@testable import PCMCurl

@Suite("Failures", .timeLimit(.minutes(5)))
struct FailureTests {
  @Test(
    "A URL that is not plain https is rejected before a connection",
    arguments: [
      "http://report.example/", "ftp://report.example/", "file:///etc/passwd", "report.example/", "https://", "",
      "https://user:secret@report.example/", "https://user@report.example/", "https://report.example:99999/",
      "https://report.example/a b", "https://report.example/\0", "HTTP://report.example/",
    ])
  func refusedURLs(_ url: String) async throws {
    try await Stage.run { stage in
      let request = OutgoingRequest(method: .post, url: url, headers: [], body: [])
      let exchange = await stage.transport.send(request, route: stage.route { $0.allowPrivateNetworks = true })
      #expect(exchange.failure?.code == .urlRefused)
      #expect(exchange.httpStatus == nil)
    }
  }

  @Test("A port without a server")
  func connectionRefused() async throws {
    let port = try #require(QuietPort(.refusing))
    try await Stage.run { stage in
      let exchange = await stage.send { $0.connectTo = ["::127.0.0.1:\(port.number)"] }
      #expect(exchange.failure?.code == .connectionFailed)
      #expect(exchange.httpStatus == nil)
      #expect(exchange.httpVersion == nil)
      #expect(exchange.timings != nil)
    }
  }

  @Test("A server that is silent after accepting reaches the connect timeout, which includes TLS")
  func connectTimeout() async throws {
    let port = try #require(QuietPort(.silent))
    try await Stage.run { stage in
      let exchange = await stage.send {
        $0.connectTo = ["::127.0.0.1:\(port.number)"]
        $0.connectTimeout = Interval(milliseconds: 100)
      }
      #expect(exchange.failure?.code == .timedOut)
    }
  }

  @Test("A server that does not respond reaches the total timeout", arguments: RecordingServer.Version.allCases)
  func totalTimeout(_ version: RecordingServer.Version) async throws {
    try await Stage.run(version, reply: Reply(.never)) { stage in
      let exchange = await stage.send { $0.totalTimeout = Interval(milliseconds: 100) }
      #expect(exchange.failure?.code == .timedOut)
      #expect(exchange.httpStatus == nil)
    }
  }

  @Test("An untrusted authority")
  func unknownAuthority() async throws {
    let stranger = try TestAuthority(name: "Stranger")
    try await Stage.run { stage in
      let exchange = await stage.send { $0.caFile = stranger.certificateFile }
      #expect(exchange.failure?.code == .certificateRefused)
      #expect(await stage.send { $0.caFile = nil }.failure?.code == .certificateRefused)
      #expect(await stage.server.requests.isEmpty)
    }
  }

  @Test("A certificate for another name")
  func wrongName() async throws {
    try await Stage.run(names: ["other.example"]) { stage in
      #expect(await stage.send().failure?.code == .certificateRefused)
    }
  }

  @Test("An expired certificate")
  func expired() async throws {
    let start = Instant(milliseconds: 1_577_836_800_000)
    let authority = try TestAuthority(validity: start..<start + .days(1))
    let server = try await RecordingServer.start(try authority.issue(names: ["report.example"]))
    try await Stage.run { stage in
      let exchange = await stage.send {
        $0.caFile = authority.certificateFile
        $0.connectTo = ["::127.0.0.1:\(server.port)"]
      }
      #expect(exchange.failure?.code == .certificateRefused)
    }
    await server.stop()
  }

  @Test("A missing authority file")
  func noAuthorityFile() async throws {
    try await Stage.run { stage in
      #expect(await stage.send { $0.caFile = "/nowhere/authority.pem" }.failure?.code == .authoritiesUnreadable)
    }
  }

  @Test("Without verification, any certificate is accepted and the attempt is marked")
  func insecure() async throws {
    try await Stage.run(names: ["other.example"]) { stage in
      let exchange = await stage.send {
        $0.insecure = true
        $0.caFile = nil
      }
      #expect(exchange.httpStatus == 200)
      #expect(exchange.insecure)
    }
  }

  @Test("A reset before the response", arguments: RecordingServer.Version.allCases)
  func reset(_ version: RecordingServer.Version) async throws {
    try await Stage.run(version, reply: Reply(.reset)) { stage in
      let exchange = await stage.send()
      #expect(exchange.failure?.code == .connectionLost)
      #expect(exchange.httpStatus == nil)
    }
  }

  @Test("A reset during the body preserves the status and the received bytes", arguments: RecordingServer.Version.allCases)
  func resetInBody(_ version: RecordingServer.Version) async throws {
    let body = [UInt8](repeating: 9, count: 100)
    try await Stage.run(version, reply: Reply(body: body, .resetAfter(10))) { stage in
      let exchange = await stage.send()
      #expect(exchange.httpStatus == 200)
      #expect(exchange.failure?.code == .connectionLost)
      #expect(exchange.body.count == 10)
      #expect(!exchange.bodyTruncated)
    }
  }

  @Test("A report on a broken reused connection is not sent twice", arguments: RecordingServer.Version.allCases)
  func atMostOnce(_ version: RecordingServer.Version) async throws {
    let answer: Stage.Answer = { $0.body == [1] ? Reply() : Reply(.reset) }
    try await Stage.run(version, answer: answer) { stage in
      let route = stage.route { $0.freshConnections = false }
      #expect(await stage.transport.send(stage.report(body: [1]), route: route).httpStatus == 200)
      let exchange = await stage.transport.send(stage.report(body: [2]), route: route)
      #expect(exchange.failure?.code == .connectionLost)
      #expect(await stage.server.requests.map(\.body) == [[1], [2]])
      #expect(await stage.transport.send(stage.report(body: [1]), route: route).httpStatus == 200)
    }
  }

  @Test(
    "Bytes that are not an HTTP response",
    arguments: ["HTTP/1.1 banana\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/3.7 200 OK\r\n\r\n"])
  func noHTTP(_ text: String) async throws {
    try await Stage.run(reply: Reply(.raw(Array(text.utf8)))) { stage in
      let exchange = await stage.send()
      #expect(exchange.failure?.code == .protocolError)
      #expect(exchange.httpStatus == nil)
    }
  }

  @Test("A closed connection before the response")
  func emptyAnswer() async throws {
    try await Stage.run(reply: Reply(.raw([]))) { stage in
      #expect(await stage.send().failure?.code == .connectionLost)
    }
  }

  @Test("A resolve entry that libcurl cannot parse fails the request", arguments: ["nonsense", "report.example:443"])
  func malformedEntry(_ entry: String) async throws {
    try await Stage.run { stage in
      let exchange = await stage.transport.send(
        OutgoingRequest(method: .get, url: "https://report.example/", headers: [], body: nil),
        route: stage.route { $0.resolve = [entry] })
      #expect(exchange.failure?.code == .nameNotResolved)
    }
  }

  @Test("A move of a clock looks up a name that does not resolve once")
  func lookupsOfMoves() async throws {
    try await Stage.run { stage in
      let lookups = FailedLookups()
      let failed = await stage.transport.send(
        stage.report(),
        route: stage.route {
          $0.resolve = ["nonsense"]
          $0.failedLookups = lookups
        })
      #expect(failed.failure?.code == .nameNotResolved)
      // The name resolves now, but the move does not look it up.
      let again = await stage.transport.send(stage.report(), route: stage.route { $0.failedLookups = lookups })
      #expect(again.failure == failed.failure)
      let next = await stage.transport.send(stage.report(), route: stage.route { $0.failedLookups = FailedLookups() })
      #expect(next.httpStatus == 200)
    }
  }
}

@Suite("Failure texts")
struct FailureTextTests {
  @Test(
    "libcurl's text becomes a clause without a period",
    arguments: [
      ("Could not resolve host: a.example", "Could not resolve host: a.example"), ("No more. Sorry.", "No more. Sorry"),
      ("getaddrinfo() thread failed to start\n", "getaddrinfo() thread failed to start"), ("", ""), ("...", ""),
    ])
  func clauses(_ text: String, _ clause: String) {
    #expect(EasyHandle.clause(text) == clause)
  }
}
