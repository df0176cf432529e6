import PCMCore
import PCMCurl
import PCMNetwork
import TLSSupport
import Testing

@Suite("Cookies", .timeLimit(.minutes(5)))
struct CookieTests {
  private static let host = "www.example.co.uk"

  /// Loads a page of the server with these cookies.
  private static func load(_ stage: Stage, _ lines: [String] = [], host: String = host) async -> Exchange {
    let request = BrowserRequest.pageLoad(
      method: .get, url: "https://\(host):\(stage.server.port)/folder/page", cookies: lines.compactMap(Cookie.init(line:)))
    return await stage.transport.send(request, route: route(stage))
  }

  private static func route(_ stage: Stage) -> NetworkRoute {
    stage.route { $0.connectTo = ["::127.0.0.1:\(stage.server.port)"] }
  }

  private static func run<Value>(
    _ version: RecordingServer.Version = .http1, setting cookies: [String] = [], test: (Stage) async throws -> Value
  ) async throws -> Value {
    let reply = Reply(headers: cookies.map { .init("Set-Cookie", $0) })
    return try await Stage.run(version, names: [host, "example.co.uk", "report.example"], reply: reply, test: test)
  }

  @Test("Cookies of a response are returned as lines and sent with the next load", arguments: RecordingServer.Version.allCases)
  func roundTrip(_ version: RecordingServer.Version) async throws {
    let set = ["id=1; Path=/; Secure", "site=2; Domain=example.co.uk; Path=/folder; HttpOnly", "empty=; Path=/folder/"]
    try await Self.run(version, setting: set) { stage in
      let first = await Self.load(stage)
      let lines = try #require(first.lines)
      #expect(
        Set(lines) == [
          "www.example.co.uk\tFALSE\t/\tTRUE\t0\tid\t1", "#HttpOnly_.example.co.uk\tTRUE\t/folder\tFALSE\t0\tsite\t2",
          "www.example.co.uk\tFALSE\t/folder/\tFALSE\t0\tempty\t",
        ])
      #expect(await Self.load(stage, lines).lines.map(Set.init) == Set(lines))
      let requests = await stage.server.requests(count: 2)
      #expect(requests[0]["Cookie"].isEmpty)
      // Over HTTP/2 they may come in pieces.
      let sent = requests[1]["Cookie"].joined(separator: "; ")
      #expect(Set(sent.split(separator: "; ")) == ["id=1", "site=2", "empty="])
    }
  }

  @Test("Each cookie is sent only where it matches, and all are returned")
  func matching() async throws {
    let lines = [
      "www.example.co.uk\tFALSE\t/\tFALSE\t0\town\t1", ".example.co.uk\tTRUE\t/\tFALSE\t0\tdomain\t1",
      "www.example.co.uk\tFALSE\t/other\tFALSE\t0\tpath\t1", "report.example\tFALSE\t/\tFALSE\t0\tforeign\t1",
      "www.example.co.uk\tFALSE\t/\tFALSE\t4102444800\tlong\t1",
    ]
    try await Self.run { stage in
      #expect(await Self.load(stage, lines).lines.map(Set.init) == Set(lines))
      #expect(await Self.load(stage, lines, host: "example.co.uk").lines.map(Set.init) == Set(lines))
      let requests = await stage.server.requests(count: 2)
      #expect(Set(requests[0]["Cookie"][0].split(separator: "; ")) == ["own=1", "domain=1", "long=1"])
      #expect(requests[1]["Cookie"] == ["domain=1"])
    }
  }

  @Test("Cookies that are alike are sent in the order of the lines, the oldest first")
  func order() async throws {
    let lines = ["b=2", "a=1", "c=3"].map { "www.example.co.uk\tFALSE\t/\tFALSE\t0\t\($0.replacing("=", with: "\t"))" }
    try await Self.run { stage in
      _ = await Self.load(stage, lines)
      #expect(await stage.server.requests(count: 1)[0]["Cookie"] == ["b=2; a=1; c=3"])
    }
  }

  @Test(
    "A cookie for a public suffix or another site is rejected by libcurl's list",
    arguments: ["Domain=co.uk", "Domain=uk", "Domain=report.example", "Domain=other.example.co.uk"])
  func refusedDomains(_ domain: String) async throws {
    try await Self.run(setting: ["id=1; Path=/; \(domain)"]) { stage in
      #expect(await Self.load(stage).lines == [])
    }
  }

  @Test("Deleted and expired cookies are removed")
  func removal() async throws {
    let lines = [
      "www.example.co.uk\tFALSE\t/\tFALSE\t0\tleft\t1", "www.example.co.uk\tFALSE\t/\tFALSE\t0\ttaken\t1",
      "www.example.co.uk\tFALSE\t/\tFALSE\t1000000000\texpired\t1",
    ]
    try await Self.run(setting: ["taken=; Path=/; Max-Age=0"]) { stage in
      let left = try #require(await Self.load(stage, lines).lines)
      // libcurl clears up when it gets to it: a removed cookie may be listed as long expired.
      #expect(left.filter { $0 != "www.example.co.uk\tFALSE\t/\tFALSE\t1\ttaken\t" } == [lines[0]])
      // The longer name first.
      #expect(await stage.server.requests(count: 1)[0]["Cookie"] == ["taken=1; left=1"])
    }
  }

  @Test("A secure cookie is not sent over http")
  func secure() async throws {
    let plain = try await RecordingServer.start(
      nil, answer: { _ in Reply(headers: [.init("Set-Cookie", "new=1; Secure"), .init("Set-Cookie", "open=2; Path=/")]) })
    let lines = ["report.example\tFALSE\t/\tTRUE\t0\tsecret\t1", "report.example\tFALSE\t/\tFALSE\t0\topen\t1"]
    try await Stage.run { stage in
      let request = BrowserRequest.pageLoad(
        method: .get, url: "http://report.example:\(plain.port)/", cookies: lines.compactMap(Cookie.init(line:)))
      let exchange = await stage.transport.send(
        request, route: stage.route { $0.resolve = ["report.example:\(plain.port):127.0.0.1"] })
      #expect(exchange.lines.map(Set.init) == [lines[0], "report.example\tFALSE\t/\tFALSE\t0\topen\t2"])
      #expect(await plain.requests(count: 1)[0]["Cookie"] == ["open=1"])
    }
    await plain.stop()
  }

  @Test("A report between two loads sends and receives no cookie", arguments: [true, false])
  func reportsHaveNone(_ fresh: Bool) async throws {
    try await Self.run(setting: ["id=1; Path=/"]) { stage in
      var route = Self.route(stage)
      route.freshConnections = fresh
      var lines = try #require(await Self.load(stage).lines)
      for _ in 1...3 {
        let report = await stage.transport.send(stage.report(host: Self.host), route: route)
        #expect(report.httpStatus == 200)
        #expect(report.cookies == nil)
        lines = try #require(await Self.load(stage, lines).lines)
      }
      #expect(await Self.load(stage, [], host: "report.example").lines == ["report.example\tFALSE\t/\tFALSE\t0\tid\t1"])
      for request in await stage.server.requests(count: 8) where request.method == "POST" {
        #expect(request["Cookie"].isEmpty)
      }
      #expect(await stage.server.requests.map { $0["Cookie"].count } == [0, 0, 1, 0, 1, 0, 1, 0])
    }
  }

  @Test("The cookies of simultaneous loads are separate")
  func apart() async throws {
    let echo: Stage.Answer = { Reply(body: Array(($0["Cookie"].first ?? "").utf8)) }
    try await Stage.run(answer: echo) { stage in
      await withDiscardingTaskGroup { group in
        for number in 1...100 {
          group.addTask {
            let cookie = Cookie(domain: "report.example", name: "number", value: String(number))
            let url = "https://report.example:\(stage.server.port)/"
            let exchange = await stage.transport.send(
              BrowserRequest.pageLoad(method: .get, url: url, cookies: [cookie]), route: stage.route())
            #expect(String(decoding: exchange.body, as: UTF8.self) == "number=\(number)")
            #expect(exchange.cookies == [cookie])
          }
        }
      }
    }
  }

  @Test("A load that did not start returns no cookies")
  func nothingBegun() async throws {
    try await Stage.run { stage in
      let refused = BrowserRequest.pageLoad(method: .get, url: "ftp://report.example/", cookies: [])
      #expect(await stage.transport.send(refused, route: stage.route()).cookies == nil)
    }
  }

  @Test("A line is a cookie with its values, and what libcurl cannot read back is the root or no cookie")
  func lines() throws {
    let line = "#HttpOnly_.shop.example\tTRUE\t/a\tTRUE\t1000000000\tname\ta\tb"
    let cookie = try #require(Cookie(line: line))
    #expect(
      cookie
        == Cookie(
          domain: "shop.example", includesSubdomains: true, path: "/a", isSecure: true, isHTTPOnly: true, name: "name",
          value: "a\tb",
          expires: Instant(milliseconds: 1_000_000_000_000)))
    #expect(cookie.line == line)
    for path in ["", "TRUE", "FALSE"] { #expect(Cookie(line: "a.example\tFALSE\t\(path)\tFALSE\t0\ta\t1")?.path == "/") }
    for (expires, instant) in [(.max, Instant.latest.milliseconds / 1_000), (-1, 0), (.min, 0)] as [(Int64, Int64)] {
      let cookie = Cookie(line: "a.example\tFALSE\t/\tFALSE\t\(expires)\ta\t1")
      #expect(cookie?.expires == Instant(milliseconds: instant * 1_000))
    }
    for line in ["", "ALL", "a\tb", "a.example\tFALSE\t/\tFALSE\tsoon\ta\t1"] { #expect(Cookie(line: line) == nil) }
  }
}

extension Exchange {
  /// The cookies as libcurl returned them.
  fileprivate var lines: [String]? { cookies?.map(\.line) }
}
