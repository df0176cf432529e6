import PCMHTTP
import Testing

/// Heads that NIO accepts and the service does not, and the end of connections, on real sockets. No limit of time ends a
/// connection here.
@Suite(.timeLimit(.minutes(10))) struct RequestHeadTests {
  private static let get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
  private static let post = """
    POST /v1/browsers/default/link-clicks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n
    """

  private func answer(_ request: String) async throws -> String {
    let answers = AsyncStream.makeStream(of: String.self)
    try await LiveServer.run(.patient) { server in answers.continuation.yield(try await server.exchange(request)) }
    for await answer in answers.stream { return answer }
    return ""
  }

  @Test(arguments: ["Host: localhost", "HOST: localhost", "host: evil.example", "Host:"])
  func aRequestHasOneHost(_ field: String) async throws {
    let answer = try await answer(Self.get + field + "\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
    #expect(answer.contains("it has more than one Host field"))
    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
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
    let click = #"{"pageURL":"https://a.example/","attributionSourceID":"1","attributionDestination":"https://b.example"}"#
    let padding = String(repeating: " ", count: 65_536 - click.utf8.count)
    let answer = try await answer(Self.post + "Connection: close\r\nContent-Length: 65536\r\n\r\n" + click + padding)
    #expect(answer.hasPrefix("HTTP/1.1 201 "), "\(answer)")
  }

  @Test(arguments: ["", "Connection: keep-alive\r\n", "Connection: close\r\n"])
  func aConnectionOfHTTP10EndsAfterTheResponse(_ field: String) async throws {
    let answer = try await answer("GET /healthz HTTP/1.0\r\nHost: localhost\r\n\(field)\r\n")
    #expect(answer.hasPrefix("HTTP/1.0 200 "), "\(answer)")
    #expect(answer.hasSuffix("}"))
  }

  @Test func aResponseOfHTTP10HasNoChunks() async throws {
    try await LiveServer.run(.patient) { server in
      try await server.connect { line in
        try await line.send(
          "GET /v1/browsers/default/events HTTP/1.0\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        let head = try await line.read(to: "\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.0 200 "), "\(head)")
        #expect(!head.lowercased().contains("transfer-encoding"))
      }
    }
  }

  @Test(arguments: ["close", "Close", "CLOSE", "x, close", "close, keep-alive"])
  func aConnectionEndsWhenTheCallerSaysSo(_ value: String) async throws {
    let answer = try await answer(Self.get + "Connection: \(value)\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
  }
}
