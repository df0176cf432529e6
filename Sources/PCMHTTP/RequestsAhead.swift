import NIOCore
import NIOHTTPTypes
import PCMTelemetry

/// Holds the requests that a caller sends before the response to an earlier one has ended, and drops them when the caller
/// closes the connection. Confined to the connection's event loop.
///
/// Without it, such requests fill the buffers of the service and of the system, and the end of the connection, which comes
/// after them, is not noticed. A call that waits would keep its place.
final class RequestsAhead: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limit: Int
  private let metricSet: MetricSet
  private var requests = HeldRequests()

  /// - Parameter limit: The maximum size of the held requests. A connection with more is closed.
  init(limit: Int, metricSet: MetricSet) {
    self.limit = limit
    self.metricSet = metricSet
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if requests.receive(unwrapInboundIn(data)) { return context.fireChannelRead(data) }
    guard requests.byteCount > limit else { return }
    requests.end()
    metricSet.closedConnections.add(.requestsAhead)
    context.close(promise: nil)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    context.fireChannelReadComplete()
    // The service itself reads on only when it needs more of the request.
    if requests.isAwaitingResponse { context.read() }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let part = unwrapOutboundIn(data)
    context.write(data, promise: promise)
    guard case .end = part else { return }
    requests.responseEnded()
    guard !requests.isEmpty else { return }
    // Not before the end of this call: the connection may end with the response.
    context.eventLoop.assumeIsolated().execute { self.passNext(context) }
  }

  private func passNext(_ context: ChannelHandlerContext) {
    let parts = requests.takeNext()
    guard !parts.isEmpty else { return }
    for part in parts { context.fireChannelRead(wrapInboundOut(part)) }
    channelReadComplete(context: context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { requests.end() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    requests.end()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { requests.end() }
}
