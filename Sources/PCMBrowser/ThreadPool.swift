/// Runs an operation in the thread pool, whatever executor the task prefers. A brief call runs on the event loop of its
/// connection, which longer work must leave.
package func inThreadPool<Value: Sendable>(_ operation: () async throws -> Value) async throws -> Value {
  try await withTaskExecutorPreference(globalConcurrentExecutor) {
    // The new preference takes effect when the task resumes.
    await Task.yield()
    return try await operation()
  }
}
