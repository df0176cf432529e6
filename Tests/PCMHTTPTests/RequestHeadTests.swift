import PCMHTTP
import Testing

/// Heads that NIO accepts and the service does not, and the end of connections, on real sockets. No limit of time ends a
/// connection here.
@Suite(.timeLimit(.minutes(10))) struct RequestHeadTests {
  private static let get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
  private static let post = """
    POST /v1/browsers/default/link-clicks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n
    """

  private func answer(_ request: String, access: AccessRules = .open) async throws -> String {
    let answers = AsyncStream.makeStream(of: String.self)
    try await LiveServer.run(.patient, access: access) { server in
      answers.continuation.yield(try await server.exchange(request))
    }
    for await answer in answers.stream { return answer }
    return ""
  }

  @Test(arguments: ["Host: localhost", "HOST: localhost", "host: evil.example", "Host:"])
  func aRequestHasOneHost(_ field: String) async throws {
    let answer = try await answer(Self.get + field + "\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
    #expect(answer.contains("more than one Host field"))
    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
  }

  private static let invalid: [(String, Int)] = [
    ("GET /healthz HTTP/1.1\r\n", 400), ("GET /healthz HTTP/1.0\r\n", 400), ("GET /healthz HTTP/1.1\r\nHost:\r\n", 400),
    ("GET /healthz HTTP/1.1\r\nHost: localhost:x\r\n", 400), ("GET /healthz HTTP/1.1\r\nHost: u:p@localhost\r\n", 400),
    ("GET /healthz HTTP/1.1\r\nHost: [::1].evil.example\r\n", 400),
    ("GET http://u@localhost/healthz HTTP/1.1\r\nHost: a\r\n", 400),
    ("GET https://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n", 400),
    ("GET http://localhost:99999/healthz HTTP/1.1\r\nHost: localhost\r\n", 400), ("PRI * HTTP/2.0\r\n", 400),
    (Self.get + "Transfer-Encoding:\r\n", 400), (Self.get + "Transfer-Encoding:\r\nContent-Length: 2\r\n", 400),
    (Self.get + "Transfer-Encoding: gzip, chunked\r\n", 501),
  ]

  @Test(arguments: invalid)
  func anInvalidHeadEndsTheConnection(_ head: String, _ status: Int) async throws {
    let answer = try await answer(head + "\r\n" + Self.get + "\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
    #expect(answer.split(separator: "HTTP/1.1 ").count == 1, "the rest is not read as a request: \(answer)")
    for word in ["parser", "assert"] { #expect(!answer.contains(word), "\(answer)") }
  }

  @Test(arguments: [
    ("http://localhost/healthz", "evil.example", 200), ("HTTP://LocalHost:80/healthz", "localhost", 200),
    ("http://localhost", "localhost", 200), ("/healthz", "localhost", 200), ("/healthz", "localhost:", 200),
    ("/healthz", "evil.example", 421),
    ("http://localhost:/healthz", "evil.example", 200),
    ("http://evil.example/healthz", "localhost", 421),
  ])
  func theHostOfATargetCountsBeforeTheField(_ target: String, _ host: String, _ status: Int) async throws {
    let answer = try await answer(
      "GET \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n",
      access: AccessRules(hosts: ["localhost"], token: nil))
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
  }

  private static let click =
    #"{"pageURL":"https://a.example/","attributionSourceID":"1","attributionDestination":"https://b.example"}"#

  @Test func spaceAfterALengthIsNoPartOfIt() async throws {
    let head = Self.post + "Connection: close\r\nContent-Length: \(Self.click.utf8.count) \r\n\r\n"
    let answer = try await answer(head + Self.click)
    #expect(answer.hasPrefix("HTTP/1.1 201 "), "\(answer)")
  }

  @Test func aCallerThatWaitsWithItsBodyReceives100() async throws {
    let head = Self.post + "Connection: close\r\nExpect: 100-Continue\r\nContent-Length: \(Self.click.utf8.count)\r\n\r\n"
    try await LiveServer.run(.patient) { server in
      try await server.connect { line in
        try await line.send(head)
        #expect(try await line.read(to: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        try await line.send(Self.click)
        let answer = try await line.rest()
        #expect(answer.hasPrefix("HTTP/1.1 201 "), "\(answer)")
      }
    }
  }

  @Test func aCallerOfHTTP10ReceivesNo100() async throws {
    let head = Self.post.replacing("HTTP/1.1", with: "HTTP/1.0") + "Expect: 100-continue\r\n"
    let answer = try await answer(head + "Content-Length: \(Self.click.utf8.count)\r\n\r\n" + Self.click)
    #expect(answer.hasPrefix("HTTP/1.1 201 "), "\(answer)")
  }

  @Test(
    "bytes after the last request of a connection receive no response",
    arguments: [("1.1", "close"), ("1.0", "close"), ("1.0", "keep-alive")])
  func nothingFollowsTheLastRequest(_ version: String, _ connection: String) async throws {
    let request = Self.get.replacing("HTTP/1.1", with: "HTTP/\(version)") + "Connection: \(connection)\r\n\r\n"
    let answer = try await answer(request + request)
    #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
    #expect(answer.ranges(of: "HTTP/1.").count == 1, "\(answer)")
  }

  @Test(arguments: ["-1", "+5", "5x", "0x5", "1e3", "5 5", "5, 5", "99999999999999999999"])
  func aLengthIsANumber(_ length: String) async throws {
    let answer = try await answer(Self.post + "Content-Length: \(length)\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
  }

  @Test(arguments: ["1048577", "9223372036854775807", "9223372036854775808", "18446744073709551615"])
  func aLengthBeyondEveryLimitIsRejectedAtOnce(_ length: String) async throws {
    for start in [Self.get, Self.post, Self.get.replacing("/healthz", with: "/nothing")] {
      let answer = try await answer(start + "Content-Length: \(length)\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
      #expect(answer.contains(#""code":"too-large""#))
      #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
    }
  }

  @Test func aLengthBeyondTheLimitOfARouteIsRejectedAtOnce() async throws {
    let answer = try await answer(Self.post + "Connection: close\r\nContent-Length: 65537\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
  }

  @Test func aLengthWithinTheLimitIsAccepted() async throws {
    let padding = String(repeating: " ", count: 65_536 - Self.click.utf8.count)
    let answer = try await answer(Self.post + "Connection: close\r\nContent-Length: 65536\r\n\r\n" + Self.click + padding)
    #expect(answer.hasPrefix("HTTP/1.1 201 "), "\(answer)")
  }

  @Test(arguments: ["", "Connection: keep-alive\r\n", "Connection: close\r\n"])
  func aConnectionOfHTTP10EndsAfterTheResponse(_ field: String) async throws {
    let answer = try await answer("GET /healthz HTTP/1.0\r\nHost: localhost\r\n\(field)\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
    #expect(answer.hasSuffix("}\n"))
  }

  @Test(arguments: ["close", "Close", "CLOSE", "x, close", "close, keep-alive"])
  func aConnectionEndsWhenTheCallerSaysSo(_ value: String) async throws {
    let answer = try await answer(Self.get + "Connection: \(value)\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
  }
}
