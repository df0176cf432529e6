package import PCMCore
import PCMDelivery

/// The bounds of one move of a manual clock. A move that reaches one stops between two steps, and its caller continues it.
///
/// Without bounds, one call could send any number of reports.
package struct MoveLimits: Hashable, Sendable {
  package var attempts: Int
  package var events: Int64
  /// The machine's time.
  package var duration: Interval

  package init(attempts: Int = 10_000, events: Int64 = 100_000, duration: Interval = .seconds(30)) {
    self.attempts = attempts
    self.events = events
    self.duration = duration
  }
}

/// A move of a manual clock that is under way.
struct Travel: Sendable {
  /// Looks up a name that does not resolve once in the move.
  let transport: any Transport
  /// The last instant of the move.
  let end: Instant
  /// Whether the result of an attempt and the next attempt share a transaction. Only a move that sends whatever is due by
  /// its end knows before the commit that there is a next one.
  let combinesAttempts: Bool
  private let limits: MoveLimits
  private let deadline: Instant
  private let firstSequence: Int64
  private var attempts = 0

  /// - Parameters:
  ///   - wallNow: The machine's time.
  ///   - firstSequence: The number of the next event of the log.
  init(
    transport: any Transport, end: Instant, combinesAttempts: Bool, limits: MoveLimits, wallNow: Instant, firstSequence: Int64
  ) {
    self.transport = transport
    self.end = end
    self.combinesAttempts = combinesAttempts
    self.limits = limits
    deadline = wallNow + limits.duration
    self.firstSequence = firstSequence
  }

  mutating func countAttempt() { attempts += 1 }

  /// - Parameter nextSequence: The number of the next event of the log.
  func mayContinue(wallNow: Instant, nextSequence: Int64) -> Bool {
    attempts < limits.attempts && nextSequence - firstSequence < limits.events && wallNow < deadline
  }
}
