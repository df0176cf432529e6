/// Where one connection stands: what is being read, which answers are owed, and until when the caller must go on. It
/// says what is to be done and does nothing itself; times are since any fixed point.
struct ConnectionPace {
  enum Action: Equatable {
    case none
    /// Say why and close.
    case refuse(ConnectionError)
    /// Close without a word.
    case close
  }

  private enum Reading {
    case nothing, head, body
  }

  private enum Phase {
    /// Nothing was sent yet.
    case fresh
    /// Nothing was sent since the last answer.
    case idle
    case head, body
    /// It is the service's turn.
    case answering
  }

  private let limits: ServerLimits
  private var reading = Reading.nothing
  /// Requests that were handed on and whose answers have not ended.
  private var owed = 0
  private var answerHasBegun = false
  private var isFresh = true
  private var failure: ConnectionError?
  /// Bytes of the request line, as far as they can be told from others.
  private var lineBytes = 0
  private var lineHasEnded = false
  private var phase = Phase.fresh
  /// Nil when nobody is hurried.
  private(set) var deadline: Duration?
  /// Nothing that is read or answered counts any more.
  private(set) var isOver = false

  init(limits: ServerLimits, at now: Duration) {
    self.limits = limits
    deadline = now + limits.openingTime
  }

  /// Whether what is read next belongs to a head.
  var expectsHead: Bool { reading != .body && owed == 0 && failure == nil }

  /// Whether what is read is handed on.
  var takesRequests: Bool { failure == nil && !isOver }

  /// - Parameter line: how many of the bytes came before the first end of a line.
  mutating func bytesArrived(line: Int, endsLine: Bool, at now: Duration) {
    guard expectsHead else { return }
    if reading == .nothing { (reading, lineBytes, lineHasEnded) = (.head, 0, false) }
    if !lineHasEnded { (lineBytes, lineHasEnded) = (lineBytes + line, endsLine) }
    hurry(at: now)
  }

  mutating func headArrived(targetBytes: Int, at now: Duration) -> Action {
    guard targetBytes <= limits.targetBytes else { return fail(.targetTooLong(limit: limits.targetBytes)) }
    (reading, isFresh) = (.body, false)
    owed += 1
    hurry(at: now)
    return .none
  }

  mutating func requestEnded(at now: Duration) {
    reading = .nothing
    hurry(at: now)
  }

  mutating func answerBegan() { answerHasBegun = true }

  mutating func answerEnded(at now: Duration) -> Action {
    owed -= 1
    answerHasBegun = false
    hurry(at: now)
    return settle()
  }

  /// The head was larger than the decoder takes.
  mutating func headOverflowed() -> Action {
    fail(lineBytes > limits.targetBytes ? .targetTooLong(limit: limits.targetBytes) : .headTooLarge(limits))
  }

  mutating func fail(_ refusal: ConnectionError) -> Action {
    guard takesRequests else { return .none }
    (failure, deadline) = (refusal, nil)
    return settle()
  }

  mutating func timePassed(at now: Duration) -> Action {
    guard let deadline, now >= deadline else { return .none }
    switch phase {
    case .fresh, .idle:
      isOver = true
      self.deadline = nil
      return .close
    case .head: return fail(.tooSlow("the head", limit: limits.headTime))
    case .body: return fail(.tooSlow("the body", limit: limits.bodyTime))
    case .answering: return .none
    }
  }

  /// Earlier requests are answered first, and so is one whose answer has begun.
  private mutating func settle() -> Action {
    guard let failure, !isOver else { return .none }
    let isInBody = reading == .body
    guard owed == 0 || (isInBody && owed == 1 && !answerHasBegun) else { return .none }
    isOver = true
    // One that was answered before its body had come has its answer.
    return isInBody && owed == 0 ? .close : .refuse(failure)
  }

  /// A new phase has its own time; within one, no byte that comes gives more.
  private mutating func hurry(at now: Duration) {
    let next = nextPhase
    guard next != phase, takesRequests else { return }
    phase = next
    switch phase {
    case .fresh: deadline = now + limits.openingTime
    case .head: deadline = now + limits.headTime
    case .idle: deadline = now + limits.idleTime
    case .body: deadline = now + limits.bodyTime
    case .answering: deadline = nil
    }
  }

  private var nextPhase: Phase {
    // The body of a request behind others is read when those are answered; until then nobody can send it.
    if reading == .body { return owed <= 1 ? .body : .answering }
    if owed > 0 { return .answering }
    if reading == .head { return .head }
    return isFresh ? .fresh : .idle
  }
}
