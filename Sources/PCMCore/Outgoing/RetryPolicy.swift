/// How often and for how long to send a message, as data. A 2xx response always ends the attempts.
package struct RetryPolicy: Hashable, Sendable {
  /// The maximum number of attempts, including the first; nil for no limit.
  package let tries: Int?
  /// How long after its due time a message may be retried; nil for no limit. It does not limit the first attempt.
  package let period: Interval?
  package let backoff: Backoff

  package init(tries: Int? = nil, period: Interval? = nil, backoff: Backoff) {
    self.tries = tries
    self.period = period
    self.backoff = backoff
  }

  /// The delay after a failed attempt. It doubles each time, with up to 10 % jitter, so that retries after an outage are
  /// spread.
  package struct Backoff: Hashable, Sendable {
    /// The delay after the first attempt; more than 0.
    package let first: Interval
    package let longest: Interval

    package init(first: Interval, longest: Interval) {
      self.first = first
      self.longest = longest
    }

    package static let standard = Backoff(first: .minutes(1), longest: .hours(6))

    /// - Parameters:
    ///   - attempt: The number of the failed attempt; the first is 1.
    ///   - jitter: A random number in `0..<1`.
    package func delay(after attempt: Int, jitter: Double) -> Interval {
      var delay = first
      var doublings = attempt - 1
      while doublings > 0, delay < longest {
        delay = delay + delay
        doublings -= 1
      }
      let base = min(delay, longest)
      return base + Interval(milliseconds: Int64(Double(base.milliseconds) / 10 * jitter))
    }
  }

  /// A failed attempt loses the message, as in WebKit (reference, section 6).
  package static let atMostOnce = RetryPolicy(tries: 1, backoff: .standard)
  /// Retries with growing delays until a 2xx response, for 30 days. With the longest delay, that is some 130 attempts.
  package static let untilAccepted = RetryPolicy(tries: 1_000, period: .days(30), backoff: .standard)

  /// Returns the time of the next attempt, or nil when the failed attempt was the last.
  ///
  /// - Parameters:
  ///   - attempt: The number of the failed attempt; the first is 1.
  ///   - dueAt: The due time of the first attempt, at which the period begins.
  ///   - jitter: A random number in `0..<1`.
  package func nextAttempt(after attempt: Int, at now: Instant, dueAt: Instant, jitter: Double) -> Instant? {
    if let tries, attempt >= tries { return nil }
    // The end does not depend on the jitter, so that it can be predicted.
    if let period, now + backoff.delay(after: attempt, jitter: 0) > dueAt + period { return nil }
    return now + backoff.delay(after: attempt, jitter: jitter)
  }
}

extension DeliveryPolicy {
  /// The retry policy of this setting.
  package var retries: RetryPolicy {
    switch self {
    case .webkit: .atMostOnce
    case .reliable: .untilAccepted
    }
  }
}
