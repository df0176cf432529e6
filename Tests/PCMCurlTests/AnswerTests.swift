import PCMCore
import PCMCurl
import PCMNetwork
import TLSSupport
import Testing

@Suite("Responses", .timeLimit(.minutes(5)))
struct AnswerTests {
  @Test("Any status is a response", arguments: [200, 201, 204, 302, 404, 500, 503], RecordingServer.Version.allCases)
  func statuses(_ status: Int, _ version: RecordingServer.Version) async throws {
    try await Stage.run(version, reply: Reply(status)) { stage in
      let exchange = await stage.send()
      #expect(exchange.httpStatus == status)
      #expect(exchange.failure == nil)
    }
  }

  @Test("A response has its version, address, type, body, and increasing times")
  func wholeAnswer() async throws {
    let reply = Reply(201, headers: [.init("Content-Type", "application/json; charset=utf-8")], body: Array("{}".utf8))
    try await Stage.run(reply: reply) { stage in
      let exchange = await stage.send()
      #expect(exchange.httpStatus == 201)
      #expect(exchange.httpVersion == "1.1")
      #expect(exchange.remoteAddress == "127.0.0.1")
      #expect(exchange.contentType == "application/json; charset=utf-8")
      #expect(exchange.body == Array("{}".utf8))
      #expect(!exchange.bodyTruncated)
      #expect(!exchange.insecure)
      let timings = try #require(exchange.timings)
      let times = [timings.dns, timings.connect, timings.tls, timings.firstByte, timings.total]
      #expect(times == times.sorted())
      #expect(timings.tls > 0)
    }
  }

  @Test("A redirect is the response and is not followed", arguments: [301, 302, 303, 307, 308])
  func redirects(_ status: Int) async throws {
    try await Stage.run(reply: .redirect(to: "/elsewhere", status: status)) { stage in
      #expect(await stage.send().httpStatus == status)
      #expect(await stage.server.requests.map(\.target) == [Stage.path])
    }
  }

  @Test(
    "A body is read up to the limit; a longer one is truncated and marked, without a failure",
    arguments: [(0, false), (999, false), (1_000, false), (1_001, true), (100_000, true)], RecordingServer.Version.allCases)
  func limit(_ size: (bytes: Int, isCut: Bool), _ version: RecordingServer.Version) async throws {
    let body = [UInt8](repeating: 7, count: size.bytes)
    try await Stage.run(version, reply: Reply(body: body)) { stage in
      let exchange = await stage.send { $0.responseLimit = 1_000 }
      #expect(exchange.httpStatus == 200)
      #expect(exchange.failure == nil)
      #expect(exchange.body.count == min(size.bytes, 1_000))
      #expect(exchange.bodyTruncated == size.isCut)
    }
  }

  @Test("An endless response ends at the limit", arguments: [0, 65_536], RecordingServer.Version.allCases)
  func endless(_ limit: Int, _ version: RecordingServer.Version) async throws {
    let body = [UInt8](repeating: 7, count: 1_500)
    try await Stage.run(version, reply: Reply(body: body, .endless)) { stage in
      let exchange = await stage.send { $0.responseLimit = limit }
      #expect(exchange.httpStatus == 200)
      #expect(exchange.failure == nil)
      #expect(exchange.body.count == limit)
      #expect(exchange.bodyTruncated)
    }
  }

  @Test(
    "Heads and trailers end at their limit",
    arguments: [
      ("HTTP/1.1 200 OK\r\n", "Field: value\r\n"), ("", "HTTP/1.1 103 Early Hints\r\nField: value\r\n\r\n"),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", "Field: value\r\n"),
    ])
  func headLimit(_ start: String, _ repeated: String) async throws {
    let text = start + String(repeating: repeated, count: 1_000_000 / repeated.utf8.count)
    try await Stage.run(reply: Reply(.raw(Array(text.utf8)))) { stage in
      let failure = try #require(await stage.send().failure)
      #expect(failure.code == .protocolError)
      #expect(failure.detail.contains("262144 bytes"), "\(failure.detail)")
    }
  }

  @Test("A response that arrives byte by byte is assembled", arguments: RecordingServer.Version.allCases)
  func trickle(_ version: RecordingServer.Version) async throws {
    let body = Array("slow and steady".utf8)
    try await Stage.run(version, reply: Reply(body: body, .trickle(1))) { stage in
      #expect(await stage.send().body == body)
    }
  }

  @Test("After a truncated response, the next one on the same route is complete", arguments: RecordingServer.Version.allCases)
  func afterCut(_ version: RecordingServer.Version) async throws {
    let answer: Stage.Answer = { request in
      Reply(body: [UInt8](repeating: 1, count: request.body.isEmpty ? 100_000 : 10))
    }
    try await Stage.run(version, answer: answer) { stage in
      let route = stage.route {
        $0.freshConnections = false
        $0.responseLimit = 100
      }
      #expect(await stage.transport.send(stage.report(body: []), route: route).bodyTruncated)
      let second = await stage.transport.send(stage.report(), route: route)
      #expect(second.failure == nil)
      #expect(second.body.count == 10)
      #expect(!second.bodyTruncated)
    }
  }
}
