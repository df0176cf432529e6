import BrowserSupport
import HTTPTypes
import HummingbirdTesting
import NIOCore
import PCMHTTP
import Testing

/// The heads of requests to the report endpoint: the service's rules, for any host.
@Suite(.timeLimit(.minutes(10))) struct ReceiverHeadTests {
  private static let get = "GET /healthz HTTP/1.1\r\nHost: news.example\r\n"
  private static let post = "POST /admin/nonces HTTP/1.1\r\nHost: a.example\r\n"

  @Test func aHeadHasTheAnswerOfTheService() async throws {
    let heads: [(String, Int)] = [
      (Self.get + "Connection: CLOSE\r\n", 200), (Self.get + "Connection: keep-alive, close\r\n", 200),
      ("GET https://shop.example/healthz HTTP/1.1\r\nHost: news.example\r\nConnection: close\r\n", 200),
      (Self.get + "Host: shop.example\r\n", 400), ("GET /healthz HTTP/1.1\r\n", 400),
      ("GET /healthz HTTP/1.1\r\nHost: u:pw@news.example:99999\r\n", 400),
      ("GET http://shop.example/healthz HTTP/1.1\r\nHost: news.example\r\n", 400), ("nonsense\r\n", 400),
      (Self.post + "Content-Length: 9223372036854775808\r\n", 413),
      (Self.post + "Transfer-Encoding: gzip, chunked\r\n", 501), (Self.post + "Transfer-Encoding:\r\n", 400),
      (Self.get + "bad field\r\n", 400),
      (Self.get + (0..<101).map { "x-\($0): y\r\n" }.joined(), 431),
    ]
    try await LiveReceiver.run { receiver in
      for (head, status) in heads {
        let answer = try await receiver.exchange(head + "\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(head.prefix(100)): \(answer)")
        #expect(answer.contains(#""code":"#) == (status != 200), "\(answer)")
      }
    }
  }

  @Test func aSlowHeadEndsTheConnection() async throws {
    var limits = LiveReceiver.patient
    limits.idleTime = .milliseconds(50)
    try await LiveReceiver.run(limits: limits) { receiver async throws in
      // A busy machine may send the head to a closed connection.
      #expect((try? await receiver.exchange(Self.get + "x: ")) ?? "" == "")
    }
  }

  @Test("HEAD is GET without a body", arguments: ["/", "/healthz", "/admin/reports"])
  func head(_ path: String) async throws {
    try await ReceiverAPI.test { client async throws in
      let answer = try await client.execute(uri: path, method: .head)
      #expect(answer.status == .ok)
      #expect(answer.body.readableBytes == 0)
    }
  }

  /// A request of the router has the host `localhost` in `:authority`, as over HTTP/2.
  @Test(arguments: [("localhost", 200), ("LOCALHOST", 200), ("other.example", 400), ("u@localhost", 400), ("", 400)])
  func hostAndAuthorityAreOne(_ host: String, _ status: Int) async throws {
    try await ReceiverAPI.test { client async throws in
      let name = try #require(HTTPField.Name("Host"))
      let answer = try await client.execute(uri: "/healthz", method: .get, headers: [name: host])
      #expect(answer.status.code == status)
    }
  }
}
