/// The life of one message that leaves a browser, from its scheduling to its end.
///
/// The machine decides what an event does to a message and performs nothing: each event returns the actions that follow.
/// It does not know what the message says or when it is due for the first time; that is up to its kind, as `ReportTimer`
/// is for the reports of Private Click Measurement.
package struct OutgoingMessage: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// Waits for its first attempt, or for the next one.
    case scheduled
    /// Under way: its keys are being fetched, or its bytes have left and no result is known. After a stop of the process
    /// nobody can say which.
    case sending
    /// The recipient accepted it.
    case delivered
    /// Lost: no further attempt follows.
    case failed
    /// Another message took its place before it left.
    case superseded
    /// Withdrawn with the browser's data. If it was under way it may have left, and it does not leave again.
    case cleared
  }

  package private(set) var state: State
  /// When it is sent again; nil unless an attempt failed and another one follows.
  package private(set) var retryAt: Instant?
  /// How many attempts have ended.
  package private(set) var attempts: Int
  /// When it was to be sent first.
  package let dueAt: Instant
  /// Whether keys have to be fetched before each attempt.
  package let needsKeys: Bool

  package init(state: State = .scheduled, retryAt: Instant? = nil, attempts: Int = 0, dueAt: Instant, needsKeys: Bool = false) {
    self.state = state
    self.retryAt = retryAt
    self.attempts = attempts
    self.dueAt = dueAt
    self.needsKeys = needsKeys
  }

  package enum Event: Hashable, Sendable {
    /// The time of an attempt has come.
    case due
    /// The keys have been fetched, and the message may leave.
    case keysReceived
    /// An attempt has ended: with an exchange, or before one because the keys could not be fetched.
    ///
    /// - Parameters:
    ///   - policy: the one that is set when the attempt ends.
    ///   - jitter: a drawn number, at least 0 and less than 1.
    case exchangeFinished(AttemptResult, policy: RetryPolicy, jitter: Double)
    /// The process stopped while the message was under way: whether it arrived is in doubt.
    ///
    /// - Parameters:
    ///   - result: that of an interrupted attempt.
    ///   - policy: the one that is set when the process starts again.
    case crashed(AttemptResult, policy: RetryPolicy)
    /// The browser's data were cleared, or the session ended.
    case cleared
    /// Another message takes the place of this one.
    case superseded
  }

  /// What follows from an event: a write at most, and one effect after it.
  package struct Actions: Hashable, Sendable {
    /// What to write in one transaction with the message's new state; nil when the event changes nothing.
    package let write: Entry?
    /// What to do when the transaction is committed, never before.
    package let effect: Effect

    package init(write: Entry?, then effect: Effect) {
      self.write = write
      self.effect = effect
    }

    /// Nothing changes, and nothing is written.
    package static let ignored = Actions(write: nil, then: .announce)
  }

  /// What the log says of the message. The message's state is saved with each of them.
  package enum Entry: Hashable, Sendable {
    /// Keys are fetched before the message leaves.
    case keyCheck
    /// The message leaves.
    case departure
    case delivered
    case failed(Reason)
    case retry(at: Instant, Reason)
    /// Nothing: what withdraws messages logs all of them at once.
    case withdrawal
  }

  package enum Effect: Hashable, Sendable {
    case fetchKeys
    case send
    /// Say when the browser has something to do next: for now this message needs nothing.
    case announce
  }
}

/// What an attempt came to.
package enum AttemptResult: Hashable, Sendable {
  case accepted
  case failed(Reason)
  /// Failed in a way that no further attempt can change.
  case failedForGood(Reason)
}

extension OutgoingMessage {
  /// Applies an event and returns what follows. An event that cannot concern the message in its state changes nothing.
  ///
  /// A change of the settings is no event: each attempt ends by the policy that is set then, and a retry that is
  /// scheduled stays scheduled.
  package mutating func handle(_ event: Event, at now: Instant) -> Actions {
    switch (state, event) {
    case (.scheduled, .due):
      (state, retryAt) = (.sending, nil)
      return needsKeys ? Actions(write: .keyCheck, then: .fetchKeys) : Actions(write: .departure, then: .send)
    case (.sending, .keysReceived) where needsKeys:
      return Actions(write: .departure, then: .send)
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
      return Actions(write: .delivered, then: .announce)
    case (.failed(let reason), nil), (.failedForGood(let reason), _):
      state = .failed
      return Actions(write: .failed(reason), then: .announce)
    case (.failed(let reason), _?) where state == .cleared:
      // It may have left, and it does not leave again.
      return Actions(write: .failed(reason), then: .announce)
    case (.failed(let reason), let next?):
      (state, retryAt) = (.scheduled, next)
      return Actions(write: .retry(at: next, reason), then: .announce)
    }
  }

  private mutating func withdraw(as end: State) -> Actions {
    (state, retryAt) = (end, nil)
    return Actions(write: .withdrawal, then: .announce)
  }
}
