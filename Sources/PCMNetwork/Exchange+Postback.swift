package import PCMCore

/// The result of an exchange as an attempt to deliver a postback.
extension Exchange {
  /// Applies the delivery rules of a framework.
  package func postbackResult(_ framework: AdFramework, _ evaluation: inout RuleEvaluation) -> AttemptResult {
    guard let reason = evaluation.firstViolation(of: Self.postbackRules(framework), to: self)?.reason else { return .accepted }
    return .failed(reason)
  }

  /// The reason for which the exchange delivered no postback of a framework; nil after a delivery.
  package func undeliveredPostback(of framework: AdFramework) -> Reason? {
    var evaluation = RuleEvaluation()
    return evaluation.firstViolation(of: Self.postbackRules(framework), to: self)?.reason
  }

  package static func postbackRuleList(_ framework: AdFramework) -> RuleList {
    switch framework {
    case .skadnetwork: skAdNetworkRuleList
    case .adattributionkit: adAttributionKitRuleList
    }
  }

  private static let skAdNetworkRuleList = RuleList(skAdNetworkRules)
  private static let adAttributionKitRuleList = RuleList(adAttributionKitRules)

  /// SKAdNetwork sends a postback again without status 200 (SKAdNetwork reference, section 9). For AdAttributionKit, Apple names
  /// only 500, so every 2xx status ends the attempts (AdAttributionKit reference, section 6).
  package static func postbackRules(_ framework: AdFramework) -> [Rule<Exchange>] {
    switch framework {
    case .skadnetwork: skAdNetworkRules
    case .adattributionkit: adAttributionKitRules
    }
  }

  private static let skAdNetworkRules = rules(.skadnetwork)
  private static let adAttributionKitRules = rules(.adattributionkit)

  private static func rules(_ framework: AdFramework) -> [Rule<Exchange>] {
    let title =
      framework == .skadnetwork
      ? RuleTitle(
        "answer-is-200", "The status of the response is 200. For AdAttributionKit, every 2xx status is sufficient.",
        .apple("StoreKit: Verifying an install-validation postback"),
        reasons: ["http-status": "respond with status 200, also to a postback that you do not count"])
      : RuleTitle(
        "answer-is-2xx", "The status of the response is 2xx.",
        .assumption("AdAttributionKit: Verifying a postback names only 500 as a status after which the device sends again"),
        reasons: ["http-status": "respond with status 200, also to a postback that you do not count"])
    let endsAttempts = framework == .skadnetwork ? 200..<201 : 200..<300
    let status = Rule<Exchange>(
      title, inputs: ["httpStatus": { exchange in exchange.httpStatus.map { .number(Int64($0)) } ?? .null }]
    ) { exchange in
      guard let status = exchange.httpStatus, !endsAttempts.contains(status) else { return nil }
      let end = framework == .skadnetwork ? "only 200 ends" : "only a 2xx status ends"
      return Violation(
        "http-status", "the endpoint answered \(status); \(end) the attempts of \(framework.title)",
        change: "respond with status 200, also to a postback that you do not count")
    }
    return [answerArrived, status]
  }
}

/// Whether an exchange has a response, for requests whose response has rules of its kind.
extension Exchange {
  package static let arrivalRuleList = RuleList([answerArrived])

  /// Returns why no response arrived; nil for a response.
  package func missingAnswer(_ evaluation: inout RuleEvaluation) -> Reason? {
    evaluation.firstViolation(of: [Self.answerArrived], to: self)?.reason
  }
}
