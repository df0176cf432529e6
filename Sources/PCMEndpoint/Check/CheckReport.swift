package import PCMCore

/// The result of a check. All output is produced from this value.
package struct CheckReport: Sendable {
  /// The URL of reports or postbacks.
  package let endpoint: String
  package var kind = CheckKind.report
  /// The recipient of reports that the endpoint represents. Only for report endpoints.
  package let role: Recipient
  package let startedAt: Instant
  /// The maximum number of requests, as announced before the start.
  package let plannedRequests: Int
  package let sentRequests: Int
  /// Whether certificates were not verified, which limits the meaning of a pass.
  package var insecure = false
  /// The address that received the requests without TLS; nil if they were not forwarded.
  package var forwardedTo: String?
  /// A finding for each selected rule, and for each failed rule that prevented the evaluation of a selected rule, in the
  /// order of the catalog.
  package let findings: [Finding]

  package enum Grade: String, Hashable, Sendable, CaseIterable {
    case pass
    case passWithWarnings = "pass-with-warnings"
    case fail
    /// No rule passed or failed, or the check is incomplete without an error.
    case noResult = "no-result"
  }

  package struct Finding: Hashable, Sendable {
    package let rule: CheckRule
    package let verdict: Verdict
    /// The remedy for the observation. The default is the rule's remedy.
    package let fix: String
    /// The redacted exchanges that show the result.
    package let evidence: [Evidence]
    /// The failed rules that the requests went around: at the target of a redirect, or with the headers of an accepted variant.
    package let dependsOn: [String]

    init(
      rule: CheckRule, verdict: Verdict, fix: String? = nil, evidence: [Evidence] = [], dependsOn: [String] = []
    ) {
      self.rule = rule
      self.verdict = verdict
      self.fix = fix ?? rule.fix
      self.evidence = evidence
      self.dependsOn = dependsOn
    }
  }

  package enum Verdict: Hashable, Sendable {
    case passed
    /// The observation, a sentence without a period.
    case failed(String)
    /// The rule does not apply, for example without `--pixel`, or when counts are not available.
    case notApplicable(String)
    /// The rule was not evaluated because the named rule failed.
    case notReached(String)
  }

  /// An exchange for display: without secrets, and with truncated bodies.
  package struct Evidence: Hashable, Sendable {
    /// `POST https://…/report-attribution/ HTTP/2`
    package let request: String
    /// `content-type: application/json`, in wire order.
    package var requestHeaders: [String] = []
    package let requestBody: String
    /// `200 application/json, 31 ms`, or the reason there is no response.
    package let answer: String
    /// The headers of the response that help to identify its sender and its cause.
    package var answerHeaders: [String] = []
    /// The body. For an HTML page, its title and first paragraph.
    package let answerBody: String
    /// The duration of the exchange.
    package var duration = Interval(milliseconds: 0)
  }

  /// Whether the check ended at its limit of time, before all requests were sent.
  package var isIncomplete = false
  /// Whether warnings count as errors.
  package var isStrict = false
  /// The duration of the check; nil if it was not measured.
  package var duration: Duration?

  package var grade: Grade {
    let failed = findings.filter { if case .failed = $0.verdict { true } else { false } }
    if failed.contains(where: { isStrict || $0.rule.severity == .error }) { return .fail }
    if isIncomplete { return .noResult }
    if !failed.isEmpty { return .passWithWarnings }
    return findings.contains { $0.verdict == .passed } ? .pass : .noResult
  }
}
