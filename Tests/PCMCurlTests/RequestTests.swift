import PCMCore
import PCMCurl
import PCMNetwork
import TLSSupport
import Testing

@Suite("Requests", .timeLimit(.minutes(5)))
struct RequestTests {
  private let json = Array(#"{"source_engagement_type":"click","source_site":"report.example"}"#.utf8)
  private let userAgent = OutgoingRequest.Header("User-Agent", "Mozilla/5.0 (Test)")

  @Test("A report has exactly these bytes, without identifiers or libcurl's defaults")
  func reportBytes() async throws {
    try await Stage.run { stage in
      let base = stage.report(body: json)
      let request = OutgoingRequest(method: .post, url: base.url, headers: base.headers + [userAgent], body: json)
      let exchange = await stage.transport.send(request, route: stage.route())
      #expect(exchange.failure == nil)
      let received = try #require(await stage.server.requests(count: 1).first)
      let head = """
        POST /.well-known/private-click-measurement/report-attribution/ HTTP/1.1\r
        Host: report.example:\(stage.server.port)\r
        Accept: */*\r
        Content-Type: application/json\r
        Cache-Control: max-age=0\r
        User-Agent: Mozilla/5.0 (Test)\r
        Content-Length: \(json.count)\r
        \r\n
        """
      #expect(String(decoding: received.head, as: UTF8.self) == head)
      #expect(received.body == json)
    }
  }

  @Test("A key request is a GET with specific headers and no body")
  func keyRequestBytes() async throws {
    try await Stage.run { stage in
      let request = OutgoingRequest(
        method: .get, url: "https://report.example:\(stage.server.port)/key?a=b%20c",
        headers: [.init("Cache-Control", "max-age=0"), .init("X-Empty", "")], body: nil)
      #expect(await stage.transport.send(request, route: stage.route()).failure == nil)
      let received = try #require(await stage.server.requests(count: 1).first)
      let head = """
        GET /key?a=b%20c HTTP/1.1\r
        Host: report.example:\(stage.server.port)\r
        Accept: */*\r
        Cache-Control: max-age=0\r
        X-Empty:\r
        \r\n
        """
      #expect(String(decoding: received.head, as: UTF8.self) == head)
    }
  }

  @Test("A POST without a content type is sent without one")
  func noContentType() async throws {
    try await Stage.run { stage in
      let request = OutgoingRequest(method: .post, url: stage.report().url, headers: [], body: [1])
      _ = await stage.transport.send(request, route: stage.route())
      let received = try #require(await stage.server.requests(count: 1).first)
      #expect(received.headers.map(\.name) == ["Host", "Accept", "Content-Length"])
    }
  }

  @Test("HTTP/2 has the same headers in lowercase, and the version is recorded")
  func http2() async throws {
    try await Stage.run(.http2) { stage in
      let exchange = await stage.transport.send(stage.report(body: json), route: stage.route())
      #expect(exchange.failure == nil)
      #expect(exchange.httpVersion == "2")
      let received = try #require(await stage.server.requests(count: 1).first)
      #expect(
        received.headers == [
          .init(":method", "POST"), .init(":path", Stage.path), .init(":scheme", "https"),
          .init(":authority", "report.example:\(stage.server.port)"), .init("accept", "*/*"),
          .init("content-type", "application/json"), .init("cache-control", "max-age=0"),
          .init("content-length", "\(json.count)"),
        ])
      #expect(received.body == json)
    }
  }

  @Test("The headers on the wire equal the headers of requests to simulated sites", arguments: ["get", "report", "load"])
  func wireHeaders(_ kind: String) async throws {
    try await Stage.run(.http2) { stage in
      let report = stage.report(body: json)
      let request =
        switch kind {
        case "get":
          OutgoingRequest(method: .get, url: report.url, headers: BrowserRequest.tokenKey(at: Site("a")).headers, body: nil)
        case "load": BrowserRequest.pageLoad(method: .post, url: report.url, cookies: [])
        default: BrowserRequest.report(url: report.url, body: "{}")
        }
      #expect(await stage.transport.send(request, route: stage.route()).failure == nil)
      let received = try #require(await stage.server.requests(count: 1).first)
      let headers = received.headers.filter { !$0.name.hasPrefix(":") }
      #expect(headers == request.wireHeaders.map { .init($0.name, $0.value) })
    }
  }

  @Test(
    "A body arrives byte for byte, whatever its size",
    arguments: [0, 1, 1_024, 65_536, 65_537, 1_048_576], RecordingServer.Version.allCases)
  func bodySizes(_ size: Int, _ version: RecordingServer.Version) async throws {
    try await Stage.run(version) { stage in
      let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
      let exchange = await stage.transport.send(stage.report(body: body), route: stage.route())
      #expect(exchange.failure == nil)
      let received = try #require(await stage.server.requests(count: 1).first)
      #expect(received.body == body)
      #expect(received["Content-Length"] == ["\(size)"])
      #expect(received["Expect"].isEmpty)
    }
  }

  @Test("A header with a line break is not sent", arguments: ["a\r\nEvil: 1", "a\nb", "a\0b"])
  func headerInjection(_ value: String) async throws {
    try await Stage.run { stage in
      let request = OutgoingRequest(method: .post, url: stage.report().url, headers: [.init("X", value)], body: [])
      #expect(await stage.transport.send(request, route: stage.route()).failure?.code == .protocolError)
      #expect(await stage.server.requests.isEmpty)
    }
  }

  @Test("A cookie of a response is never sent", arguments: [true, false])
  func noCookies(_ fresh: Bool) async throws {
    try await Stage.run(reply: Reply(headers: [.init("Set-Cookie", "id=1; Path=/; Secure")])) { stage in
      for _ in 1...3 { #expect(await stage.send { $0.freshConnections = fresh }.httpStatus == 200) }
      for received in await stage.server.requests(count: 3) {
        #expect(received["Cookie"].isEmpty)
        #expect(received["Referer"].isEmpty)
        #expect(received["Origin"].isEmpty)
      }
    }
  }
}
