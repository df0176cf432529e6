import NIOCore
import NIOPosix
import PCMClient

/// Stands between the client and the service, and cuts connections when it is told to.
actor Relay {
  let url: String
  private let listener: any Channel
  private var open: [any Channel] = []
  private(set) var accepted = 0

  private init(listener: any Channel) {
    self.listener = listener
    url = "http://127.0.0.1:\(listener.localAddress?.port ?? 0)"
  }

  static func start(to service: PCMService) async throws -> Relay {
    let port = service.url.split(separator: ":").last.flatMap { Int($0) } ?? 0
    let (channels, continuation) = AsyncStream.makeStream(of: (any Channel).self)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { near in
        continuation.yield(near)
        return ClientBootstrap(group: near.eventLoop)
          .channelInitializer { far in
            far.eventLoop.makeCompletedFuture { try far.pipeline.syncOperations.addHandler(Hose(near)) }
          }
          .connect(host: "127.0.0.1", port: port)
          .flatMapThrowing { far in try near.pipeline.syncOperations.addHandler(Hose(far)) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let relay = Relay(listener: listener)
    Task { for await channel in channels { await relay.add(channel) } }
    return relay
  }

  private func add(_ channel: any Channel) {
    accepted += 1
    open.append(channel)
  }

  /// Closes every connection that is open; new ones are accepted.
  func cut() async {
    let channels = open
    open = []
    for channel in channels { try? await channel.close() }
  }

  func stop() async {
    await cut()
    try? await listener.close()
  }

  /// What comes in on one side goes out on the other, and both end together.
  private final class Hose: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel

    init(_ other: any Channel) {
      self.other = other
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
      other.close(promise: nil)
    }
  }
}
