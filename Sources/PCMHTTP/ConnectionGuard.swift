import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOSSL
import PCMCore
import PCMTelemetry

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Enforces the limits of one connection by performing the actions of `ConnectionPace`. Confined to the connection's
/// event loop.
///
/// ``ServerLimits`` explains why these limits are not Hummingbird's or NIO's. Hummingbird returns an empty 400 for every
/// error of the decoder; here, each error has its own status and a problem document.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limits: ServerLimits
  private let metricSet: MetricSet
  private let scheme: String
  private var pace: ConnectionPace
  private var isCounted = false
  /// The next scheduled check of the deadline. An early check schedules the next one.
  private var check: (at: Duration, task: Scheduled<Void>)?
  /// Cancels the current call.
  private var cancelCall: (@Sendable () -> Void)?
  private var isClosedByCaller = false
  /// The share of the current response in the unread responses.
  private var reservation: Reservation?
  /// The bytes of small bodies since the last flush, which are not counted yet; at most a part.
  private var unsentBytes = 0

  /// - Parameter scheme: The scheme of the service's URLs.
  init(limits: ServerLimits, metricSet: MetricSet, scheme: String = "http") {
    self.limits = limits
    self.metricSet = metricSet
    self.scheme = scheme
    pace = ConnectionPace(limits: limits, at: .zero)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    do {
      try addByteWatch(context, pipeline)
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(HeadCheck(scheme: scheme, bodyLimit: limits.bodyBytes), position: .after(decoder))
    } catch {
      // A connection without these checks would have no limits.
      return context.close(promise: nil)
    }
    limitUnsentBytes(context)
    if context.channel.isActive { begin(context) }
  }

  /// Adds the handler that sees the bytes of an incomplete head: the first one, or the first one after TLS.
  private func addByteWatch(_ context: ChannelHandlerContext, _ pipeline: ChannelPipeline.SynchronousOperations) throws {
    let watch = ByteWatch(self, context)
    if let tls = try? pipeline.handler(type: NIOSSLServerHandler.self) {
      try pipeline.addHandler(watch, position: .after(tls))
    } else {
      try pipeline.addHandler(watch, position: .first)
    }
  }

  /// Limits the output that the system accepts before it sends it. With its own limit, which grows to megabytes, a caller who
  /// reads steadily would make progress in steps of minutes.
  private func limitUnsentBytes(_ context: ChannelHandlerContext) {
    guard let socket = context.channel as? any SocketOptionProvider else { return }
    let option = NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT)
    socket.unsafeSetSocketOption(level: .tcp, name: option, value: CInt(limits.partBytes)).assumeIsolated().whenFailure { _ in
      context.close(promise: nil)
    }
  }

  func channelActive(context: ChannelHandlerContext) {
    begin(context)
    context.fireChannelActive()
  }

  private func begin(_ context: ChannelHandlerContext) {
    guard !isCounted else { return }
    isCounted = true
    pace = ConnectionPace(limits: limits, at: context.now)
    let isTooMany = metricSet.connections.increment() > limits.connections
    perform(isTooMany ? pace.fail(.tooManyConnections(limit: limits.connections)) : .none, context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  /// Calls `cancel` when the caller closes the connection before the response to the current request has ended, or
  /// immediately if it is closed already.
  func onClose(_ cancel: @escaping @Sendable () -> Void) {
    if isClosedByCaller { cancel() } else { cancelCall = cancel }
  }

  /// Keeps a reservation until the current response has left or the connection is closed.
  func keepUntilSent(_ reservation: Reservation) { self.reservation = reservation }

  private func callerClosed() {
    isClosedByCaller = true
    cancelCall?()
    cancelCall = nil
  }

  private func end() {
    callerClosed()
    reservation = nil
    check?.task.cancel()
    check = nil
    guard isCounted else { return }
    isCounted = false
    metricSet.connections.decrement()
  }

  fileprivate func watch(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
    guard pace.expectsHead else { return }
    let bytes = buffer.readableBytesView
    let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
    pace.bytesArrived(line: end.map { $0 - bytes.startIndex } ?? bytes.count, endsLine: end != nil, at: context.now)
    arrangeCheck(context)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard pace.takesRequests else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      let awaitsContinue = head.headerFields.contains(.expect)
      let action = pace.headArrived(
        targetBytes: head.path?.utf8.count ?? 0, awaitsContinue: awaitsContinue, at: context.now)
      perform(action, context)
      guard pace.takesRequests else { return }
    case .body: pace.bodyArrived()
    case .end:
      pace.requestEnded(at: context.now)
      arrangeCheck(context)
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    sendContinue(context)
    context.fireChannelReadComplete()
  }

  /// Sends 100 to a caller that waits for it with its body.
  private func sendContinue(_ context: ChannelHandlerContext) {
    guard pace.takeContinue() else { return }
    context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !pace.isOver else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(let head):
      context.write(data, promise: promise)
      if head.status.kind != .informational { pace.responseBegan() }
    case .body(let bytes): write(bytes, promise, context)
    case .end:
      context.write(data, promise: releasing(promise, context))
      cancelCall = nil
      perform(pace.responseEnded(at: context.now), context)
      sendContinue(context)
    }
  }

  /// Returns a promise for the end of a response that also releases its reservation.
  private func releasing(_ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) -> EventLoopPromise<Void>? {
    guard let reservation else { return promise }
    self.reservation = nil
    let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
    sent.futureResult.whenComplete { _ in reservation.release() }
    return sent
  }

  /// Writes a body. Most are small and leave with the next flush; only what does not leave then is counted.
  private func write(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
    guard unsentBytes + bytes.readableBytes > limits.partBytes else {
      unsentBytes += bytes.readableBytes
      return context.write(wrapOutboundOut(.body(bytes)), promise: promise)
    }
    writeParts(bytes, promise, context)
  }

  /// Writes a body in parts, so that a caller who accepts one every now and then is not taken for one who accepts nothing.
  private func writeParts(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
    var rest = bytes
    repeat {
      let part = rest.readSlice(length: min(limits.partBytes, rest.readableBytes)) ?? rest
      let accepted = countedUntilAccepted(part.readableBytes, context)
      if rest.readableBytes == 0 { accepted.futureResult.cascade(to: promise) }
      context.write(wrapOutboundOut(.body(part)), promise: accepted)
    } while rest.readableBytes > 0
  }

  /// Counts bytes as unread until the returned promise, that of their write, is completed.
  private func countedUntilAccepted(_ byteCount: Int, _ context: ChannelHandlerContext) -> EventLoopPromise<Void> {
    let unread = metricSet.unreadBytes
    unread.add(byteCount)
    let accepted = context.eventLoop.makePromise(of: Void.self)
    accepted.futureResult.assumeIsolated().whenComplete { result in
      unread.add(-byteCount)
      guard case .success = result else { return }
      self.pace.outputProgressed(at: context.now)
    }
    return accepted
  }

  func flush(context: ChannelHandlerContext) {
    let byteCount = unsentBytes
    unsentBytes = 0
    context.flush()
    guard byteCount > 0, !context.hasSentEverything else { return }
    let accepted = countedUntilAccepted(byteCount, context)
    do {
      let pipeline = context.pipeline.syncOperations
      // An empty write after the bytes ends when they have left.
      try pipeline.handler(type: ByteWatch.self).write(accepted, pipeline.context(handlerType: ByteWatch.self))
    } catch {
      // A closed channel has no handlers.
      accepted.fail(error)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { pace.outputUnblocked() } else { pace.outputBlocked(at: context.now) }
    arrangeCheck(context)
    context.fireChannelWritabilityChanged()
  }

  /// Handles an error of the decoders. The bytes after it cannot be decoded.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard pace.takesRequests else { return }
    guard context.channel.isActive, !error.isOfConnection else { return context.fireErrorCaught(error) }
    switch error {
    case HTTPParserError.headerOverflow: perform(pace.headOverflowed(), context)
    case let error as ConnectionError: perform(pace.fail(error), context)
    default: perform(pace.fail(.notHTTP), context)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent {
      callerClosed()
      if pace.isOver { return context.close(promise: nil) }
    }
    context.fireUserInboundEventTriggered(event)
  }
}

extension ConnectionGuard {
  private func perform(_ action: ConnectionPace.Action, _ context: ChannelHandlerContext) {
    switch action {
    case .none: arrangeCheck(context)
    case .reject(let error): reject(error, context)
    case .close:
      context.flush()
      context.close(promise: nil)
    case .abandon:
      context.close(promise: nil)
      metricSet.closedConnections.add(.unread)
    }
  }

  /// Sends the response and closes the output. Input is read and discarded for a while: closing at once would reset the
  /// connection, and the caller would lose the response.
  private func reject(_ error: ConnectionError, _ context: ChannelHandlerContext) {
    metricSet.closedConnections.add(error.label)
    let problem = error.problem
    let bytes = problem.json.bytes
    var fields: HTTPFields = [
      .contentType: "application/problem+json", .contentLength: String(bytes.count), .cacheControl: "no-store",
      .xContentTypeOptions: "nosniff", .connection: "close",
    ]
    for field in problem.headers { fields[field.name] = field.value }
    context.write(wrapOutboundOut(.head(HTTPResponse(status: problem.status, headerFields: fields))), promise: nil)
    context.write(wrapOutboundOut(.body(ByteBuffer(bytes: bytes))), promise: nil)
    let loop = context.eventLoop.assumeIsolated()
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
      context.close(mode: .output, promise: nil)
    }
    check?.task.cancel()
    let deadline = context.now + limits.lingerTime
    check = (deadline, loop.scheduleTask(deadline: NIODeadline(deadline)) { context.close(promise: nil) })
  }

  /// Schedules a check at the deadline of the current phase. A check that is scheduled earlier suffices: it schedules the
  /// next one, so that most requests schedule none.
  private func arrangeCheck(_ context: ChannelHandlerContext) {
    guard let deadline = pace.deadline, check.map({ deadline < $0.at }) ?? true else { return }
    check?.task.cancel()
    let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: NIODeadline(deadline)) {
      self.check = nil
      self.perform(self.pace.timePassed(at: context.now), context)
    }
    check = (deadline, task)
  }
}

