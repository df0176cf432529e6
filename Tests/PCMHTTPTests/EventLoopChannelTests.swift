import BrowserSupport
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import PCMDelivery
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

  @Test("The token exchange of a click runs in the thread pool")
  func tokenExchange() async throws {
    let places = NIOLockedValueBox<[Bool]>([])
    let transport = ScriptedTransport { _, _ in
      places.withLockedValue { $0.append(MultiThreadedEventLoopGroup.currentEventLoop == nil) }
      return Exchange(httpStatus: 404)
    }
    try await LiveServer.run(.patient, transport: transport) { server in
      let head = "HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: "
      let created = try await server.exchange("PUT /v1/browsers/b \(head)2\r\n\r\n{}")
      #expect(created.hasPrefix("HTTP/1.1 201 "), "\(created)")
      let link =
        #"{"pageURL":"https://news.example/","attributionSourceID":"7","attributionDestination":"https://shop.example","attributionSourceNonce":"ABEiM0RVZneImaq7zN3u_w","userGesture":true}"#
      let click = try await server.exchange("POST /v1/browsers/b/link-clicks \(head)\(link.utf8.count)\r\n\r\n\(link)")
      #expect(click.contains("\"outcome\":\"stored\""), "\(click)")
    }
    #expect(places.withLockedValue { $0 } == [true])
  }

  private static func place(_ context: APIContext) -> String {
    context.channel?.eventLoop.inEventLoop == true ? "loop" : "pool"
  }
}
