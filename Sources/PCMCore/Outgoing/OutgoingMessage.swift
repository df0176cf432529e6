/// The state machine of one outgoing message, from its scheduling to its end.
///
/// The machine performs nothing: `handle(_:at:)` changes the state and returns the actions to perform. The content of a
/// message and its first due time depend on its kind; for the reports of Private Click Measurement, `ReportTimer` sets the
/// time.
///
/// ```swift
/// var message = OutgoingMessage(dueAt: now)
/// assert(message.handle(.due, at: now).effect == .send)
/// let result = AttemptResult.failed(Reason("http-status", "the endpoint returned 503"))
/// _ = message.handle(.exchangeFinished(result, policy: .untilAccepted, jitter: 0), at: now)
/// assert(message.state == .scheduled && message.nextAttemptAt == now + .minutes(1))
/// ```
package struct OutgoingMessage: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// The message waits for its first or next attempt.
    case scheduled
    /// The message is in flight: its keys are being fetched, or it was sent and has no result yet. After a crash, nothing
    /// distinguishes the two.
    case sending
    /// The recipient accepted the message.
    case delivered
    /// The message is lost: no attempt follows.
    case failed
    /// Another message replaced it before it was sent.
    case superseded
    /// The message was withdrawn with the browser's data. A message in flight may have been sent; it is not sent again.
    case cleared
  }

  package private(set) var state: State
  /// The time of the next retry; nil when none is scheduled.
  package private(set) var retryAt: Instant?
  /// The number of attempts that have ended.
  package private(set) var attempts: Int
  /// The due time of the first attempt.
  package private(set) var dueAt: Instant
  /// Whether each attempt begins by fetching keys.
  package let needsKeys: Bool

  package init(state: State = .scheduled, retryAt: Instant? = nil, attempts: Int = 0, dueAt: Instant, needsKeys: Bool = false) {
    self.state = state
    self.retryAt = retryAt
    self.attempts = attempts
    self.dueAt = dueAt
    self.needsKeys = needsKeys
  }

  /// The time of the next attempt while the message waits for one; otherwise nil.
  package var nextAttemptAt: Instant? { state == .scheduled ? retryAt ?? dueAt : nil }

  /// Changes the due time to the time at which debug mode sends the message.
  package mutating func move(dueAt instant: Instant) { dueAt = instant }

  package enum Event: Hashable, Sendable {
    /// An attempt is due.
    case due
    /// The keys were fetched, and the message may be sent.
    case keysReceived
    /// An attempt ended, either with an exchange or because the keys could not be fetched.
    ///
    /// - Parameters:
    ///   - policy: The policy at the end of the attempt.
    ///   - jitter: A random number in `0..<1`.
    case exchangeFinished(AttemptResult, policy: RetryPolicy, jitter: Double)
    /// The process stopped while the message was in flight. Whether it arrived is unknown.
    ///
    /// - Parameters:
    ///   - result: The result of an interrupted attempt.
    ///   - policy: The policy at the restart of the process.
    case crashed(AttemptResult, policy: RetryPolicy)
    /// The browser's data was cleared, or the session ended.
    case cleared
    /// Another message replaces this message.
    case superseded
  }

  /// The actions that follow from an event: at most one write, and one effect after it.
  package struct Actions: Hashable, Sendable {
    /// The log entry to write in one transaction with the message's new state; nil when the event changes nothing.
    package let write: Entry?
    /// The effect to perform after the transaction commits.
    package let effect: Effect

    /// Nothing changes, and nothing is written.
    package static let ignored = Actions(write: nil, effect: .announce)
  }

  /// A log entry about the message. Each entry is written together with the message's state.
  package enum Entry: Hashable, Sendable {
    /// The keys are requested before the message is sent.
    case keyCheck
    /// The message is sent.
    case departure
    case delivered
    case failed(Reason)
    case retry(at: Instant, Reason)
    /// No separate entry: a withdrawal logs all its messages in one event.
    case withdrawal
  }

  package enum Effect: Hashable, Sendable {
    case fetchKeys
    case send
    /// Announces when the browser is due next. The message needs nothing for now.
    case announce
  }
}

