import PCMDelivery

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
