package import Hummingbird
import Logging
import NIOConcurrencyHelpers
import NIOCore
import PCMBrowser
import ServiceLifecycle

/// The context of one request to the control API.
package struct APIContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The connection, or with HTTP/2 the stream; nil for a request within the process.
  let channel: (any Channel)?
  private let progress = NIOLockedValueBox(Progress())

  private struct Progress {
    var use: UseToken?
    var body: ByteBuffer?
  }

  package init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// Creates the context of a request within the process.
  init(logger: Logger) {
    coreContext = CoreRequestContextStorage(source: InProcessSource(logger: logger))
    channel = nil
  }
}

extension APIContext {
  /// The use of the browser that the request addresses, once its route has found it.
  var use: UseToken? { progress.withLockedValue { $0.use } }

  func note(_ use: UseToken) { progress.withLockedValue { $0.use = use } }

  /// The body of the request, once its route has read it. It cannot be read from the connection again.
  var body: ByteBuffer? { progress.withLockedValue { $0.body } }

  func note(body: ByteBuffer) { progress.withLockedValue { $0.body = body } }
}

extension APIContext {
  /// Runs a call in a task that is canceled when the caller closes the connection, and when the service shuts down. A call that
  /// waits for others, and that the caller repeats after a timeout, therefore takes effect once.
  ///
  /// - Throws: ``CallerDisconnected`` when the call was canceled because its caller closed the connection.
  ///
  /// Hummingbird's `consumeWithCancellationOnInboundClose` would close the connection after each response.
  func cancelingOnClose<Value: Sendable>(
    isShort: Bool = false, _ call: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    // A request within the process or of a test has no connection.
    guard let channel, channel.isOfConnection else { return try await call() }
    let isClosed = NIOLockedValueBox(false)
    // Detached, because a call reads no task-local values, and a copy of them costs nearly as much as the task.
    let task = Task.detached(executorPreference: isShort ? EventLoopExecutor(channel.eventLoop) : nil) { try await call() }
    let watch: @Sendable () -> Void = {
      channel.onClose {
        isClosed.withLockedValue { $0 = true }
        task.cancel()
      }
    }
    if channel.eventLoop.inEventLoop { watch() } else { channel.eventLoop.execute(watch) }
    do {
      return try await withTaskCancellationOrGracefulShutdownHandler {
        try await task.value
      } onCancelOrGracefulShutdown: {
        task.cancel()
      }
    } catch is CancellationError where isClosed.withLockedValue({ $0 }) {
      throw CallerDisconnected()
    }
  }
}

extension APIContext {
  /// Runs tasks on the event loop of the connection; nil for a request within the process.
  var eventLoopExecutor: (any TaskExecutor)? { channel.map { EventLoopExecutor($0.eventLoop) } }
}

/// The caller closed the connection during a call, so it receives no response.
struct CallerDisconnected: Error {}

extension Channel {
  /// Whether the channel is a connection, or with HTTP/2 a stream.
  fileprivate var isOfConnection: Bool { self is any SocketOptionProvider || parent != nil }

  /// Calls `cancel` when the caller closes the connection, or immediately if it is closed already. Call it on the event loop.
  fileprivate func onClose(_ cancel: @escaping @Sendable () -> Void) {
    do {
      try pipeline.syncOperations.handler(type: ConnectionLimits.self).onClose(cancel)
    } catch {
      // A closed channel has no handlers, and a stream has no limits.
      closeFuture.whenComplete { _ in cancel() }
    }
  }
}

private struct InProcessSource: RequestContextSource {
  let logger: Logger
}

/// The maximum sizes of bodies in bytes.
enum BodyLimit {
  static let json = 65_536
  static let manifest = 1_048_576
  static let scenario = 262_144
}
