import GRDB
import NIOConcurrencyHelpers

/// Work that takes several transactions.
struct SteppedWrite: Sendable {
  /// Performs the next step in a transaction, possibly more than once, as that of a ``QueuedWrite``. Returns the settlement of
  /// the last step, and nil while more steps follow.
  let run: @Sendable (Database) throws -> QueuedWrite.Settlement?

  /// Ends the work after a step that failed.
  let fail: @Sendable (any Error) -> Void
}

/// Performs the steps of several works in turn. Only one step waits for a commit at any time, so that no transaction contains
/// two, and other writes take effect in between.
final class StepQueue: Sendable {
  private let queue: GroupCommit
  private let state = NIOLockedValueBox(State())

  private struct State {
    var waiting: [SteppedWrite] = []
    var isRunning = false
  }

  init(_ queue: GroupCommit) {
    self.queue = queue
  }

  func add(_ work: SteppedWrite) {
    let isFirst = state.withLockedValue { state in
      state.waiting.append(work)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if isFirst { performNextStep() }
  }

  private func performNextStep() {
    let next = state.withLockedValue { state -> SteppedWrite? in
      state.isRunning = !state.waiting.isEmpty
      return state.isRunning ? state.waiting.removeFirst() : nil
    }
    guard let work = next else { return }
    queue.add(
      QueuedWrite { [self] database in
        let settlement = try work.run(database)
        return { [self] in
          if let settlement {
            settlement()
          } else {
            state.withLockedValue { $0.waiting.append(work) }
          }
          performNextStep()
        }
      } fail: { [self] error in
        work.fail(error)
        performNextStep()
      }, to: GroupCommit.steps)
  }
}
