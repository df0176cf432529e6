import PCMCore
import PCMStore

/// Waits for another instance of the service, over a shared store. A call tries again when the other instance reports a change of
/// the browser, and each second, because a report may be lost.
///
/// The instances take turns: a waiting instance leaves its number in the browser's rows, and later calls of the others wait for it.
/// An instance that is gone has no turn: the others go on after a second.
extension BrowserEnvironment {
  /// How long a call waits: somewhat longer than a move of a clock, or the lease of an instance that is gone.
  static let patience = Interval.seconds(40)
  /// How long a move of the clock waits for its turn.
  static let movePatience = Interval.seconds(2)
  private static let pause = Interval.seconds(1)
  /// The least time between two reports of a change.
  fileprivate static let reportPeriod = Interval(milliseconds: 20)
  /// The number of further tries without a report.
  static let mostPauses = patience.milliseconds / pause.milliseconds

  /// The end of a pause that begins now.
  fileprivate var pauseEnd: Instant { wallClock() + Self.pause }

  func pauseForOthers() async throws { try await sleep(pauseEnd) }
}

/// Another instance has claimed the browser, or waits for its turn.
private struct OtherTurn: Error {
  let isClaimed: Bool
  /// Whether the rows have the number of this instance.
  let isAnnounced: Bool
}

extension OtherTurn {
  /// Returns nil for another error.
  fileprivate init?(_ error: any Error) {
    switch error {
    case let other as OtherTurn: self = other
    // On a real clock, instances take no turns.
    case BrowserError.clockMoving: self.init(isClaimed: true, isAnnounced: true)
    default: return nil
    }
  }
}

extension Browser {
  /// Performs a transaction again while it is the turn of another instance.
  ///
  /// - Parameter transaction: Calls `takeTurn` with its parameter.
  /// - Returns: A write that throws `BrowserError.busy` when the others are not done in time.
  func afterOthers<Answer: Sendable>(
    for patience: Interval = BrowserEnvironment.patience,
    _ transaction: @escaping @Sendable (_ yields: Bool) -> PendingWrite<Answer>
  ) -> PendingWrite<Answer> {
    let count = logSignal.count
    let first = transaction(true)
    return PendingWrite { [self] in
      var (attempt, count, yields, rest) = (first, count, true, patience.milliseconds)
      while true {
        do { return try await attempt.answer() } catch {
          guard let other = OtherTurn(error) else { throw error }
          guard rest > 0 else { throw BrowserError.busy }
          if other.isClaimed, !other.isAnnounced { try await announceTurn() }
          let isChanged = try await pauseForOthers(since: count)
          rest -=
            isChanged
            ? BrowserEnvironment.reportPeriod.milliseconds
            : BrowserEnvironment.patience.milliseconds / BrowserEnvironment.mostPauses
          if !isChanged, !other.isClaimed { yields = false }
        }
        count = logSignal.count
        attempt = transaction(yields)
      }
    }
  }

  /// Performs the transaction of a decision in the turn of this instance.
  func inTurn<Answer: Sendable>(
    _ body: @escaping @Sendable (any BrowserWriter, inout DecisionState) throws -> Answer,
    _ transact:
      @escaping @Sendable (
        @escaping @Sendable (any BrowserWriter, inout DecisionState) throws -> Answer
      ) -> PendingWrite<Answer>
  ) -> PendingWrite<Answer> {
    afterOthers { [self] yields in
      // On a real clock, reports are sent beside other calls.
      let instance = record.clockMode == .manual ? store.instance : nil
      return transact { writer, state in
        if let instance { try writer.takeTurn(of: instance, yields: yields) }
        return try body(writer, &state)
      }
    }
  }

  /// Leaves the number of this instance for the others.
  private func announceTurn() async throws {
    let instance = store.instance
    try await store.write(record.id) { writer in
      guard let owner = try writer.state().claim.instance, owner != instance else { return }
      try writer.save(InstanceRow(.turn, value: String(instance)))
    }
  }

  /// Returns whether the browser changed during the pause.
  private func pauseForOthers(since count: Int) async throws -> Bool {
    let isChanged = await logGrows(beyond: count, before: environment.pauseEnd)
    // The caller of a waiting move may also leave.
    guard !Task.isCancelled, !withState({ $0.isAdvancing && $0.isAdvanceCanceled }) else { throw CancellationError() }
    return isChanged
  }
}

extension BrowserWriter {
  /// - Parameter yields: Whether the turn of an instance that waits is respected.
  /// - Throws: An error when it is the turn of another instance.
  func takeTurn(of instance: Int64, yields: Bool) throws {
    let next = try common(.turn).flatMap { Int64($0) }
    let owner = try state().claim.instance ?? instance
    let isTurn = next ?? instance == instance || !yields
    guard owner == instance, isTurn else { throw OtherTurn(isClaimed: owner != instance, isAnnounced: next == instance) }
    if next != nil { try remove(InstanceRow.self, InstanceRow.Kind.turn.rawValue) }
  }
}

extension BrowserReader {
  /// - Throws: `BrowserError.clockMoving` when another instance has claimed the browser.
  func requireUnclaimed(byOthersThan instance: Int64) throws {
    guard try state().claim.instance ?? instance == instance else { throw BrowserError.clockMoving }
  }
}
