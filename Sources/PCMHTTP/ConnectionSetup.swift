import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOSSL

/// Adds the handlers that enforce ``ServerLimits`` to a connection of HTTP/1.1. Hummingbird sets up the streams of HTTP/2 in the same
/// way. They need none: NIO checks their frames and fields, and the API their hosts. Their connection gets a ``FlushBeforeClose``.
///
/// Confined to the connection's event loop.
final class ConnectionSetup: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart

  private let limits: ServerLimits
  private let metricSet: MetricSet
  private let scheme: String

  /// - Parameter scheme: The scheme of the service's URLs.
  init(limits: ServerLimits, metricSet: MetricSet, scheme: String) {
    self.limits = limits
    self.metricSet = metricSet
    self.scheme = scheme
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // A stream has no socket.
    guard context.channel is any SocketOptionProvider else { return completeConnection(of: context.channel) }
    do {
      try limitUnsentBytes(of: context.channel)
      try context.pipeline.syncOperations.addLimits(limits, metricSet: metricSet, scheme: scheme)
    } catch {
      // A connection without them would have no limits.
      context.close(promise: nil)
    }
  }

  /// Limits the output that the system accepts before it sends it. With its own limit, which grows to megabytes, a caller who reads
  /// slowly makes no progress for longer than ``ServerLimits/writeTime``.
  private func limitUnsentBytes(of channel: any Channel) throws {
    try channel.syncOptions?.setOption(.tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT)), value: 131_072)
  }

  /// Adds the handler that the connection of a stream needs, unless an earlier stream did.
  private func completeConnection(of stream: any Channel) {
    guard let pipeline = stream.parent?.pipeline.syncOperations,
      let tls = try? pipeline.handler(type: NIOSSLServerHandler.self),
      (try? pipeline.handler(type: FlushBeforeClose.self)) == nil
    else { return }
    // A closed connection needs none.
    try? pipeline.addHandler(FlushBeforeClose(), position: .after(tls))
  }
}

extension ChannelPipeline.SynchronousOperations {
  /// Adds the limits after NIO's decoder of requests.
  func addLimits(_ limits: ServerLimits, metricSet: MetricSet, scheme: String) throws {
    let decoder = try handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
    try addHandler(ConnectionLimits(limits: limits, metricSet: metricSet, scheme: scheme), position: .after(decoder))
  }
}

/// Flushes a connection of HTTP/2 before it closes. While the service stops, Hummingbird closes a connection as soon
/// as the last frame of its last response is written, which is before the frame is flushed.
///
/// Confined to the connection's event loop.
private final class FlushBeforeClose: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    context.flush()
    context.close(mode: mode, promise: promise)
  }
}
