import PCMCore
import PCMStore

/// The waits of calls for another instance of the service, over a shared store. A call tries again each second: a store does not report
/// the end of a claim.
extension World {
  /// How long a call waits: somewhat longer than a move of a clock, or the lease of an instance that is gone.
  static let patience = Interval.seconds(40)
  private static let pause = Interval.seconds(1)
  /// The number of further tries.
  static let mostPauses = patience.milliseconds / pause.milliseconds

  func pauseForOthers() async throws { try await sleep(wallClock() + Self.pause) }
}

extension Browser {
  /// Performs a transaction again while another instance has claimed the browser.
  ///
  /// - Parameter transaction: Throws `BrowserError.clockMoving` then.
  /// - Returns: A write that throws `BrowserError.busy` when the others are not done in time.
  func afterOthers<Answer: Sendable>(_ transaction: @escaping @Sendable () -> PendingWrite<Answer>) -> PendingWrite<Answer> {
    let first = transaction()
    return PendingWrite { [world] in
      do { return try await first.answer() } catch BrowserError.clockMoving {}
      for _ in 0..<World.mostPauses {
        try await world.pauseForOthers()
        do { return try await transaction().answer() } catch BrowserError.clockMoving {}
      }
      throw BrowserError.busy
    }
  }
}

extension BrowserReader {
  /// - Throws: `BrowserError.clockMoving` when another instance has claimed the browser.
  func requireUnclaimed(byOthersThan instance: Int64) throws {
    guard try state().claim.instance ?? instance == instance else { throw BrowserError.clockMoving }
  }
}
