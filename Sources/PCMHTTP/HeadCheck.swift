import NIOCore
import NIOHTTP1

/// Checks the heads of requests, and ends connections of HTTP/1.0, between NIO's decoder and the conversion to HTTPTypes.
///
/// * HTTPTypes take the first `Host` as the authority and keep a second one as a field, so that two parts of a service could
///   see different hosts. They ignore the host of a target that is a URL.
/// * The decoder ignores an empty `Transfer-Encoding`, and takes the bytes of the body for the next request.
/// * A `Content-Length` above the limit of every route is an error before any of the body arrives.
/// * HTTPTypes have no version, and Hummingbird closes a connection after a response only if the request has exactly
///   `Connection: close`. Other spellings of `close` become that one, and so does HTTP/1.0, whose callers wait for the end of
///   the connection. `Connection: keep-alive` of HTTP/1.0 is ignored, because responses would have to repeat it.
/// * NIO frames a response without a length by its version: chunks are unknown to HTTP/1.0.
///
/// Confined to the connection's event loop.
final class HeadCheck: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let scheme: String
  private let bodyLimit: Int
  private var isRejected = false
  private var isHTTP10 = false
  /// Whether the connection ends with the response to the latest request. What follows it receives no response.
  private var isLast = false

  /// - Parameters:
  ///   - scheme: The scheme of the service's URLs.
  ///   - bodyLimit: The maximum `Content-Length`.
  init(scheme: String, bodyLimit: Int) {
    self.scheme = scheme
    self.bodyLimit = bodyLimit
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRejected else { return }
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    guard !isLast else {
      isRejected = true
      return
    }
    do throws(ConnectionError) {
      try head.check(scheme: scheme, bodyLimit: bodyLimit)
    } catch {
      isRejected = true
      return context.fireErrorCaught(error)
    }
    if head.isHTTP10 { isHTTP10 = true }
    if isHTTP10 || !head.isKeepAlive {
      isLast = true
      head.headers.replaceOrAdd(name: "Connection", value: "close")
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The decoder rejects bytes after the last request.
    if isLast, (error as? HTTPParserError) == .closedConnection { return }
    context.fireErrorCaught(error)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard isHTTP10, case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
    head.version = .http1_0
    context.write(wrapOutboundOut(.head(head)), promise: promise)
  }
}
