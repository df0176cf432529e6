import PCMCore
import PCMNetwork
import PCMStore

/// The state of a browser in memory. The browser's lock protects it.
struct RuntimeState: Sendable {
  /// The committed labels and idle timeout, by which a process removes idle browsers.
  var upkeep: BrowserUpkeep
  /// The registry of the last committed transaction.
  var registry: Registry
  var cookies = CookieJars()
  var rejectedCalls = RecentCalls()
  /// The newest load of each site, if it triggered nothing.
  var quietLoads = RecentCalls()
  /// An attempt whose result is not stored yet. Only the task that sends messages accesses it.
  var unsavedAttempt: (message: any DeliverableMessage, attempt: Attempt, claim: Claim)?
  /// Whether a message may be in flight that is not sent, because the outcome of a transaction is not known.
  var isInDoubt = false
  /// The move of a manual clock that is under way.
  var advance: Advance?
  /// Whether a call moves the clock, or waits to do so.
  var isAdvancing = false
  /// Whether the caller of the move is gone.
  var isAdvanceCanceled = false

  init(_ rows: BrowserRows) {
    (upkeep, registry) = (rows.state.upkeep, rows.registry)
  }
}
