import NIOCore
import NIOPosix

/// Runs an operation in the thread pool for long work, whatever executor the task prefers. A brief call runs on the event loop
/// of its connection, which longer work must leave.
package func inThreadPool<Value: Sendable>(_ operation: () async throws -> Value) async throws -> Value {
  try await withTaskExecutorPreference(longWork) {
    // The new preference takes effect when the task resumes.
    await Task.yield()
    return try await operation()
  }
}

/// The executor of the thread pool for long work, for a task that is not a part of another.
package let longWork: any TaskExecutor = LongWorkExecutor()

/// Runs tasks in threads of which there is one fewer than processors, so that long work leaves a processor to brief calls.
///
/// The global executor has a thread for each processor. With it, a click waits for its turn several times whenever lists,
/// explanations, and advances keep all processors busy.
private final class LongWorkExecutor: TaskExecutor {
  private let threads = NIOThreadPool(numberOfThreads: max(1, System.coreCount - 1))

  init() { threads.start() }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    threads.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
