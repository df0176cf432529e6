package import Hummingbird
import HummingbirdCore
package import Logging
import PCMTelemetry
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
  ///   - extension: routes besides the API's.
  ///   - port: 0 lets the kernel choose.
  ///   - limits: what one caller and all of them may take.
  ///   - onListening: told the port once connections are accepted.
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

  /// Serves until the graceful shutdown of the task: then no connection is accepted any more, and requests under way
  /// are answered.
  package func run() async throws {
    let onListening = onListening
    let application = Application(
      responder: responder, server: .http1(configuration: limits.channel(metricSet)),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port), serverName: nil,
        availableConnectionsDelegate: .maximum(limits.accepted, logger: logger)),
      onServerRunning: { channel in onListening(channel.localAddress?.port ?? 0) }, logger: logger)
    try await listening(on: host, port: port) { try await application.run() }
  }
}

/// Routes that somebody else adds to the API's: a benchmark's, say.
package struct RouterExtension: Sendable {
  let add: @Sendable (Router<APIContext>) -> Void

  package init(_ add: @escaping @Sendable (Router<APIContext>) -> Void) {
    self.add = add
  }

  package static let none = RouterExtension { _ in }
}