/// Passes the bytes of a connection to its guard before they are decoded.
private final class ByteWatch: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let owner: ConnectionGuard
  private let ownerContext: ChannelHandlerContext

  init(_ owner: ConnectionGuard, _ ownerContext: ChannelHandlerContext) {
    self.owner = owner
    self.ownerContext = ownerContext
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    owner.watch(unwrapInboundIn(data), ownerContext)
    context.fireChannelRead(data)
  }

  /// Writes no bytes, after those that are written already.
  func write(_ promise: EventLoopPromise<Void>, _ context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: promise)
  }
}

extension Error {
  /// Whether the error is one of the connection or of TLS, and not of a request.
  fileprivate var isOfConnection: Bool {
    self is IOError || self is ChannelError || self is NIOSSLError || self is BoringSSLError || self is NIOSSLExtraError
  }
}

extension ChannelHandlerContext {
  /// The event loop's monotonic clock.
  fileprivate var now: Duration { .nanoseconds(Int64(clamping: eventLoop.now.uptimeNanoseconds)) }

  /// Whether the system accepted all bytes that were written.
  fileprivate var hasSentEverything: Bool { (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) == 0 }
}

extension NIODeadline {
  fileprivate init(_ time: Duration) {
    self = .uptimeNanoseconds(UInt64(max(0, time / .nanoseconds(1))))
  }
}
