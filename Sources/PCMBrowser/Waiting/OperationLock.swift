import NIOConcurrencyHelpers

/// The read-write lock of a browser. Operations share it. Moves of the clock, forks, and changes of the settings take it
/// exclusively, so a log is the log of some serial order of calls.
///
/// Waiting calls take it in the order of their arrival, so that no stream of operations keeps a move waiting. A call that is
/// canceled while it waits gives up its place.
final class OperationLock: Sendable {
  enum Mode {
    case sharing, excluding
  }

  fileprivate struct State {
    var operationCount = 0
    var isExclusive = false
    /// The calls that wait, in the order of their arrival.
    var waiting: [(waiter: Waiter, mode: Mode)] = []
  }

  private let state = NIOLockedValueBox(State())
  /// Whether the task belongs to the call that has the lock alone. Its parts do not wait for it.
  private let isWithinExclusive = TaskLocal(wrappedValue: false)

  /// The number of calls that wait.
  var waitingCount: Int { state.withLockedValue { $0.waiting.count } }

  /// Enters the lock, and returns the mode with which the call leaves it: nil for a part of the call that has the lock alone.
  ///
  /// - Throws: `CancellationError` when the task is canceled while it waits. The call does not have the lock then.
  func enter(_ mode: Mode) async throws -> Mode? {
    guard !isWithinExclusive.get() else { return nil }
    guard let waiter = state.withLockedValue({ $0.enterOrWait(mode) }) else { return mode }
    do {
      try await waiter.wait()
      return mode
    } catch {
      resume(after: { $0.abandon(waiter, mode) })
      throw error
    }
  }

  func leave(_ mode: Mode?) {
    if let mode { resume(after: { $0.leave(mode) }) }
  }

  /// Performs an operation beside other operations.
  ///
  /// - Throws: `CancellationError` when the task is canceled while it waits, without running `body`. `body` handles later
  ///   cancellation.
  func sharing<Value>(_ body: () async throws -> Value) async throws -> Value {
    let mode = try await enter(.sharing)
    defer { leave(mode) }
    return try await body()
  }

  /// Performs a call alone, after the operations that are under way.
  ///
  /// - Throws: `CancellationError` when the task is canceled while it waits, without running `body`. `body` handles later
  ///   cancellation.
  func excluding<Value>(_ body: () async throws -> Value) async throws -> Value {
    let mode = try await enter(.excluding)
    defer { leave(mode) }
    return try await isWithinExclusive.withValue(true, operation: body)
  }

  /// Resumes the calls whose turn has come.
  private func resume(after change: (inout State) -> [Waiter]) {
    for waiter in state.withLockedValue(change) { waiter.resume() }
  }
}

extension OperationLock.State {
  /// Returns the waiter of a call that has to wait.
  fileprivate mutating func enterOrWait(_ mode: OperationLock.Mode) -> Waiter? {
    guard !waiting.isEmpty || !admits(mode) else {
      enter(mode)
      return nil
    }
    let waiter = Waiter()
    waiting.append((waiter, mode))
    return waiter
  }

  /// Removes a call that was canceled. Returns the calls whose turn has come.
  fileprivate mutating func abandon(_ waiter: Waiter, _ mode: OperationLock.Mode) -> [Waiter] {
    guard let index = waiting.firstIndex(where: { $0.waiter === waiter }) else { return leave(mode) }
    waiting.remove(at: index)
    return admitWaiting()
  }

  /// Ends a call. Returns the calls whose turn has come.
  fileprivate mutating func leave(_ mode: OperationLock.Mode) -> [Waiter] {
    switch mode {
    case .sharing: operationCount -= 1
    case .excluding: isExclusive = false
    }
    return admitWaiting()
  }

  private func admits(_ mode: OperationLock.Mode) -> Bool {
    switch mode {
    case .sharing: !isExclusive
    case .excluding: !isExclusive && operationCount == 0
    }
  }

  private mutating func enter(_ mode: OperationLock.Mode) {
    switch mode {
    case .sharing: operationCount += 1
    case .excluding: isExclusive = true
    }
  }

  private mutating func admitWaiting() -> [Waiter] {
    var admitted: [Waiter] = []
    while let next = waiting.first, admits(next.mode) {
      enter(next.mode)
      admitted.append(next.waiter)
      waiting.removeFirst()
    }
    return admitted
  }
}
