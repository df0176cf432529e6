import PCMNetwork

/// One transfer, from its submission to its result.
///
/// `@unchecked Sendable`: request, route, and terms never change. The continuation is set under the inbox's lock when
/// the transfer is submitted, and then belongs to the loop thread, as does the state. The facts belong to the loop thread
/// until it resumes the caller, and to the caller after that.
final class Transfer: @unchecked Sendable {
  let request: OutgoingRequest
  let route: NetworkRoute
  /// Nil for a request of a browser.
  let terms: ConnectionTerms?
  /// The result of a probe without its exchange.
  var facts = ProbeExchange()
  /// Loop thread only.
  var state = State.expected
  private var continuation: CheckedContinuation<Exchange, Never>?

  enum State {
    /// The transfer is in the inbox.
    case expected
    /// The caller canceled it while it was in the inbox.
    case givenUp
    /// The transfer waits for capacity.
    case waiting
    case underWay(EasyHandle)
    case answered
  }

  init(_ request: OutgoingRequest, _ route: NetworkRoute, terms: ConnectionTerms? = nil) {
    self.request = request
    self.route = route
    self.terms = terms
  }

  /// Protected by the inbox's lock.
  func whenAnswered(resume continuation: CheckedContinuation<Exchange, Never>) {
    self.continuation = continuation
  }

  func answer(_ exchange: Exchange) {
    state = .answered
    continuation?.resume(returning: exchange)
    continuation = nil
  }

  /// Resumes the caller of a transfer that did not start.
  func answer(_ failure: TransportFailure) {
    answer(Exchange(failure: failure, insecure: route.insecure))
  }
}

/// The inbox of the loop thread. It is emptied in bursts, with one wake-up per burst.
struct Inbox: Sendable {
  var arrivals: [Transfer] = []
  var cancellations: [Transfer] = []
  /// Set once. From then on, the inbox is closed.
  var isClosing = false
  /// Set by the loop thread after it resumed all callers and stopped accessing its state.
  var isFinished = false
  var closers: [CheckedContinuation<Void, Never>] = []
  private var isWakePending = false

  /// Returns whether the caller must wake the loop thread: true for the first entry of a burst.
  mutating func needsWake() -> Bool {
    defer { isWakePending = true }
    return !isWakePending
  }

  /// Returns everything in the inbox, for the loop thread.
  mutating func take() -> Burst {
    let burst = Burst(arrivals: arrivals, cancellations: cancellations, isClosing: isClosing)
    arrivals = []
    cancellations = []
    isWakePending = false
    return burst
  }

  struct Burst {
    let arrivals: [Transfer]
    let cancellations: [Transfer]
    let isClosing: Bool
  }
}
