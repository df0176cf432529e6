package import PCMCore

/// Sleep until an instant of a clock that may be set in the meantime.
package enum WallSleep {
  /// The longest time between two readings of the clock.
  package static let period = Interval.minutes(1)

  /// Returns when the clock reaches an instant, but never later than the interval that remained at the call. After the clock is
  /// set back, it returns early, so read the clock again.
  ///
  /// - Parameter pause: Suspends the task for an interval.
  package static func until(
    _ instant: Instant, wallClock: () -> Instant, pause: (Interval) async throws -> Void
  ) async throws {
    var remaining = instant - wallClock()
    while remaining.milliseconds > 0 {
      let part = min(remaining, period)
      try await pause(part)
      remaining = min(Interval(milliseconds: remaining.milliseconds - part.milliseconds), instant - wallClock())
    }
  }
}
