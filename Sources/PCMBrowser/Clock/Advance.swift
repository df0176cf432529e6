package import PCMCore
import PCMNetwork
import PCMStore

/// The bounds of one advance of a manual clock. An advance that reaches one stops between two steps, and its caller continues
/// it.
///
/// Without bounds, one call could send any number of reports.
package struct AdvanceBudget: Hashable, Sendable {
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

/// An advance of a manual clock that is under way.
struct Advance: Sendable {
  let move: ClockAdvance
  /// The time of the clock before the advance.
  let start: Instant
  /// The last instant of the advance.
  let end: Instant
  /// The number of the first event of the advance.
  let firstSequence: Int64
  /// The claim of the browser after the last transaction of the advance. A different claim means that another instance has taken over.
  var claim: Claim
  let failedLookups = FailedLookups()
  private let budget: AdvanceBudget
  private let deadline: Instant
  private var attempts = 0

  /// - Parameter wallNow: The machine's time.
  init(
    _ move: ClockAdvance, from start: Instant, to end: Instant, claim: Claim, firstSequence: Int64, budget: AdvanceBudget,
    wallNow: Instant
  ) {
    self.move = move
    self.start = start
    self.end = end
    self.claim = claim
    self.firstSequence = firstSequence
    self.budget = budget
    deadline = wallNow + budget.duration
  }

  /// Whether the result of an attempt and the next attempt share a transaction. Only an advance that sends whatever is due by
  /// its end knows before the commit that another attempt follows.
  var combinesAttempts: Bool { move.isBounded }

  mutating func countAttempt() { attempts += 1 }

  /// - Parameter nextSequence: The number of the next event of the log.
  func mayContinue(wallNow: Instant, nextSequence: Int64) -> Bool {
    attempts < budget.attempts && nextSequence - firstSequence < budget.events && wallNow < deadline
  }
}

extension ClockAdvance {
  /// Whether the advance has a last instant.
  var hasEnd: Bool { isBounded || within != nil }

  /// Whether the clock ends at an instant that does not depend on earlier work.
  var isBounded: Bool { by != nil || to != nil }
}

/// The time of a clock after an advance, and the events on the way.
package struct AdvanceResult: Hashable, Sendable {
  package let now: Instant
  /// The last instant of the advance; nil when only an event ends it.
  package let target: Instant?
  /// False when the advance stopped at a limit, and its caller has to continue it.
  package let isFinished: Bool
  /// Whether no message is left to send.
  package let isIdle: Bool
  package let eventCount: Int64
  /// The first events.
  package let events: [LogEvent]
  /// The position after which the other events begin; nil when there are no others.
  package let next: Int64?

  /// The maximum number of events in one answer.
  package static let page = 1_000
}
