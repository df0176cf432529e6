import PCMCore
import PCMNetwork
import TLSSupport
import Testing

@testable import PCMCurl

@Suite("Requests without TLS", .timeLimit(.minutes(5)))
struct ForwardTests {
  /// Runs a test with a server without TLS. The other server, with TLS, receives requests that are not forwarded.
  private static func run(_ test: (Stage, RecordingServer) async throws -> Void) async throws {
    let plain = try await RecordingServer.start(nil)
    try await Stage.run { try await test($0, plain) }
    await plain.stop()
  }

  @Test(
    "A forwarded request has the host of its URL and the headers of a proxy; everything else is the same",
    arguments: [
      ("https://news.example/a?b", "news.example", ""), ("https://news.example:443/a?b", "news.example", ""),
      ("https://news.example:8443/a?b", "news.example:8443", "\""),
    ])
  func bytes(_ url: String, _ host: String, _ quote: String) async throws {
    try await Self.run { stage, plain in
      let request = OutgoingRequest(method: .post, url: url, headers: [.init("Content-Type", "application/json")], body: [65])
      let target = "127.0.0.1:\(plain.port)"
      let exchange = await stage.transport.send(
        request,
        route: stage.route {
          // The entry for the host has precedence over these.
          $0.connectTo = ["::127.0.0.1:\(stage.server.port)"]
          $0.forwardTo = [Forward(host: "", target: "127.0.0.1:9"), Forward(host: "news.example", target: target)]
        })
      #expect(exchange.httpStatus == 200 && exchange.httpVersion == "1.1" && exchange.forwardedTo == target)
      let received = try #require(await plain.requests(count: 1).first)
      #expect(
        String(decoding: received.head, as: UTF8.self) == """
          POST /a?b HTTP/1.1\r
          Host: \(host)\r
          Accept: */*\r
          Content-Type: application/json\r
          X-Forwarded-Proto: https\r
          X-Forwarded-Host: \(host)\r
          Forwarded: host=\(quote)\(host)\(quote);proto=https\r
          Content-Length: 1\r\n\r\n
          """)
      #expect(await stage.server.requests.isEmpty)
    }
  }

  @Test("A load over http is forwarded, too, and other hosts are not")
  func otherRequests() async throws {
    try await Self.run { stage, plain in
      let route = stage.route { $0.forwardTo = [Forward(host: "news.example", target: "127.0.0.1:\(plain.port)")] }
      let load = BrowserRequest.pageLoad(method: .get, url: "http://news.example/", cookies: [])
      #expect(await stage.transport.send(load, route: route).httpStatus == 200)
      let head = String(decoding: try #require(await plain.requests(count: 1).first).head, as: UTF8.self)
      #expect(head.contains("Host: news.example\r\n") && head.contains("X-Forwarded-Proto: http\r\n"))
      let other = await stage.transport.send(stage.report(), route: route)
      #expect(other.httpStatus == 200 && other.forwardedTo == nil)
    }
  }

  @Test("An entry names its address, so the address needs no permission")
  func guarded() {
    for host in ["", "news.example"] {
      let route = NetworkRoute(forwardTo: [Forward(host: host, target: "127.0.0.1:8000")])
      #expect(route.names(host: "news.example", port: 443))
      #expect(route.names(host: "shop.example", port: 443) == host.isEmpty)
    }
  }

  @Test("A plain HTTP server that waits for the end of a line fails in the handshake, and the failure names the option")
  func plainServer() async throws {
    try await Self.run { stage, plain in
      let exchange = await stage.send {
        $0.connectTo = ["::127.0.0.1:\(plain.port)"]
        $0.connectTimeout = Interval(milliseconds: 100)
      }
      #expect(exchange.failure?.code == .timedOut)
      let detail = exchange.failure?.detail ?? ""
      #expect(detail.hasSuffix("use --forward-to report.example=http://127.0.0.1:\(plain.port)"), "\(detail)")
    }
  }

  @Test(
    "The failure of a handshake names the option in place of OpenSSL's text for bytes that are not TLS",
    arguments: [
      (.tlsFailed, "OpenSSL/3.0.17: error:0A00010B:SSL routines::wrong version number", "the server answered without TLS; "),
      (.tlsFailed, "error:0A000410:SSL routines::sslv3 alert handshake failure", nil),
      (.timedOut, "Connection timed out", "Connection timed out in the TLS handshake; "),
      (.certificateRefused, "wrong version number", nil),
    ] as [(TransportFailure.Code, String, String?)])
  func handshakes(_ code: TransportFailure.Code, _ text: String, _ start: String?) {
    let shown = start.map { $0 + "if it speaks plain HTTP, use --forward-to a.example=http://b:1" } ?? text
    #expect(EasyHandle.handshakeText(code, text, forward: "a.example=http://b:1") == shown)
  }
}
