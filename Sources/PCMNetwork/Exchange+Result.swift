package import PCMCore

/// The result of an exchange as an attempt to deliver a message.
extension Exchange {
  /// Applies the delivery rules.
  ///
  /// WebKit ignores the status (reference, section 7): it never sends the report again. Here, the result shows whether the
  /// endpoint accepted the report.
  package func result(_ evaluation: inout RuleEvaluation) -> AttemptResult {
    guard let reason = evaluation.firstViolation(of: Self.deliveryRules, to: self)?.reason else { return .accepted }
    // A changed key does not return, so the token stays invalid.
    return failure?.code == .tokenKeyChanged ? .failedPermanently(reason) : .failed(reason)
  }

  /// The reason for which the exchange delivered nothing; nil after a delivery.
  package var undelivered: Reason? {
    var evaluation = RuleEvaluation()
    return evaluation.firstViolation(of: Self.deliveryRules, to: self)?.reason
  }

  package static let deliveryRules: [Rule<Exchange>] = [
    // The keys are fetched before a report with tokens is sent (reference, section 8.4).
    Rule(
      RuleTitle(
        "token-keys-are-unchanged", "The sites serve the same token keys as when they signed.",
        .webkit("PrivateClickMeasurementManager.cpp"), reasons: TransportFailure.Code.reasons { $0.isOfTokenKey }),
      inputs: ["error": { .string($0.failure?.code.rawValue) }]
    ) { exchange in
      guard let failure = exchange.failure, failure.code.isOfTokenKey else { return nil }
      return .failure(failure)
    },
    answerArrived,
    Rule(
      "answer-is-2xx",
      "The status of the response is 2xx.",
      .ours("WebKit does not read the status; the log shows whether the endpoint accepted the report"),
      reasons: ["http-status": "respond with a 2xx status and without a redirect"],
      inputs: ["httpStatus": { exchange in exchange.httpStatus.map { .number(Int64($0)) } ?? .null }]
    ) { exchange in
      guard let status = exchange.httpStatus, !(200..<300).contains(status) else { return nil }
      let isRedirect = (300..<400).contains(status)
      let why = isRedirect ? "a browser does not follow report redirects" : "the endpoint did not accept the report"
      return Violation(
        "http-status", "the endpoint answered \(status); \(why)",
        change: isRedirect ? "respond at the report's URL without a redirect" : "respond with a 2xx status")
    },
  ]

  static let answerArrived = Rule<Exchange>(
    RuleTitle(
      "an-answer-arrived",
      "The endpoint responds over a verified connection.",
      .webkit("PrivateClickMeasurementManager.cpp"), reasons: TransportFailure.Code.reasons { !$0.isOfTokenKey }),
    inputs: [
      "error": { .string($0.failure?.code.rawValue) },
      "httpStatus": { exchange in exchange.httpStatus.map { .number(Int64($0)) } ?? .null },
    ]
  ) { exchange in
    if let failure = exchange.failure { return .failure(failure) }
    return exchange.httpStatus == nil ? .failure(TransportFailure(.connectionLost, "no answer arrived")) : nil
  }

  /// The rules by name, for explanations.
  package static let deliveryRuleList = RuleList(deliveryRules)

  /// The result of an attempt that a crash interrupted. Whether the request was sent is unknown.
  package static let interrupted = Exchange(
    failure: TransportFailure(.interrupted, "the service stopped while the message was being sent"))
}

extension Violation {
  fileprivate static func failure(_ failure: TransportFailure) -> Violation {
    Violation(failure.code.rawValue, failure.detail)
  }
}

extension TransportFailure.Code {
  fileprivate var isOfTokenKey: Bool { [.tokenKeyUnavailable, .tokenKeyInvalid, .tokenKeyChanged].contains(self) }

  fileprivate static func reasons(_ isIncluded: (Self) -> Bool) -> [RuleReason] {
    allCases.filter(isIncluded).map { RuleReason(code: $0.rawValue, change: $0.change) }
  }

  private var change: String {
    switch self {
    case .urlRefused: "use an https URL without user name and password as the endpoint"
    case .nameNotResolved: "make the host name resolvable, or map it with --connect-to or --resolve"
    case .addressRefused: "map the host with --connect-to or --resolve, or start the service with --allow-private-networks"
    case .connectionFailed: "accept connections at the endpoint, or map its host with --connect-to"
    case .tlsFailed: "support TLS 1.2 or later at the endpoint, or name a server without TLS with --forward-to"
    case .certificateRefused: "use a valid certificate for the endpoint's host, or trust its authority with --ca-file"
    case .authoritiesUnreadable:
      "install the system's certificate authorities, or set --ca-file to a readable PEM file, and restart the service"
    case .timedOut: "respond before the timeout"
    case .connectionLost, .protocolError: "send a complete HTTP response"
    case .tokenKeyUnavailable, .tokenKeyInvalid, .tokenKeyChanged:
      "keep serving a signing key for at least 9 days after its last signature"
    case .transportClosed, .interrupted: "keep the service running until reports are sent, or use deliveryPolicy reliable"
    }
  }
}
