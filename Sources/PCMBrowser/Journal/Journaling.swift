import NIOConcurrencyHelpers
import PCMCore
import PCMNetwork
import PCMStore

/// The in-memory part of a journal.
final class Journaling: Sendable {
  private let state: NIOLockedValueBox<State>
  /// The call that sends the requests of a task.
  private let sender = TaskLocal<PendingCall?>(wrappedValue: nil)

  private struct State {
    /// Whether the journal is kept. After its end, a call costs nothing.
    var isOpen: Bool
    /// The number of calls that wait for the network.
    var waitingCalls = 0
    /// The responses to the move of the clock that is under way.
    var moveExchanges = ExchangeList()
    /// The least size of all responses since the process started. Each becomes a part of the journal.
    var byteCount = 0

    var isFull: Bool { byteCount > limits.maximumBytes }
  }

  /// A scenario's limits. A journal that exceeds them could not be replayed.
  static let limits = JournalLimits(maximumCount: 1_000, maximumBytes: 262_144)

  init(isOpen: Bool) {
    state = NIOLockedValueBox(State(isOpen: isOpen))
  }

  /// Returns a call for the journal, or nil when none is kept.
  func call(_ name: String, _ value: @autoclosure () throws -> JSON) rethrows -> PendingCall? {
    guard state.withLockedValue({ $0.isOpen }) else { return nil }
    return PendingCall(JSON.Member(name, .verbatim(try value().text)), journaling: self)
  }

  /// Stops after the end of the journal was committed.
  func stop() { state.withLockedValue { $0 = State(isOpen: false) } }

  /// Whether the responses alone exceed the limits. They are dropped then, and the next transaction of a call ends the journal.
  var isFull: Bool { state.withLockedValue { $0.isFull } }

  /// Performs a part of a call, and collects the responses to its requests for the call.
  ///
  /// - Parameter call: The call; nil for a part of the call that the task performs already.
  func collecting<Value>(for call: PendingCall?, _ body: () async throws -> Value) async rethrows -> Value {
    guard let call else { return try await body() }
    return try await sender.withValue(call) { try await body() }
  }

  /// Adds a response of the real network to the call, or to the move of the clock, that sent the request.
  func collect(_ exchange: Exchange, to request: OutgoingRequest, belongsToMove: Bool) {
    let call = belongsToMove ? nil : sender.get()
    guard belongsToMove || call != nil, state.withLockedValue({ $0.isOpen && !$0.isFull }) else { return }
    let recorded = RecordedExchange(request, exchange)
    let byteCount = call?.append(recorded) ?? 0
    state.withLockedValue { state in
      state.byteCount += belongsToMove ? state.moveExchanges.append(recorded) : byteCount
      if state.isFull { state.moveExchanges = ExchangeList() }
    }
  }

  /// The responses to the move of the clock that is under way.
  var moveExchanges: ExchangeList { state.withLockedValue { $0.moveExchanges } }

  /// Forgets the responses to a move whose entry was committed.
  func forgetMoveExchanges() { state.withLockedValue { $0.moveExchanges = ExchangeList() } }

  fileprivate var waitingCalls: Int { state.withLockedValue { $0.waitingCalls } }

  fileprivate func beginWaiting() { state.withLockedValue { $0.waitingCalls += 1 } }

  fileprivate func endWaiting() { state.withLockedValue { $0.waitingCalls = max(0, $0.waitingCalls - 1) } }
}

/// A call that is being journaled. Released when the call ends.
final class PendingCall: Sendable {
  /// The action of the call with its value as text.
  let action: JSON.Member
  private let journaling: Journaling
  private let state = NIOLockedValueBox(State())

  private struct State {
    var isWaiting = false
    var exchanges = ExchangeList()
    var entry: (number: Int64, call: JournaledCall)?
  }

  fileprivate init(_ action: JSON.Member, journaling: Journaling) {
    self.action = action
    self.journaling = journaling
  }

  deinit { endWaiting() }

  /// Marks calls that begin before this one ends as overlapping.
  ///
  /// The transaction of the call does so, because transactions have the order of the decisions, and only its rows determine
  /// whether the call waits.
  func waitForNetwork() {
    let isFirst = state.withLockedValue { state in
      defer { state.isWaiting = true }
      return !state.isWaiting
    }
    if isFirst { journaling.beginWaiting() }
  }

  /// Ends the overlap with other calls, after the last transaction of the call.
  func endWaiting() {
    let isWaiting = state.withLockedValue { state in
      defer { state.isWaiting = false }
      return state.isWaiting
    }
    if isWaiting { journaling.endWaiting() }
  }

  /// Whether another call waits for the network.
  var overlaps: Bool { journaling.waitingCalls > (state.withLockedValue { $0.isWaiting } ? 1 : 0) }

  /// The entry of the call; nil before its commit.
  var entry: (number: Int64, call: JournaledCall)? {
    get { state.withLockedValue { $0.entry } }
    set { state.withLockedValue { $0.entry = newValue } }
  }

  /// The responses to the call's requests.
  var exchanges: ExchangeList { state.withLockedValue { $0.exchanges } }

  /// Returns the least number of bytes that the response adds to the journal.
  fileprivate func append(_ exchange: RecordedExchange) -> Int { state.withLockedValue { $0.exchanges.append(exchange) } }
}
