package import PCMCore

/// What becomes of a report after an attempt, by the browser's delivery policy.
package enum DeliveryRule {
  package enum Outcome: Hashable, Sendable {
    /// An answer of the 2xx class arrived.
    case delivered
    /// Lost, for ever.
    case failed(Reason)
    /// To be sent again.
    case retry(at: Instant, Reason)
  }

  /// WebKit does not look at the status (reference, section 7): for it the report is gone in any case. Here the state
  /// tells what the endpoint made of it.
  ///
  /// - Parameters:
  ///   - attempt: the number of this attempt; the first is 1.
  ///   - jitter: a drawn number, at least 0 and less than 1.
  package static func decide(
    _ exchange: Exchange, policy: DeliveryPolicy, attempt: Int, at now: Instant, jitter: Double
  ) -> Outcome {
    guard let problem = problem(of: exchange) else { return .delivered }
    switch policy {
    case .webkit: return .failed(problem)
    case .reliable: return .retry(at: now + backoff(attempt: attempt, jitter: jitter), problem)
    }
  }

  /// Why an exchange delivered nothing; nil when it did.
  package static func problem(of exchange: Exchange) -> Reason? {
    if let failure = exchange.failure { return Reason(failure.code.rawValue, failure.detail) }
    guard let status = exchange.httpStatus else { return Reason("connection-lost", "no answer arrived") }
    guard !(200..<300).contains(status) else { return nil }
    let why =
      (300..<400).contains(status) ? "a browser follows no redirect of a report" : "the endpoint did not accept the report"
    return Reason("http-status", "the endpoint answered \(status); \(why)")
  }

  /// One minute, then twice as long each time up to six hours, and up to a tenth more, so that many reports to a server
  /// that was away do not come back together.
  package static func backoff(attempt: Int, jitter: Double) -> Interval {
    let longest = Interval.hours(6)
    let doublings = min(max(attempt - 1, 0), 10)
    let base = min(Interval(milliseconds: Interval.minutes(1).milliseconds << doublings), longest)
    return base + Interval(milliseconds: Int64(Double(base.milliseconds) / 10 * jitter))
  }

  /// What a report's attempt is after a crash or a kill: nobody knows whether its bytes left.
  package static let interrupted = Exchange(
    failure: TransportFailure(.interrupted, "the service stopped while the report was being sent"))
}
