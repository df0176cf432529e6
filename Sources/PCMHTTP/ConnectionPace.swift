/// The state machine of one connection: the part being read, the outstanding responses, and the deadlines for further input
/// and output. It returns actions and performs none. Times are measured from any fixed point.
struct ConnectionPace {
  enum Action: Equatable {
    case none
    /// Send the error and close.
    case reject(ConnectionError)
    /// Close without a response.
    case close
    /// Close, because the caller accepts no output.
    case abandon
  }

  private enum Reading {
    case nothing, head, body
  }

  private enum Phase {
    /// No byte has arrived on the connection.
    case fresh
    /// No byte has arrived since the last response.
    case idle
    case head, body
    /// The service prepares a response.
    case responding
  }

  private let limits: ServerLimits
  private var reading = Reading.nothing
  /// The number of requests whose responses have not ended.
  private var owed = 0
  private var responseHasBegun = false
  /// Whether the caller waits for 100 before it sends the body that is read next.
  private var awaitsContinue = false
  private var isFresh = true
  private var error: ConnectionError?
  /// The number of bytes of the request line so far.
  private var lineBytes = 0
  private var lineHasEnded = false
  private var phase = Phase.fresh
  /// The deadline for further input; nil when there is none.
  private var inputDeadline: Duration?
  /// The deadline for the caller to accept further output; nil when none waits.
  private var outputDeadline: Duration?
  /// Whether the connection is closing, so that further input and output are ignored.
  private(set) var isOver = false

  init(limits: ServerLimits, at now: Duration) {
    self.limits = limits
    inputDeadline = now + limits.openingTime
  }

  /// The next deadline; nil when there is none.
  var deadline: Duration? { [inputDeadline, outputDeadline].compactMap { $0 }.min() }

  /// Whether the next bytes belong to a head.
  var expectsHead: Bool { reading != .body && owed == 0 && error == nil }

  /// Whether requests are passed on.
  var takesRequests: Bool { error == nil && !isOver }

  /// - Parameter line: The number of bytes before the first line break.
  mutating func bytesArrived(line: Int, endsLine: Bool, at now: Duration) {
    guard expectsHead else { return }
    if reading == .nothing { (reading, lineBytes, lineHasEnded) = (.head, 0, false) }
    if !lineHasEnded { (lineBytes, lineHasEnded) = (lineBytes + line, endsLine) }
    hurry(at: now)
  }

  /// - Parameter awaitsContinue: Whether the caller waits for 100 before it sends the body.
  mutating func headArrived(targetBytes: Int, awaitsContinue: Bool = false, at now: Duration) -> Action {
    guard targetBytes <= limits.targetBytes else { return fail(.targetTooLong(limit: limits.targetBytes)) }
    (reading, isFresh, self.awaitsContinue) = (.body, false, awaitsContinue)
    owed += 1
    hurry(at: now)
    return .none
  }

  /// A part of the body arrived, so the caller no longer waits.
  mutating func bodyArrived() { awaitsContinue = false }

  /// Returns whether to send 100 now: once for a request, after the earlier responses, and before its own.
  mutating func takeContinue() -> Bool {
    guard awaitsContinue, takesRequests, owed == 1, !responseHasBegun else { return false }
    awaitsContinue = false
    return true
  }

  mutating func requestEnded(at now: Duration) {
    (reading, awaitsContinue) = (.nothing, false)
    hurry(at: now)
  }

  mutating func responseBegan() { responseHasBegun = true }

  mutating func responseEnded(at now: Duration) -> Action {
    owed -= 1
    responseHasBegun = false
    hurry(at: now)
    return settle()
  }

  /// Handles a head that exceeds the decoder's limit.
  mutating func headOverflowed() -> Action {
    fail(lineBytes > limits.targetBytes ? .targetTooLong(limit: limits.targetBytes) : .headTooLarge(limits))
  }

  mutating func fail(_ error: ConnectionError) -> Action {
    guard takesRequests else { return .none }
    (self.error, inputDeadline) = (error, nil)
    return settle()
  }

  mutating func timePassed(at now: Duration) -> Action {
    if let outputDeadline, now >= outputDeadline { return end(.abandon) }
    guard let inputDeadline, now >= inputDeadline else { return .none }
    switch phase {
    case .fresh, .idle: return end(.close)
    case .head: return fail(.tooSlow("the head", limit: limits.headTime))
    case .body: return fail(.tooSlow("the body", limit: limits.bodyTime))
    case .responding: return .none
    }
  }

  private mutating func end(_ action: Action) -> Action {
    (isOver, inputDeadline, outputDeadline) = (true, nil, nil)
    return action
  }

  /// Output waits for the caller.
  mutating func outputBlocked(at now: Duration) { outputDeadline = outputDeadline ?? now + limits.writeTime }

  /// The caller accepted a part of the output that waited.
  mutating func outputProgressed(at now: Duration) {
    if outputDeadline != nil { outputDeadline = now + limits.writeTime }
  }

  /// No more than a little output waits for the caller.
  mutating func outputUnblocked() { outputDeadline = nil }

  /// Delays the error until earlier responses, and one that has begun, have ended.
  private mutating func settle() -> Action {
    guard let error, !isOver else { return .none }
    let isInBody = reading == .body
    guard owed == 0 || (isInBody && owed == 1 && !responseHasBegun) else { return .none }
    isOver = true
    // A request with a response before the end of its body needs no second response.
    return isInBody && owed == 0 ? .close : .reject(error)
  }

  /// Starts the time limit of a new phase. Further bytes do not extend it.
  private mutating func hurry(at now: Duration) {
    let next = nextPhase
    guard next != phase, takesRequests else { return }
    phase = next
    switch phase {
    case .fresh: inputDeadline = now + limits.openingTime
    case .head: inputDeadline = now + limits.headTime
    case .idle: inputDeadline = now + limits.idleTime
    case .body: inputDeadline = now + limits.bodyTime
    case .responding: inputDeadline = nil
    }
  }

  private var nextPhase: Phase {
    // The time for the body of a pipelined request begins after the earlier responses.
    if reading == .body { return owed <= 1 ? .body : .responding }
    if owed > 0 { return .responding }
    if reading == .head { return .head }
    return isFresh ? .fresh : .idle
  }
}
