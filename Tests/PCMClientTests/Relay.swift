import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import PCMClient

/// Stands between the client and the service, and cuts connections on demand.
final class Relay: Sendable {
  let url: String
  private let listener: any Channel
  private let connections: Connections

  private init(listener: any Channel, connections: Connections) {
    self.listener = listener
    self.connections = connections
    url = "http://127.0.0.1:\(listener.localAddress?.port ?? 0)"
  }

  static func start(to service: PCMService) async throws -> Relay {
    let port = service.url.split(separator: ":").last.flatMap { Int($0) } ?? 0
    let connections = Connections()
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { near in
        connections.add(near)
        return ClientBootstrap(group: near.eventLoop)
          .channelInitializer { far in
            far.eventLoop.makeCompletedFuture { try far.pipeline.syncOperations.addHandler(Hose(near, connections)) }
          }
          .connect(host: "127.0.0.1", port: port)
          .flatMapThrowing { far in try near.pipeline.syncOperations.addHandler(Hose(far)) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return Relay(listener: listener, connections: connections)
  }

  /// How many connections there have been.
  var accepted: Int { connections.state.withLockedValue { $0.accepted } }

  /// Closes all open connections. New connections are accepted.
  func cut() async {
    for channel in connections.takeAll() { try? await channel.close() }
  }

  /// Closes the connection of the next answer in place of it.
  func dropNextAnswer() { connections.state.withLockedValue { $0.dropsAnswer = true } }

  func stop() async {
    await cut()
    try? await listener.close()
  }

  private final class Connections: Sendable {
    let state = NIOLockedValueBox<(open: [any Channel], accepted: Int, dropsAnswer: Bool)>(([], 0, false))

    func add(_ channel: any Channel) {
      state.withLockedValue { state in
        state.open.append(channel)
        state.accepted += 1
      }
    }

    func takeAll() -> [any Channel] {
      state.withLockedValue { state in
        defer { state.open = [] }
        return state.open
      }
    }
  }

  /// Forwards the bytes of each side to the other, and ends both together.
  private final class Hose: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    /// On the service's side.
    private let connections: Connections?

    init(_ other: any Channel, _ connections: Connections? = nil) {
      self.other = other
      self.connections = connections
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let isDropped = connections?.state.withLockedValue { state in
        defer { state.dropsAnswer = false }
        return state.dropsAnswer
      }
      if isDropped == true { return context.close(promise: nil) }
      other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
      other.close(promise: nil)
    }
  }
}
