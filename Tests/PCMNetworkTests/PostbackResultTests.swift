import PCMCore
import PCMNetwork
import Testing

/// The ends of a postback's attempts.
@Suite struct PostbackResultTests {
  private func result(_ exchange: Exchange, _ framework: AdFramework) -> (AttemptResult, failed: String?) {
    var evaluation = RuleEvaluation(of: Exchange.postbackRuleList(framework))
    return (exchange.postbackResult(framework, &evaluation), evaluation.failed?.rule)
  }

  @Test("Status 200 ends the attempts of both frameworks", arguments: AdFramework.allCases)
  func accepted(_ framework: AdFramework) {
    #expect(result(Exchange(httpStatus: 200), framework).0 == .accepted)
  }

  @Test("Another 2xx status ends the attempts of AdAttributionKit only", arguments: [201, 202, 204, 299])
  func otherSuccess(_ status: Int) {
    #expect(result(Exchange(httpStatus: status), .adattributionkit).0 == .accepted)
    let (failed, rule) = result(Exchange(httpStatus: status), .skadnetwork)
    #expect(rule == "answer-is-200")
    guard case .failed(let reason) = failed else {
      Issue.record("\(status) is not a failure")
      return
    }
    #expect(reason.code == "http-status" && reason.detail.contains("\(status)"))
  }

  @Test("A redirect, an error, and a missing response are failures that are retried", arguments: AdFramework.allCases)
  func failures(_ framework: AdFramework) {
    for status in [199, 301, 400, 404, 500, 503] {
      guard case .failed = result(Exchange(httpStatus: status), framework).0 else {
        Issue.record("\(status) ends the attempts of \(framework)")
        continue
      }
    }
    #expect(result(Exchange(), framework).failed == "an-answer-arrived")
  }
}
