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
    _ exchange: Exchange, policy: DeliveryPolicy, attempt: Int, at now: Instant, jitter: Double, trace: inout RuleTrace
  ) -> Outcome {
    guard let problem = trace.firstObjection(of: rules, to: exchange)?.reason else { return .delivered }
    switch policy {
    case .webkit: return .failed(problem)
    // A key that was changed does not come back, and the token with it.
    case .reliable where exchange.failure?.code == .tokenKeyChanged: return .failed(problem)
    case .reliable: return .retry(at: now + backoff(attempt: attempt, jitter: jitter), problem)
    }
  }

  package static let rules: [Rule<Exchange, DeliveryObstacle>] = [
    // Asked for before a report with tokens leaves (reference, section 8.4).
    Rule("token-keys-are-unchanged", sees: ["error": { .string($0.failure?.code.rawValue) }]) { exchange in
      guard let failure = exchange.failure, failure.code.isOfTokenKey else { return nil }
      return .failure(failure)
    },
    Rule(
      "an-answer-arrived",
      sees: [
        "error": { .string($0.failure?.code.rawValue) },
        "httpStatus": { exchange in exchange.httpStatus.map { .number(Int64($0)) } ?? .null },
      ]
    ) { exchange in
      if let failure = exchange.failure { return .failure(failure) }
      return exchange.httpStatus == nil ? .failure(TransportFailure(.connectionLost, "no answer arrived")) : nil
    },
    Rule(
      "answer-is-2xx", sees: ["httpStatus": { exchange in exchange.httpStatus.map { .number(Int64($0)) } ?? .null }]
    ) { exchange in
      guard let status = exchange.httpStatus, !(200..<300).contains(status) else { return nil }
      return .status(status)
    },
  ]

  /// The rules by name, for an explanation.
  package static let headings = rules.map(\.heading)

  /// Why an exchange delivered nothing; nil when it did.
  package static func problem(of exchange: Exchange) -> Reason? {
    var trace = RuleTrace()
    return trace.firstObjection(of: rules, to: exchange)?.reason
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

/// Why an exchange delivered nothing.
package enum DeliveryObstacle: Hashable, Objection {
  case failure(TransportFailure)
  case status(Int)

  package var reason: Reason {
    switch self {
    case .failure(let failure): return Reason(failure.code.rawValue, failure.detail)
    case .status(let status):
      let why =
        (300..<400).contains(status) ? "a browser follows no redirect of a report" : "the endpoint did not accept the report"
      return Reason("http-status", "the endpoint answered \(status); \(why)")
    }
  }

  package var change: String {
    switch self {
    case .status(let status):
      (300..<400).contains(status)
        ? "answer at the report's URL itself, without a redirect" : "let the endpoint answer with a status of the 2xx class"
    case .failure(let failure): failure.code.change
    }
  }
}

extension TransportFailure.Code {
  fileprivate var isOfTokenKey: Bool { [.tokenKeyUnavailable, .tokenKeyInvalid, .tokenKeyChanged].contains(self) }

  fileprivate var change: String {
    switch self {
    case .urlRefused: "use an https URL without user name and password as the endpoint"
    case .nameNotResolved: "make the host's name resolve, or lead it elsewhere with --connect-to or --resolve"
    case .addressRefused: "name the host in --connect-to or --resolve, or start the service with --allow-private-networks"
    case .connectionFailed: "let the endpoint accept connections, or lead its host elsewhere with --connect-to"
    case .tlsFailed: "let the endpoint speak TLS 1.2 or later"
    case .certificateRefused: "give the endpoint a valid certificate for its host, or trust its authority with --ca-file"
    case .authoritiesUnreadable: "let --ca-file name a readable file with certificates in PEM, and restart the service"
    case .timedOut: "let the endpoint answer faster"
    case .connectionLost, .protocolError: "let the endpoint answer with a complete HTTP response"
    case .tokenKeyUnavailable, .tokenKeyInvalid, .tokenKeyChanged:
      "go on serving the key that signed for at least 9 days after the last signature"
    case .transportClosed, .interrupted: "keep the service running while it sends, or use deliveryPolicy reliable"
    }
  }
}
