import NIOCore
import NIOHTTPTypes
import PCMTelemetry

/// Adds the handlers of ``ControlServer`` to a connection of HTTP/1.1. Hummingbird sets up the streams of HTTP/2 in the same way.
/// They have no guard: NIO checks their frames and fields, and the API their hosts.
///
/// Confined to the connection's event loop.
final class EndpointConnection: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart

  private let limits: ServerLimits
  private let metricSet: MetricSet

  init(limits: ServerLimits, metricSet: MetricSet) {
    self.limits = limits
    self.metricSet = metricSet
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // A stream has no socket.
    guard context.channel is any SocketOptionProvider else { return }
    let handlers: [any ChannelHandler] = [
      ConnectionGuard(limits: limits, metricSet: metricSet, scheme: "https"),
      RequestsAhead(limit: limits.aheadBytes, metricSet: metricSet),
    ]
    do {
      try context.pipeline.syncOperations.addHandlers(handlers, position: .after(self))
    } catch {
      // A connection without them would have no limits.
      context.close(promise: nil)
    }
  }
}
