import PCMCore
import PCMCurl
import PCMNetwork
import TLSSupport
import Testing

@Suite("HTTP/2 responses before the end of the request", .timeLimit(.minutes(5)))
struct EarlyAnswerTests {
  /// More than a stream's window, so that a part is unsent when the response arrives.
  private static let large = [UInt8](repeating: 0x20, count: 200_000)

  @Test(
    "A complete response counts, even if a part of the report is unsent", arguments: [0, 1, 1_000], [200, 204, 413])
  func whole(_ size: Int, _ status: Int) async throws {
    let reply = Reply(status, body: [UInt8](repeating: 7, count: status == 204 ? 0 : size))
    try await Stage.run(.http2, at: .head, reply: reply) { stage in
      let exchange = await stage.transport.send(
        stage.report(body: Self.large), route: stage.route())
      #expect(exchange.failure == nil)
      #expect(exchange.httpStatus == status)
      #expect(exchange.httpVersion == "2")
      #expect(exchange.body == reply.body)
    }
  }

  @Test(
    "A truncated response is a failure, even if the stream ends without an error",
    arguments: [0, 1, 99], [0, 8])
  func brokenOff(_ size: Int, _ code: Int) async throws {
    let reply = Reply(body: [UInt8](repeating: 7, count: 100), .breakOff(after: size, code: code))
    for body in [Self.large, Array("{}".utf8)] {
      for moment in [RecordingServer.Moment.head, .end] where moment == .head || body.count < 65_536 {
        try await Stage.run(.http2, at: moment, reply: reply) { stage in
          let exchange = await stage.transport.send(stage.report(body: body), route: stage.route())
          #expect(
            exchange.httpStatus == 200 && exchange.failure?.code == .connectionLost,
            "\(body.count) bytes, \(moment): \(exchange)")
        }
      }
    }
  }
}
