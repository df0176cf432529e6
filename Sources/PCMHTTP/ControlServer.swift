package import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The control API on a TCP port.
package struct ControlServer: Service {
  private let responder: RouterResponder<APIContext>
  private let host: String
  private let port: Int
  private let limits: ServerLimits
  private let metricSet: MetricSet
  private let logger: Logger
  private let onListening: @Sendable (_ port: Int) -> Void

  /// - Parameters:
  ///   - extension: Additional routes.
  ///   - port: 0 lets the kernel choose.
  ///   - limits: The limits of one connection and of all together.
  ///   - onListening: Receives the port once connections are accepted.
  package init(
    api: ControlAPI, access: AccessRules, extension: RouterExtension = .none, host: String, port: Int,
    limits: ServerLimits = ServerLimits(), logger: Logger, onListening: @escaping @Sendable (_ port: Int) -> Void
  ) {
    let router = api.router(access: access)
    `extension`.add(router)
    responder = router.buildResponder()
    self.host = host
    self.port = port
    self.limits = limits
    metricSet = api.metrics.metricSet
    self.logger = logger
    self.onListening = onListening
  }

  /// Listens at an address and stops at once. Throws ``ListenError`` when a server could not listen there.
  package static func requireAddress(host: String, port: Int) async throws {
    try await listening(on: host, port: port) {
      let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      try await bootstrap.bind(host: host, port: port).get().close()
    }
  }

  /// Serves until the graceful shutdown of the task. Then the server accepts no further connections, and closes each
  /// connection after its current response; unread bytes may be lost.
  package func run() async throws {
    let onListening = onListening
    let configuration = limits.channel(metricSet: metricSet, scheme: "http")
    let application = Application(
      responder: responder,
      server: HTTPServerBuilder { FinishingChannel(HTTP1Channel(responder: $0, configuration: configuration)) },
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port), serverName: nil,
        availableConnectionsDelegate: .maximum(limits.accepted, logger: logger)),
      onServerRunning: { channel in onListening(channel.localAddress?.port ?? 0) }, logger: logger)
    try await listening(on: host, port: port) { try await application.run() }
  }
}

/// Routes in addition to the API, such as a benchmark's.
package struct RouterExtension: Sendable {
  let add: @Sendable (Router<APIContext>) -> Void

  package init(_ add: @escaping @Sendable (Router<APIContext>) -> Void) {
    self.add = add
  }

  package static let none = RouterExtension { _ in }
}
