package import PCMCore

/// Whether an exchange delivered its message.
extension Exchange {
  /// Applies the rules.
  ///
  /// WebKit does not look at the status (reference, section 7): for it the report is gone in any case. Here the result
  /// says what the endpoint made of it.
  package func result(_ evaluation: inout RuleEvaluation) -> AttemptResult {
    guard let reason = evaluation.firstViolation(of: Self.deliveryRules, to: self)?.reason else { return .accepted }
    // A key that was changed does not come back, and the token with it.
    return failure?.code == .tokenKeyChanged ? .failedForGood(reason) : .failed(reason)
  }

  /// Why the exchange delivered nothing; nil when it did.
  package var undelivered: Reason? {
    var evaluation = RuleEvaluation()
    return evaluation.firstViolation(of: Self.deliveryRules, to: self)?.reason
  }

  package static let deliveryRules: [Rule<Exchange, UndeliveredReason>] = [
    // Keys are fetched before a report with tokens leaves (reference, section 8.4).
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
  package static let deliveryRuleList = RuleList(deliveryRules.map(\.heading))

  /// What remains of an attempt after a crash or a kill: whether its bytes left is unknown.
  package static let interrupted = Exchange(
    failure: TransportFailure(.interrupted, "the service stopped while the report was being sent"))
}

/// Why an exchange delivered nothing.
package enum UndeliveredReason: Hashable, RuleViolation {
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
