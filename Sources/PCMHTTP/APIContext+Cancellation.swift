import NIOCore

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
