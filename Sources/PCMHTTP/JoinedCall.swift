import NIOConcurrencyHelpers

/// A call that its callers share while it is under way. Each waits for a limited time.
///
/// Probes of a store that does not respond therefore end in time, and further probes add no calls.
final class JoinedCall<Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, any Error>

  private struct State {
    var waiters: [Int: (caller: CheckedContinuation<Outcome?, Never>, timer: Task<Void, Never>?)] = [:]
    var lastNumber = 0
    var isRunning = false
  }

  private let state = NIOLockedValueBox(State())
  private let perform: @Sendable () async throws -> Value

  init(_ perform: @escaping @Sendable () async throws -> Value) {
    self.perform = perform
  }

  /// Joins the call that is under way, or begins one.
  ///
  /// - Parameters:
  ///   - executor: Runs the call and the pause, so that they do not wait for other work; nil for the usual one.
  ///   - pause: Returns when the caller has waited for long enough.
  /// - Returns: Nil after the pause.
  func outcome(on executor: (any TaskExecutor)?, within pause: @escaping @Sendable () async throws -> Void) async -> Outcome? {
    await withCheckedContinuation { caller in
      let (number, isFirst) = state.withLockedValue { state in
        state.lastNumber += 1
        state.waiters[state.lastNumber] = (caller, nil)
        defer { state.isRunning = true }
        return (state.lastNumber, !state.isRunning)
      }
      if isFirst { Task.detached(executorPreference: executor) { await self.run() } }
      let timer = Task.detached(executorPreference: executor) {
        guard (try? await pause()) != nil else { return }
        self.state.withLockedValue { $0.waiters.removeValue(forKey: number) }?.caller.resume(returning: nil)
      }
      let isWaiting = state.withLockedValue { state in
        state.waiters[number]?.timer = timer
        return state.waiters[number] != nil
      }
      if !isWaiting { timer.cancel() }
    }
  }

  private func run() async {
    let outcome: Outcome
    do { outcome = .success(try await perform()) } catch { outcome = .failure(error) }
    let waiters = state.withLockedValue { state in
      defer { (state.waiters, state.isRunning) = ([:], false) }
      return Array(state.waiters.values)
    }
    for waiter in waiters {
      waiter.timer?.cancel()
      waiter.caller.resume(returning: outcome)
    }
  }
}

/// How long probes wait for a store.
package struct ProbePauses: Sendable {
  /// With the time for a response, a probe ends within two seconds.
  static let readiness = Duration.milliseconds(1_500)
  /// A scrape does without the gauges of a store that takes longer.
  static let gauges = Duration.milliseconds(500)

  let pause: @Sendable (Duration) async throws -> Void

  package init(_ pause: @escaping @Sendable (Duration) async throws -> Void) {
    self.pause = pause
  }

  /// Pauses without an end.
  package static let endless = ProbePauses { _ in
    for await _ in AsyncStream<Void>.makeStream().stream {}
    throw CancellationError()
  }
}
