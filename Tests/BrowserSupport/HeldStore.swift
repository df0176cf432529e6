import NIOConcurrencyHelpers
package import PCMStore

/// A store in memory that suspends a write or a copy until the test decides how it ends. Later writes wait for the suspended call,
/// so the order of the calls is kept.
package final class HeldStore: ForwardingStore {
  private enum Call { case write, fork }
  private enum End { case done, refused, lost }

  private struct State {
    /// The next suspended call.
    var armed: Call?
    var writeCount = 0
    var held: CheckedContinuation<End, Never>?
    var onHold: CheckedContinuation<Void, Never>?
  }

  package static let refusal = StoreError.unavailable("the test refuses this write")
  package static let loss = StoreError.unknownOutcome("the test loses the answer to this write")

  package let base: any Store = MemoryStore()
  /// Ends with the latest write.
  private let last = NIOLockedValueBox<Task<Void, Never>?>(nil)
  private let state = NIOLockedValueBox(State())

  package init() {}

  /// The number of submitted transactions.
  package var writeCount: Int { state.withLockedValue { $0.writeCount } }

  /// Suspends the next write.
  package func holdNextWrite() { state.withLockedValue { $0.armed = .write } }

  /// Suspends the next copy.
  package func holdNextFork() { state.withLockedValue { $0.armed = .fork } }

  /// Returns when a call is suspended.
  package func untilHeld() async {
    await withCheckedContinuation { continuation in
      let isHeld = state.withLockedValue { state in
        if state.held == nil { state.onHold = continuation }
        return state.held != nil
      }
      if isHeld { continuation.resume() }
    }
  }

  /// Lets the suspended call take effect.
  package func release() { end(.done) }

  /// Makes the suspended call fail with ``refusal`` and without an effect.
  package func refuse() { end(.refused) }

  /// Makes the suspended write fail with ``loss`` although it takes effect.
  package func lose() { end(.lost) }

  private func end(_ end: End) {
    let held = state.withLockedValue { state in
      defer { state.held = nil }
      return state.held
    }
    held?.resume(returning: end)
  }

  package func submit<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer> {
    state.withLockedValue { $0.writeCount += 1 }
    let write = inOrder { [self] in
      let end = await admit(.write)
      guard end != .refused else { throw Self.refusal }
      let answer = try await base.write(browser, body)
      guard end != .lost else { throw Self.loss }
      return answer
    }
    return PendingWrite { try await write.value }
  }

  /// Starts an operation that takes effect after all earlier operations.
  private func inOrder<Answer: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Answer
  ) -> Task<Answer, any Error> {
    last.withLockedValue { last in
      let task = Task { [earlier = last] in
        await earlier?.value
        return try await operation()
      }
      last = Task { _ = await task.result }
      return task
    }
  }

  /// Returns how the call ends.
  private func admit(_ call: Call) async -> End {
    let isHeld = state.withLockedValue { state in
      guard state.armed == call else { return false }
      state.armed = nil
      return true
    }
    guard isHeld else { return .done }
    return await withCheckedContinuation { continuation in
      let onHold = state.withLockedValue { state in
        state.held = continuation
        defer { state.onHold = nil }
        return state.onHold
      }
      onHold?.resume()
    }
  }

  package func fork(_ browser: BrowserID, as copy: BrowserCopy) async throws -> BrowserRecord {
    guard await admit(.fork) == .done else { throw Self.refusal }
    return try await base.fork(browser, as: copy)
  }
  package func delete(_ browser: BrowserID) async throws {
    try await inOrder { [base] in try await base.delete(browser) }.value
  }
  package func close() async throws { try await inOrder { [base] in try await base.close() }.value }
}
