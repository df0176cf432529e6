import NIOConcurrencyHelpers

/// Keeps the operations of a browser and the moves of its clock apart.
///
/// A move begins when no operation is under way, and operations that arrive during a move take effect after it, before the
/// next one. A log is therefore always that of some serial order of calls. Operations do not wait for each other, except for one
/// that holds the gate.
final class MoveGate: Sendable {
  fileprivate struct State {
    /// The number of operations that are under way, or whose turn has come.
    var operations = 0
    var isMoving = false
    /// Whether an operation holds the gate.
    var isHeld = false
    /// The move that waits for the end of the operations.
    var move: CheckedContinuation<Void, Never>?
    /// The number of moves so far.
    var moveNumber = 0
    /// The number of the latest move that stopped waiting before their end.
    var abandonedNumber = 0
    /// The operations that wait for the end of the move or the hold, in order.
    var waiting: [Turn] = []
  }

  private let state = NIOLockedValueBox(State())
  private let waits: BrowserWaits
  /// Whether the task belongs to the move. An operation within it, such as that of a simulated site, does not wait for the
  /// move that waits for it.
  private let isWithinMove = TaskLocal(wrappedValue: false)

  /// - Parameter waits: The limits of the operations that wait.
  init(_ waits: BrowserWaits) {
    self.waits = waits
  }

  /// Performs an operation, after a move that is under way, or an operation that holds the gate.
  ///
  /// - Parameters:
  ///   - waiting: Runs the wait for the move, if there is one.
  ///   - isPartOfCall: Whether the operation belongs to a call that has begun, and that no limit refuses.
  /// - Throws: `BrowserError.busy` or, when the task is canceled while it waits, `CancellationError`, without running `body`.
  ///   `body` handles later cancellation.
  func operation<Value>(
    waiting: CallWait = waitInTask, isPartOfCall: Bool = false, _ body: () async throws -> Value
  ) async throws -> Value {
    guard !isWithinMove.get() else { return try await body() }
    if !state.withLockedValue({ $0.enter() }) { try await enterAfterMove(waiting, isPartOfCall: isPartOfCall) }
    defer { state.withLockedValue { $0.leave() }?.resume() }
    return try await body()
  }

  /// Lets operations that arrive wait until the end of `body`, as they wait for a move. Those under way continue.
  ///
  /// Call it within an operation. One operation at a time can hold the gate.
  func hold<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    state.withLockedValue { $0.isHeld = true }
    defer {
      for operation in state.withLockedValue({ $0.endHold() }) { operation.come() }
    }
    return try await body()
  }

  /// Moves the clock, after the operations that are under way.
  ///
  /// - Parameter timeLimit: Returns when the move no longer waits for the operations, and throws when its task is canceled.
  /// - Throws: `BrowserError.clockMoving` when the clock is moving already, `BrowserError.busy` at the time limit, and
  ///   `CancellationError` when the task is canceled during the wait, each without running `body`.
  func move<Value>(
    timeLimit: @escaping @Sendable () async throws -> Void, _ body: () async throws -> Value
  ) async throws -> Value {
    guard state.withLockedValue({ $0.beginMove() }) else { throw BrowserError.clockMoving }
    defer {
      for operation in state.withLockedValue({ $0.endMove() }) { operation.come() }
    }
    try await waitForOperations(timeLimit)
    return try await isWithinMove.withValue(true) { try await body() }
  }

  private func enterAfterMove(_ waiting: CallWait, isPartOfCall: Bool) async throws {
    let limit = isPartOfCall ? nil : waits
    guard let turn = try state.withLockedValue({ try $0.enterOrWait(within: limit) }) else { return }
    do {
      if let limit {
        try await limit.run(waiting) { try await turn.wait() }
      } else {
        try await waiting { try await turn.wait() }
      }
    } catch {
      state.withLockedValue { $0.abandon(turn) }?.resume()
      throw error
    }
  }

  private func waitForOperations(_ timeLimit: @escaping @Sendable () async throws -> Void) async throws {
    let (mustWait, number) = state.withLockedValue { ($0.mustWait, $0.moveNumber) }
    guard mustWait else { return }
    let timer = Task {
      try await timeLimit()
      abandon(number)
    }
    defer { timer.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let mustWait = state.withLockedValue { state in
          if state.mustWait { state.move = continuation }
          return state.mustWait
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      abandon(number)
    }
    guard state.withLockedValue({ $0.operations > 0 }) else { return }
    try Task.checkCancellation()
    throw BrowserError.busy(
      "other calls of this browser, such as an exchange of tokens or a fork, took the whole time of a move; the clock was not moved, try again"
    )
  }

  /// Ends the wait of a move, unless it is over.
  private func abandon(_ number: Int) {
    state.withLockedValue { $0.abandonMove(number) }?.resume()
  }
}

extension MoveGate.State {
  fileprivate mutating func enter() -> Bool {
    let isOpen = !isMoving && !isHeld
    if isOpen { operations += 1 }
    return isOpen
  }

  /// Adds an operation. Returns its turn when it has to wait.
  fileprivate mutating func enterOrWait(within limit: BrowserWaits?) throws -> Turn? {
    guard !enter() else { return nil }
    if let limit, waiting.count >= limit.perBrowser { throw limit.browserIsBusy }
    let turn = Turn()
    waiting.append(turn)
    return turn
  }

  /// Removes an operation whose wait threw or never ran. Returns the move that waited for it, if its turn had come.
  fileprivate mutating func abandon(_ turn: Turn) -> CheckedContinuation<Void, Never>? {
    waiting.remove(turn) ? nil : leave()
  }

  /// Returns the move that waited for the last operation.
  fileprivate mutating func leave() -> CheckedContinuation<Void, Never>? {
    operations -= 1
    guard operations == 0 else { return nil }
    defer { move = nil }
    return move
  }

  /// Whether the move has to wait for the end of the operations.
  fileprivate var mustWait: Bool { operations > 0 && abandonedNumber < moveNumber }

  /// Returns the move if it waits.
  fileprivate mutating func abandonMove(_ number: Int) -> CheckedContinuation<Void, Never>? {
    guard number == moveNumber else { return nil }
    abandonedNumber = number
    defer { move = nil }
    return move
  }

  fileprivate mutating func beginMove() -> Bool {
    guard !isMoving else { return false }
    isMoving = true
    moveNumber += 1
    return true
  }

  /// Returns the turns that come, unless an operation holds the gate since before the move was abandoned.
  fileprivate mutating func endMove() -> [Turn] {
    isMoving = false
    return isHeld ? [] : admitWaiting()
  }

  /// Returns the turns that come, unless a move waits for the operation that held the gate.
  fileprivate mutating func endHold() -> [Turn] {
    isHeld = false
    return isMoving ? [] : admitWaiting()
  }

  /// Returns the turns of the operations that waited. They are under way, so the next move waits for them.
  private mutating func admitWaiting() -> [Turn] {
    operations += waiting.count
    defer { waiting = [] }
    return waiting
  }
}
