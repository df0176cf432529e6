import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOSSL
import PCMCore

/// Enforces ``ServerLimits`` on one connection of HTTP/1.1, and answers requests that no route can answer. Confined to the
/// connection's event loop.
///
/// Its place is between NIO's codec and the conversion to HTTPTypes, which have neither a version nor a second `Host`. Hummingbird
/// closes idle connections, limits the accepted connections, and reads no further than a few parts ahead of a route.
final class ConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let limits: ServerLimits
  private let metricSet: MetricSet
  private let scheme: String
  private var isCounted = false
  /// The number of requests whose responses have not ended.
  private var owed = 0
  /// Whether the body of the latest request is incomplete.
  private var isInBody = false
  private var responseHasBegun = false
  /// Whether the connection ends with the response to the latest request.
  private var isLast = false
  /// The error after which no further input is read.
  private var error: ConnectionError?
  private var isRejected = false
  /// Cancels the current call.
  private var cancelCall: (@Sendable () -> Void)?
  private var isClosedByCaller = false
  /// Closes the connection when the caller does not read, or after an error.
  private var closing: Scheduled<Void>?

  init(limits: ServerLimits, metricSet: MetricSet, scheme: String) {
    self.limits = limits
    self.metricSet = metricSet
    self.scheme = scheme
  }

  /// Calls `cancel` when the caller closes the connection before the response to the current request has ended, or
  /// immediately if it is closed already.
  func onClose(_ cancel: @escaping @Sendable () -> Void) {
    if isClosedByCaller { cancel() } else { cancelCall = cancel }
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { begin(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    begin(context)
    context.fireChannelActive()
  }

  private func begin(_ context: ChannelHandlerContext) {
    guard !isCounted else { return }
    isCounted = true
    if metricSet.connections.add() > Double(limits.connections) {
      fail(.tooManyConnections(limit: limits.connections), context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    // Otherwise, the part of a body that arrived before the error would look complete.
    if let error { context.fireErrorCaught(error) }
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  private func end() {
    callerClosed()
    closing?.cancel()
    guard isCounted else { return }
    isCounted = false
    metricSet.connections.add(-1)
  }

  private func callerClosed() {
    isClosedByCaller = true
    cancelCall?()
    cancelCall = nil
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent {
      callerClosed()
      if isRejected { return context.close(promise: nil) }
    }
    context.fireUserInboundEventTriggered(event)
  }
}

// Requests
extension ConnectionLimits {
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard error == nil else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      guard let head = admit(head, context) else { return }
      context.fireChannelRead(wrapInboundOut(.head(head)))
    case .body:
      // After an early response, the rest of the body is dropped.
      guard owed > 0 else { return }
      context.fireChannelRead(data)
    case .end:
      isInBody = false
      context.fireChannelRead(data)
    }
  }

  /// Returns the head of a request as the API reads it, or nil for a request that it does not receive.
  private func admit(_ given: HTTPRequestHead, _ context: ChannelHandlerContext) -> HTTPRequestHead? {
    var head = given
    do throws(ConnectionError) {
      try head.check(scheme: scheme, bodyLimit: limits.bodyBytes)
    } catch {
      fail(error, context)
      return nil
    }
    // Hummingbird knows no version, and one spelling of `close`.
    if !head.isKeepAlive || head.version != .http1_1 {
      isLast = true
      head.headers.replaceOrAdd(name: "Connection", value: "close")
    }
    isInBody = true
    owed += 1
    if owed == 1, head.version == .http1_1, head.headers["Expect"].contains(where: { $0.lowercased() == "100-continue" }) {
      context.writeAndFlush(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
    }
    return head
  }

  /// Handles an error of the decoder. The bytes after it cannot be decoded.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard context.channel.isActive, !error.isOfConnection else { return context.fireErrorCaught(error) }
    switch error {
    case HTTPParserError.closedConnection where isLast: break
    case HTTPParserError.headerOverflow: fail(.headTooLarge(limits), context)
    default: fail(.notHTTP, context)
    }
  }

  private func fail(_ error: ConnectionError, _ context: ChannelHandlerContext) {
    guard self.error == nil else { return }
    self.error = error
    rejectInTurn(context)
  }
}

// Responses
extension ConnectionLimits {
  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isRejected else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    context.write(data, promise: promise)
    switch unwrapOutboundIn(data) {
    case .head: responseHasBegun = true
    case .body: break
    case .end:
      (responseHasBegun, cancelCall) = (false, nil)
      owed -= 1
      rejectInTurn(context)
    }
  }

  /// Answers an error once earlier responses have ended.
  private func rejectInTurn(_ context: ChannelHandlerContext) {
    guard let error, !isRejected, owed == 0 || (isInBody && owed == 1 && !responseHasBegun) else { return }
    isRejected = true
    closing?.cancel()
    // A request with a response before the end of its body needs no second one.
    guard !isInBody || owed > 0 else {
      context.flush()
      return context.close(promise: nil)
    }
    reject(error, context)
  }

  /// Sends the response and closes the output. Input is dropped for a while: closing at once would reset the connection, and the
  /// caller would lose the response.
  private func reject(_ error: ConnectionError, _ context: ChannelHandlerContext) {
    metricSet.countClosed(error.label)
    let problem = error.problem
    let bytes = problem.json.bytes + [UInt8(ascii: "\n")]
    var headers: HTTPHeaders = [
      "Content-Type": "application/problem+json", "Content-Length": String(bytes.count), "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff", "Connection": "close",
    ]
    for field in problem.headers { headers.add(name: field.name.canonicalName, value: field.value) }
    let status = HTTPResponseStatus(statusCode: problem.status.code)
    context.write(
      wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
      context.close(mode: .output, promise: nil)
    }
    closing = context.schedule(in: limits.lingerTime) { context.close(promise: nil) }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if !isRejected {
      closing?.cancel()
      if !context.channel.isWritable { watchOutput(context) }
    }
    context.fireChannelWritabilityChanged()
  }

  /// Closes the connection when the caller accepts nothing of the waiting output within the limit.
  private func watchOutput(_ context: ChannelHandlerContext) {
    let waiting = context.unsentBytes
    closing = context.schedule(in: limits.writeTime) {
      if context.unsentBytes < waiting { return self.watchOutput(context) }
      self.metricSet.countClosed(.unread)
      context.close(promise: nil)
    }
  }
}

extension Error {
  /// Whether the error is one of the connection or of TLS, and not of a request.
  fileprivate var isOfConnection: Bool {
    self is IOError || self is ChannelError || self is NIOSSLError || self is BoringSSLError || self is NIOSSLExtraError
  }
}

extension ChannelHandlerContext {
  /// The number of bytes that were written and that the system has not accepted.
  fileprivate var unsentBytes: Int { (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

  fileprivate func schedule(in time: Duration, _ task: @escaping () -> Void) -> Scheduled<Void> {
    eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time), task)
  }
}
