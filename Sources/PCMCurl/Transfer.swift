import PCMDelivery

/// One send, from its arrival to its answer.
///
/// `@unchecked Sendable`: request, route and inspection never change; the continuation is set under the inbox's lock, with
/// which the send is handed over, and is the loop thread's from then on; so is the state, always. The facts are the loop
/// thread's until it answers, and the caller's after that.
final class Transfer: @unchecked Sendable {
  let request: OutgoingRequest
  let route: NetworkRoute
  /// Nil for a send of a browser's.
  let inspection: Inspection.Options?
  var facts = Inspection.Facts()
  /// Loop thread only.
  var state = State.expected
  private var continuation: CheckedContinuation<Exchange, Never>?

  enum State {
    /// Not yet out of the inbox.
    case expected
    /// Given up by its caller before it came out of the inbox.
    case givenUp
    /// In line for a place among the transfers under way.
    case waiting
    case underWay(EasyHandle, RouteScope)
    case answered
  }

  init(_ request: OutgoingRequest, _ route: NetworkRoute, inspection: Inspection.Options? = nil) {
    self.request = request
    self.route = route
    self.inspection = inspection
  }

  /// Under the inbox's lock.
  func whenAnswered(resume continuation: CheckedContinuation<Exchange, Never>) {
    self.continuation = continuation
  }

  func answer(_ exchange: Exchange) {
    state = .answered
    continuation?.resume(returning: exchange)
    continuation = nil
  }

  /// Nothing was begun.
  func answer(_ failure: TransportFailure) {
    answer(Exchange(failure: failure, insecure: route.insecure))
  }
}

/// What callers leave for the loop thread, which takes it in bursts: one wake-up, however many come before it looks.
struct Inbox: Sendable {
  var arrivals: [Transfer] = []
  var cancellations: [Transfer] = []
  /// Set once; from then on nothing is taken in.
  var isClosing = false
  /// Set by the loop thread when all is answered and it touches nothing any more.
  var isFinished = false
  var closers: [CheckedContinuation<Void, Never>] = []
  private var isWakePending = false

  /// Whether whoever left something has to wake the loop thread: the first in a burst.
  mutating func needsWake() -> Bool {
    defer { isWakePending = true }
    return !isWakePending
  }

  /// Everything that has come, for the loop thread.
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
