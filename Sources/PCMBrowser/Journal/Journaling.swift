import NIOConcurrencyHelpers
import PCMCore
import PCMDelivery
import PCMSimulation
import PCMStore

/// What a browser keeps in memory for its journal.
final class Journaling: Sendable {
  private let state: NIOLockedValueBox<State>

  private struct State {
    /// Whether the journal is kept. After its end, a call costs nothing.
    var isOpen: Bool
    /// The number of calls that wait for the network.
    var waitingCalls = 0
    /// The responses of the real network that no call in the journal has yet.
    var exchanges = ExchangeList()
  }

  /// The limits of a scenario. Entries are longer than their steps.
  static let limits = JournalLimits(maximumCount: 1_000, maximumBytes: 262_144)

  init(isOpen: Bool) {
    state = NIOLockedValueBox(State(isOpen: isOpen))
  }

  /// Returns a call for the journal, or nil when none is kept.
  func note(_ name: String, _ value: @autoclosure () -> JSON) -> CallNote? {
    let (isOpen, overlaps) = state.withLockedValue { ($0.isOpen, $0.waitingCalls > 0) }
    return isOpen ? CallNote(JSON.Member(name, value()), overlaps: overlaps, journaling: self) : nil
  }

  /// Stops after the end of the journal was committed.
  func stop() { state.withLockedValue { $0 = State(isOpen: false) } }

  /// Notes a response of the real network.
  func note(_ exchange: Exchange, to request: OutgoingRequest) {
    guard state.withLockedValue({ $0.isOpen }) else { return }
    let recorded = RecordedExchange(request, exchange)
    state.withLockedValue { if $0.isOpen { $0.exchanges.append(recorded) } }
  }

  /// Returns the noted responses, and forgets them.
  func takeExchanges() -> [RecordedExchange] {
    state.withLockedValue { state in
      defer { state.exchanges = ExchangeList() }
      return state.exchanges.exchanges
    }
  }

  fileprivate func beginWaiting() { state.withLockedValue { $0.waitingCalls += 1 } }

  fileprivate func endWaiting() { state.withLockedValue { $0.waitingCalls = max(0, $0.waitingCalls - 1) } }
}

/// A call on its way into the journal. It lives as long as the call.
final class CallNote: Sendable {
  let action: JSON.Member
  let overlaps: Bool
  private let journaling: Journaling
  private let state = NIOLockedValueBox(State())

  private struct State {
    var isWaiting = false
    var entry: (number: Int64, call: JournaledCall)?
  }

  fileprivate init(_ action: JSON.Member, overlaps: Bool, journaling: Journaling) {
    self.action = action
    self.overlaps = overlaps
    self.journaling = journaling
  }

  deinit {
    if state.withLockedValue({ $0.isWaiting }) { journaling.endWaiting() }
  }

  /// Marks the other calls until the end of this one as overlapping, because it waits for the network between its transactions.
  func waitForNetwork() {
    let isFirst = state.withLockedValue { state in
      defer { state.isWaiting = true }
      return !state.isWaiting
    }
    if isFirst { journaling.beginWaiting() }
  }

  /// The entry of the call; nil before its commit.
  var entry: (number: Int64, call: JournaledCall)? {
    get { state.withLockedValue { $0.entry } }
    set { state.withLockedValue { $0.entry = newValue } }
  }
}
