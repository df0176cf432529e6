import NIOConcurrencyHelpers
import PCMCore
import PCMNetwork

/// The error of a killed process: its calls have no further effect.
struct ProcessIsDead: Error {}

/// A request as it arrived at the machine's network card, or would have.
struct SendAttempt: Hashable, Sendable {
  /// On the browser's clock.
  let at: Instant
  let request: OutgoingRequest
  /// Whether the bytes left before the process died.
  let hasLeft: Bool
  /// The answer to the process; nil when it died before.
  var isDelivered: Bool?
  /// The action of another caller between the request and its answer.
  var meanwhile: Operation?

  var url: String { request.url }
  var body: String { String(decoding: request.body ?? [], as: UTF8.self) }
}

/// The machine under the service: the live process, the next faults, the network's behavior. It outlives the
/// processes.
final class Machine: Sendable {
  fileprivate struct State {
    var livingProcess = 0
    var weather = Weather.fair
    var requests = 0
    var storeFault: StoreFault?
    var crash: CrashPoint?
    var interruption: Operation?
    var attempts: [SendAttempt] = []
  }

  enum WriteOrder { case run, refuseBefore, refuseAfter, runTwice, dieBefore, dieAfter }
  enum SendOrder {
    case answer(Exchange, isDelivered: Bool)
    case dieBefore, dieAfter
  }

  private let state = NIOLockedValueBox(State())

  /// Starts another process; the previous one is dead from here on. Planned faults die with it.
  func startProcess() -> Int {
    state.withLockedValue { state in
      state.livingProcess += 1
      (state.storeFault, state.crash, state.interruption) = (nil, nil, nil)
      return state.livingProcess
    }
  }

  func plan(_ fault: StoreFault) { state.withLockedValue { $0.storeFault = fault } }
  func plan(_ crash: CrashPoint) { state.withLockedValue { $0.crash = crash } }
  func change(_ weather: Weather) { state.withLockedValue { $0.weather = weather } }

  /// Whatever was planned and has not happened does not happen any more.
  func calm() { state.withLockedValue { ($0.storeFault, $0.crash, $0.interruption) = (nil, nil, nil) } }

  func plan(interruption: Operation) { state.withLockedValue { $0.interruption = interruption } }

  /// The action while the last request is under way. No other accident accompanies it, so it will happen.
  func takeInterruption(process: Int) -> Operation? {
    state.withLockedValue { state in
      guard state.livingProcess == process, let operation = state.interruption else { return nil }
      (state.storeFault, state.crash, state.interruption) = (nil, nil, nil)
      state.attempts[state.attempts.count - 1].meanwhile = operation
      return operation
    }
  }

  /// Hands over the requests since the last call.
  func takeAttempts() -> [SendAttempt] {
    state.withLockedValue { state in
      defer { state.attempts = [] }
      return state.attempts
    }
  }

  func check(process: Int) throws {
    guard state.withLockedValue({ $0.livingProcess == process }) else { throw ProcessIsDead() }
  }

  func orderForWrite(process: Int) throws -> WriteOrder {
    try state.withLockedValue { state in
      guard state.livingProcess == process else { throw ProcessIsDead() }
      return state.nextCrash() ?? state.nextFault() ?? .run
    }
  }

  func kill() { state.withLockedValue { $0.livingProcess += 1 } }

  /// Notes a request and says how it ends.
  func send(_ request: OutgoingRequest, at now: Instant) -> Exchange {
    state.withLockedValue { state in
      state.requests += 1
      let (isDelivered, crash) = (state.weather.isDelivered(request: state.requests), state.crash)
      let dies = crash == .beforeBytes || crash == .afterBytes
      state.attempts.append(
        SendAttempt(
          at: now, request: request, hasLeft: crash != .beforeBytes, isDelivered: dies ? nil : isDelivered))
      guard dies else { return state.weather.exchange(isDelivered: isDelivered) }
      state.crash = nil
      state.livingProcess += 1
      return Exchange(failure: TransportFailure(.transportClosed, "the process is dead"))
    }
  }
}

extension Machine.State {
  fileprivate mutating func nextCrash() -> Machine.WriteOrder? {
    switch crash {
    case .beforeCommit(0):
      (crash, livingProcess) = (nil, livingProcess + 1)
      return .dieBefore
    case .afterCommit(0):
      (crash, livingProcess) = (nil, livingProcess + 1)
      return .dieAfter
    case .beforeCommit(let count): crash = .beforeCommit(after: count - 1)
    case .afterCommit(let count): crash = .afterCommit(after: count - 1)
    case .beforeBytes, .afterBytes, nil: break
    }
    return nil
  }

  fileprivate mutating func nextFault() -> Machine.WriteOrder? {
    guard let fault = storeFault else { return nil }
    guard fault.after == 0 else {
      storeFault?.after -= 1
      return nil
    }
    storeFault = nil
    switch fault.kind {
    case .refusedBefore: return .refuseBefore
    case .refusedAfter: return .refuseAfter
    case .ranTwice: return .runTwice
    }
  }
}

extension Weather {
  fileprivate func exchange(isDelivered: Bool) -> Exchange {
    switch self {
    case .fair, .flaky: Exchange(httpStatus: isDelivered ? 200 : 503)
    case .serverError: Exchange(httpStatus: 500)
    case .redirecting: Exchange(httpStatus: 302)
    case .refusing: Exchange(failure: TransportFailure(.connectionFailed, "refused"))
    case .breaking: Exchange(httpStatus: 200, failure: TransportFailure(.connectionLost, "reset"))
    }
  }
}
