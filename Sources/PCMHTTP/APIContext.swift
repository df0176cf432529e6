package import Hummingbird
import Logging
import NIOCore

/// What travels with one request through the control API.
package struct APIContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The connection, or with HTTP/2 the stream; nil for a request that was made within the process.
  let channel: (any Channel)?

  package init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// For a request within the process.
  init(logger: Logger) {
    coreContext = CoreRequestContextStorage(source: InProcessSource(logger: logger))
    channel = nil
  }
}

extension APIContext {
  /// Runs a call in a task that is cancelled when the caller closes the connection, so that a call that waits for others
  /// and that the caller repeats after a timeout takes effect once.
  ///
  /// Hummingbird's `consumeWithCancellationOnInboundClose` would close the connection after each response.
  func cancellingOnClose<Value: Sendable>(_ call: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task { try await call() }
    if let channel {
      channel.eventLoop.execute {
        // A request within the process or of a test has no guard.
        try? channel.pipeline.syncOperations.handler(type: ConnectionGuard.self).onClose { task.cancel() }
      }
    }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

private struct InProcessSource: RequestContextSource {
  let logger: Logger
}

/// How much of a body is read.
enum BodyLimit {
  static let json = 65_536
  static let manifest = 1_048_576
  static let scenario = 262_144
}
