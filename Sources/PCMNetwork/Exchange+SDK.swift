package import PCMCore

/// The result of an exchange as the attempt to send a request of a measurement SDK.
extension Exchange {
  /// Returns why the endpoint did not accept the request; nil if it did.
  package func undeliveredSDKRequest(_ evaluation: inout RuleEvaluation) -> Reason? {
    evaluation.firstViolation(of: Self.sdkRules, to: self)?.reason
  }

  package static let sdkRuleList = RuleList(sdkRules)

  private static let sdkRules: [Rule<Exchange>] = [
    answerArrived,
    Rule(
      "answer-is-2xx", "The status of the response is 2xx.",
      .ours("the state of the request shows whether the endpoint accepted it"),
      reasons: ["http-status": "respond with a 2xx status"],
      inputs: ["httpStatus": { exchange in exchange.httpStatus.map { .number(Int64($0)) } ?? .null }]
    ) { exchange in
      guard let status = exchange.httpStatus, !(200..<300).contains(status) else { return nil }
      return Violation(
        "http-status", "the endpoint answered \(status) to a request of a measurement SDK")
    },
  ]
}