/// The result of an attempt.
package enum AttemptResult: Hashable, Sendable {
  case accepted
  case failed(Reason)
  /// The attempt failed, and retries cannot help.
  case failedPermanently(Reason)
}

extension OutgoingMessage {
  /// Applies an event and returns the actions to perform. An event that does not apply in the current state changes nothing.
  ///
  /// There is no event for changed settings: each attempt ends with the policy of that moment, and a scheduled retry stays
  /// scheduled.
  package mutating func handle(_ event: Event, at now: Instant) -> Actions {
    switch (state, event) {
    case (.scheduled, .due):
      (state, retryAt) = (.sending, nil)
      return needsKeys ? Actions(write: .keyCheck, effect: .fetchKeys) : Actions(write: .departure, effect: .send)
    case (.sending, .keysReceived) where needsKeys:
      return Actions(write: .departure, effect: .send)
    case (.sending, .exchangeFinished(let result, let policy, let jitter)),
      (.cleared, .exchangeFinished(let result, let policy, let jitter)):
      return finish(result, at: now, policy: policy, jitter: jitter)
    case (.sending, .crashed(let result, let policy)):
      return finish(result, at: now, policy: policy, jitter: 0)
    case (.scheduled, .cleared), (.sending, .cleared): return withdraw(as: .cleared)
    case (.scheduled, .superseded): return withdraw(as: .superseded)
    case (.scheduled, _), (.sending, _), (.cleared, _), (.delivered, _), (.failed, _), (.superseded, _): return .ignored
    }
  }

  private mutating func finish(
    _ result: AttemptResult, at now: Instant, policy: RetryPolicy, jitter: Double
  ) -> Actions {
    attempts += 1
    switch (result, policy.nextAttempt(after: attempts, at: now, dueAt: dueAt, jitter: jitter)) {
    case (.accepted, _):
      state = .delivered
      return Actions(write: .delivered, effect: .announce)
    case (.failed(let reason), nil), (.failedPermanently(let reason), _):
      state = .failed
      return Actions(write: .failed(reason), effect: .announce)
    case (.failed(let reason), _?) where state == .cleared:
      // It may have been sent; it is not sent again.
      return Actions(write: .failed(reason), effect: .announce)
    case (.failed(let reason), let next?):
      (state, retryAt) = (.scheduled, next)
      return Actions(write: .retry(at: next, reason), effect: .announce)
    }
  }

  private mutating func withdraw(as end: State) -> Actions {
    (state, retryAt) = (end, nil)
    return Actions(write: .withdrawal, effect: .announce)
  }
}

/// A message to one recipient with its content: a report of the browser, or a postback of the device.
package protocol OutgoingRecord: Hashable, Sendable {
  /// Who receives the message, such as `source`.
  associatedtype RecipientRole: RawRepresentable<String> & CaseIterable & Hashable & Sendable

  static var kind: RecordName.Kind { get }
  var id: Int64 { get }
  var recipient: RecipientRole { get }
  var url: String { get }
  /// The exact body that is sent.
  var body: String { get }
  var message: OutgoingMessage { get set }
  /// The kept attempts in order: the first, and the latest.
  var attempts: [KeptAttempt] { get set }
}

extension OutgoingRecord {
  package typealias State = OutgoingMessage.State

  package var state: State { message.state }
  package var dueAt: Instant { message.dueAt }
  /// The time of the next retry; nil when none is scheduled.
  package var retryAt: Instant? { message.retryAt }
  /// The number of attempts that ended, kept or not.
  package var attemptCount: Int { message.attempts }
  /// The size of the body and the attempts in bytes.
  package var size: Int { attempts.reduce(body.utf8.count) { $0 + $1.text.utf8.count } }

  /// Adds the record of an attempt that has ended. Beyond the maximum, the oldest but the first is dropped.
  package mutating func record(_ attempt: KeptAttempt) {
    attempts.append(attempt)
    if attempts.count > OutgoingMessage.maximumKeptAttempts { attempts.remove(at: 1) }
  }
}

extension OutgoingMessage {
  /// The maximum number of kept attempts. Retries to an endpoint that is down would otherwise make a message grow, and each
  /// attempt writes the whole message.
  package static let maximumKeptAttempts = 20
}
