import Logging
import ServiceLifecycle

/// Runs services while `body` runs, then shuts them down gracefully.
///
/// - Parameters:
///   - port: The port of the service that listens. `body` receives it.
///   - body: Is not called when a service cannot start.
/// - Throws: The error of `body`, or else the error of a service.
func running<Value: Sendable>(
  _ services: [any Service], on port: FirstValue<Int>, logger: Logger,
  during body: @escaping @Sendable (_ port: Int) async throws -> Value
) async throws -> Value {
  var configuration = ServiceGroupConfiguration(services: services, logger: logger)
  configuration.maximumGracefulShutdownDuration = .seconds(10)
  let group = ServiceGroup(configuration: configuration)
  return try await withThrowingTaskGroup(of: Void.self) { tasks in
    tasks.addTask {
      do {
        try await group.run()
      } catch {
        port.fail(error)
        throw error
      }
    }
    let result = await Result { try await body(try await port.value) }
    // A graceful shutdown closes all connections; canceling the task would not.
    await group.triggerGracefulShutdown()
    let end = await Result { try await tasks.waitForAll() }
    let value = try result.get()
    try end.get()
    return value
  }
}

/// A value that is set once and can be awaited.
struct FirstValue<Value: Sendable>: Sendable {
  private let stream: AsyncThrowingStream<Value, any Error>
  private let continuation: AsyncThrowingStream<Value, any Error>.Continuation

  init() {
    (stream, continuation) = AsyncThrowingStream.makeStream()
  }

  func set(_ value: Value) {
    continuation.yield(value)
    continuation.finish()
  }

  /// Ends the wait with an error, unless there is a value.
  func fail(_ error: any Error) { continuation.finish(throwing: error) }

  var value: Value {
    get async throws {
      for try await value in stream { return value }
      throw StartError(description: "a service did not start")
    }
  }
}

extension Result where Failure == any Error {
  /// Creates a result from the value or the error of `body`.
  init(catching body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
