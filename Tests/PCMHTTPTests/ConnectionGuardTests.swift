import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOPosix
import PCMTelemetry
import Testing

@testable import PCMHTTP

@Suite(.timeLimit(.minutes(10))) struct ConnectionGuardTests {
  @Test("a connection whose heads cannot be checked is closed")
  func noDecoder() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let server = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ConnectionGuard(limits: .patient, metricSet: MetricSet()))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let client = try await ClientBootstrap(group: group)
      .connect(host: "127.0.0.1", port: try #require(server.localAddress?.port)).get()
    try await client.closeFuture.get()
    try await server.close()
  }

  @Test("a small response that is written at once is not counted, and takes no promise")
  func small() throws {
    let stage = try Stage()
    for _ in 1...3 { try stage.respond(parts: [100, 200]) }
    #expect(stage.wire.promises == 0)
    #expect(stage.wire.bytes == 900)
    #expect(stage.metricSet.unreadBytes.current == 0)
  }

  @Test("small responses that the caller does not accept are counted until it does")
  func unread() throws {
    let stage = try Stage()
    stage.network.isBlocked = true
    for _ in 1...3 { try stage.respond(parts: [100, 200]) }
    #expect(stage.metricSet.unreadBytes.current == 900)
    stage.unblock()
    #expect(stage.metricSet.unreadBytes.current == 0)
    #expect(stage.wire.bytes == 900)
  }

  @Test("output that is not sent yet is counted beyond a part")
  func unsent() throws {
    let stage = try Stage()
    let part = ServerLimits.patient.partBytes
    try stage.respond(parts: [part, 1, part + 1], isSent: false)
    #expect(stage.metricSet.unreadBytes.current == part + 2)
    stage.channel.flush()
    #expect(stage.metricSet.unreadBytes.current == 0)
    #expect(stage.wire.bytes == 2 * part + 2)
  }

  /// A connection with a guard between a network that can be blocked and the responses of a service.
  private struct Stage {
    let channel = EmbeddedChannel()
    let metricSet = MetricSet()
    let network = Network()
    let wire = Wire()

    init() throws {
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
      try pipeline.addHandler(wire)
      try pipeline.addHandler(ConnectionGuard(limits: .patient, metricSet: metricSet))
      try pipeline.addHandler(network, position: .first)
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    /// Responds with a body in parts, and sends all of it at once.
    func respond(parts: [Int], isSent: Bool = true) throws {
      channel.pipeline.write(HTTPResponsePart.head(HTTPResponse(status: .ok)), promise: nil)
      for size in parts {
        channel.pipeline.write(HTTPResponsePart.body(ByteBuffer(repeating: 0x78, count: size)), promise: nil)
      }
      channel.pipeline.write(HTTPResponsePart.end(nil), promise: nil)
      if isSent { channel.flush() }
    }

    func unblock() {
      network.isBlocked = false
      channel.flush()
    }
  }

  /// A network that accepts nothing while it is blocked.
  private final class Network: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    var isBlocked = false

    func flush(context: ChannelHandlerContext) {
      if !isBlocked { context.flush() }
    }
  }

  /// The encoder of the bodies of responses. It counts the promises that it receives.
  private final class Wire: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = ByteBuffer

    var promises = 0
    var bytes = 0

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if promise != nil { promises += 1 }
      var output = ByteBuffer()
      if case .body(let body) = unwrapOutboundIn(data) { output = body }
      bytes += output.readableBytes
      context.write(wrapOutboundOut(output), promise: promise)
    }
  }
}
