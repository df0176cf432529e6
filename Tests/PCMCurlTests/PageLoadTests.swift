import PCMCore
import PCMCurl
import PCMNetwork
import TLSSupport
import Testing

@Suite("Page loads", .timeLimit(.minutes(5)))
struct PageLoadTests {
  private static func load(_ url: String, _ method: OutgoingRequest.Method = .get, cookies: [Cookie] = []) -> OutgoingRequest {
    BrowserRequest.pageLoad(method: method, url: url, cookies: cookies)
  }

  @Test("A load has exactly these bytes", arguments: [OutgoingRequest.Method.get, .post])
  func bytes(_ method: OutgoingRequest.Method) async throws {
    try await Stage.run { stage in
      let request = Self.load("https://report.example:\(stage.server.port)/pixel?a=1#part", method)
      let exchange = await stage.transport.send(request, route: stage.route())
      #expect(exchange.httpStatus == 200)
      let received = try #require(await stage.server.requests(count: 1).first)
      let length = method == .post ? "Content-Length: 0\r\n" : ""
      let head = """
        \(method.rawValue) /pixel?a=1 HTTP/1.1\r
        Host: report.example:\(stage.server.port)\r
        Accept: */*\r
        User-Agent: Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
        Version/18.6 Mobile/15E148 Safari/604.1\r
        \(length)\r\n
        """
      #expect(String(decoding: received.head, as: UTF8.self) == head)
    }
  }

  @Test("A load can use http; a report cannot, on any route")
  func plainHTTP() async throws {
    let plain = try await RecordingServer.start(nil)
    try await Stage.run { stage in
      let route = stage.route { $0.resolve = ["report.example:\(plain.port):127.0.0.1"] }
      let url = "http://report.example:\(plain.port)/"
      let report = OutgoingRequest(method: .post, url: url, headers: [], body: [])
      #expect(await stage.transport.send(report, route: route).failure?.code == .urlRefused)
      #expect(await plain.requests.isEmpty)
      let exchange = await stage.transport.send(Self.load(url), route: route)
      #expect(exchange.httpStatus == 200)
      #expect(exchange.httpVersion == "1.1")
      #expect(await plain.requests(count: 1).map(\.target) == ["/"])
    }
    await plain.stop()
  }

  @Test(
    "A call of the service has these bytes over http, also without a body, and keeps the connection",
    arguments: [OutgoingRequest.Method.get, .post, .put, .patch, .delete])
  func call(_ method: OutgoingRequest.Method) async throws {
    let answer: Stage.Answer = { _ in Reply(404, headers: [.init("Set-Cookie", "id=1")]) }
    let plain = try await RecordingServer.start(nil, answer: answer)
    try await Stage.run { stage in
      let request = OutgoingRequest(
        kind: .call, method: method, url: "http://127.0.0.1:\(plain.port)/v1/a%20b",
        headers: [.init("Accept", "application/json"), .init("Content-Type", "application/json")], body: nil)
      let route = NetworkRoute(allowPrivateNetworks: true, freshConnections: false)
      for _ in 1...2 {
        let exchange = await stage.transport.send(request, route: route)
        #expect(exchange.httpStatus == 404)
        #expect(exchange.cookies == nil)
      }
      let length = method == .get ? "" : "Content-Length: 0\r\n"
      let head = """
        \(method.rawValue) /v1/a%20b HTTP/1.1\r
        Host: 127.0.0.1:\(plain.port)\r
        Accept: application/json\r
        Content-Type: application/json\r
        \(length)\r\n
        """
      let received = await plain.requests(count: 2)
      #expect(received.map { String(decoding: $0.head, as: UTF8.self) } == [head, head])
      #expect(Set(received.map(\.connection)).count == 1)
    }
    await plain.stop()
  }

  @Test(
    "No other scheme is loaded",
    arguments: ["ftp://report.example/", "file:///etc/passwd", "ws://report.example/", "gopher://report.example/", "https://"])
  func otherSchemes(_ url: String) async throws {
    try await Stage.run { stage in
      let exchange = await stage.transport.send(Self.load(url), route: stage.route { $0.allowPrivateNetworks = true })
      #expect(exchange.failure?.code == .urlRefused)
    }
  }

  @Test("A Location is returned unchanged", arguments: ["/x?y#z", "relative", "https://o.example/ü x", "//o.example"])
  func location(_ text: String) async throws {
    for version in RecordingServer.Version.allCases {
      try await Stage.run(version, reply: .redirect(to: text)) { stage in
        let exchange = await stage.send()
        #expect(exchange.httpStatus == 302)
        #expect(exchange.location == text)
      }
    }
  }

  @Test("The first Location of the final response counts")
  func whichLocation() async throws {
    let two = Reply(302, headers: [.init("Location", "/first"), .init("location", "/second")])
    try await Stage.run(reply: two) { stage in #expect(await stage.send().location == "/first") }
    let hints = "HTTP/1.1 103 Early Hints\r\nLocation: /hint\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    try await Stage.run(reply: Reply(.raw(Array(hints.utf8)))) { stage in
      let exchange = await stage.send()
      #expect(exchange.httpStatus == 200)
      #expect(exchange.location == nil)
    }
    try await Stage.run { stage in #expect(await stage.send().location == nil) }
  }

  @Test("The first Refresh of the final response counts")
  func refresh() async throws {
    let two = Reply(200, headers: [.init("refresh", "0; url=/first"), .init("Refresh", "1; url=/second")])
    try await Stage.run(reply: two) { stage in #expect(await stage.send().refresh == "0; url=/first") }
    try await Stage.run { stage in #expect(await stage.send().refresh == nil) }
  }

  @Test("A load has its referrer, and the policy of the response")
  func resourcePolicy() async throws {
    let reply = Reply(302, headers: [.init("cross-origin-resource-policy", "same-site"), .init("Location", "/next")])
    try await Stage.run(reply: reply) { stage in
      let request = BrowserRequest.pageLoad(
        method: .get, url: "https://report.example:\(stage.server.port)/", referrer: "https://shop.example/", cookies: [])
      #expect(await stage.transport.send(request, route: stage.route()).resourcePolicy == "same-site")
      #expect(await stage.server.requests(count: 1)[0]["Referer"] == ["https://shop.example/"])
    }
  }

  @Test("A redirect with a truncated body is recognized by its head")
  func brokenBody() async throws {
    let reply = Reply(302, headers: [.init("Location", "/next")], body: [1, 2, 3], .resetAfter(1))
    try await Stage.run(reply: reply) { stage in
      let exchange = await stage.send()
      #expect(exchange.failure?.code == .connectionLost)
      #expect(exchange.httpStatus == 302)
      #expect(exchange.location == "/next")
    }
  }
}
