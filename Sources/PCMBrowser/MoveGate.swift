import NIOConcurrencyHelpers

/// Keeps the operations of a browser and the moves of its clock apart.
///
/// A move begins when no operation is under way, and operations that arrive during a move take effect after it. A log is
/// therefore always that of some serial order of calls. Operations do not wait for each other.
final class MoveGate: Sendable {
  fileprivate struct State {
    var operations = 0
    var isMoving = false
    /// The move that waits for the end of the operations.
    var move: CheckedContinuation<Void, Never>?
    /// The operations that wait for the end of the move.
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = NIOLockedValueBox(State())
  /// Whether the task belongs to the move. An operation within it, such as that of a simulated site, does not wait for the
  /// move that waits for it.
  private let isWithinMove = TaskLocal(wrappedValue: false)

  /// Performs an operation, after a move that is under way.
  func operation<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    guard !isWithinMove.get() else { return try await body() }
    while !state.withLockedValue({ $0.enter() }) { await waitForMove() }
    defer { state.withLockedValue { $0.leave() }?.resume() }
    return try await body()
  }

  /// Moves the clock, after the operations that are under way.
  ///
  /// - Throws: `BrowserError.clockMoving` when the clock is moving already.
  func move<Value>(_ body: () async throws -> Value) async throws -> Value {
    guard state.withLockedValue({ $0.beginMove() }) else { throw BrowserError.clockMoving }
    defer {
      for operation in state.withLockedValue({ $0.endMove() }) { operation.resume() }
    }
    await waitForOperations()
    return try await isWithinMove.withValue(true) { try await body() }
  }

  private func waitForMove() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLockedValue { state in
        if state.isMoving { state.waiting.append(continuation) }
        return !state.isMoving
      }
      if isOver { continuation.resume() }
    }
  }

  private func waitForOperations() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLockedValue { state in
        if state.operations > 0 { state.move = continuation }
        return state.operations == 0
      }
      if isOver { continuation.resume() }
    }
  }
}

extension MoveGate.State {
  fileprivate mutating func enter() -> Bool {
    if !isMoving { operations += 1 }
    return !isMoving
  }

  /// Returns the move that waited for the last operation.
  fileprivate mutating func leave() -> CheckedContinuation<Void, Never>? {
    operations -= 1
    guard operations == 0 else { return nil }
    defer { move = nil }
    return move
  }

  fileprivate mutating func beginMove() -> Bool {
    guard !isMoving else { return false }
    isMoving = true
    return true
  }

  /// Returns the operations that waited.
  fileprivate mutating func endMove() -> [CheckedContinuation<Void, Never>] {
    isMoving = false
    defer { waiting = [] }
    return waiting
  }
}
