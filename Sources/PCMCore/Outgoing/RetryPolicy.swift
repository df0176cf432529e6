/// How often and how long a message is sent, as data. An answer of the 2xx class ends it in any case.
package struct RetryPolicy: Hashable, Sendable {
  /// The most attempts, the first included; nil for no limit.
  package let tries: Int?
  /// How long after its due time a message may be sent again; nil for no limit. The first attempt is not bound by it.
  package let period: Interval?
  package let backoff: Backoff

  package init(tries: Int? = nil, period: Interval? = nil, backoff: Backoff) {
    self.tries = tries
    self.period = period
    self.backoff = backoff
  }

  /// The pause after a failed attempt: doubled each time, and up to a tenth longer, so that messages to a server that was
  /// away do not return together.
  package struct Backoff: Hashable, Sendable {
    /// After the first attempt; more than 0.
    package let first: Interval
    package let longest: Interval

    package init(first: Interval, longest: Interval) {
      self.first = first
      self.longest = longest
    }

    package static let standard = Backoff(first: .minutes(1), longest: .hours(6))

    /// - Parameters:
    ///   - attempt: the number of the attempt that failed; the first is 1.
    ///   - jitter: a drawn number, at least 0 and less than 1.
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

  /// Any failure loses the message, as in WebKit (reference, section 6).
  package static let atMostOnce = RetryPolicy(tries: 1, backoff: .standard)
  /// Later and later, until an answer of the 2xx class.
  package static let untilAccepted = RetryPolicy(backoff: .standard)

  /// When the next attempt is due; nil when the one that failed was the last.
  ///
  /// - Parameters:
  ///   - attempt: the number of the attempt that failed; the first is 1.
  ///   - dueAt: when the first attempt was due, from which the period counts.
  ///   - jitter: a drawn number, at least 0 and less than 1.
  package func nextAttempt(after attempt: Int, at now: Instant, dueAt: Instant, jitter: Double) -> Instant? {
    if let tries, attempt >= tries { return nil }
    let next = now + backoff.delay(after: attempt, jitter: jitter)
    if let period, next > dueAt + period { return nil }
    return next
  }
}

extension DeliveryPolicy {
  /// What the setting means for each message.
  package var retries: RetryPolicy {
    switch self {
    case .webkit: .atMostOnce
    case .reliable: .untilAccepted
    }
  }
}
