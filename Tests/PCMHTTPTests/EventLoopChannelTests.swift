import Hummingbird
import NIOCore
import Testing

@testable import PCMHTTP

@Suite("The thread of a request")
struct EventLoopChannelTests {
  @Test(
    "A brief request runs on the event loop of its connection, and every other in the thread pool",
    arguments: [(true, "loop"), (false, "pool")])
  func thread(_ isBrief: Bool, _ expected: String) async throws {
    let place = RouterExtension { router in
      var routes = RouteTable(router: router)
      routes.on("/place", .post, isBrief: isBrief) { request, context in
        // The second part arrives after the handler began to wait.
        let before = Self.place(context)
        _ = try await request.body.collect(upTo: 10)
        return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "\(before) \(Self.place(context))")))
      }
    }
    try await LiveServer.run(.patient, extension: place) { server in
      try await server.connect { line in
        try await line.send("POST /place HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\na")
        try await line.send("b")
        let answer = try await line.rest()
        #expect(answer.hasSuffix("\r\n\r\n\(expected) \(expected)"), "\(answer)")
      }
    }
  }

  private static func place(_ context: APIContext) -> String {
    context.channel?.eventLoop.inEventLoop == true ? "loop" : "pool"
  }
}
