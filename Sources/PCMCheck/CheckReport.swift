package import PCMCore

/// What came of an examination: a value that everything shown is made of.
package struct CheckReport: Sendable {
  /// The URL that reports go to.
  package let endpoint: String
  package let role: Role
  package let startedAt: Instant
  /// The most that could be sent, as said before the start.
  package let plannedRequests: Int
  package let sentRequests: Int
  /// Whether certificates went unverified, so that a pass says less.
  package let insecure: Bool
  /// One for each rule that was asked for, and for each that failed and kept one of these from being judged, in the order
  /// of the catalogue.
  package let findings: [Finding]

  /// Which side of a click the endpoint is on.
  package enum Role: String, Hashable, Sendable, CaseIterable {
    case source
    case destination
  }

  package enum Grade: String, Hashable, Sendable, CaseIterable {
    case pass
    case passWithWarnings = "pass-with-warnings"
    case fail
  }

  package struct Finding: Hashable, Sendable {
    package let rule: CheckRule
    package let verdict: Verdict
    /// The exchanges that show it, redacted.
    package let evidence: [Evidence]

    package init(rule: CheckRule, verdict: Verdict, evidence: [Evidence]) {
      self.rule = rule
      self.verdict = verdict
      self.evidence = evidence
    }
  }

  package enum Verdict: Hashable, Sendable {
    case passed
    /// What was seen instead, a sentence without its full stop.
    case failed(String)
    /// The rule asks for something that was not there to be asked: no `--pixel`, no way to ask what was counted.
    case notApplicable(String)
    /// Could not be judged because another rule failed: which one.
    case notReached(String)
  }

  /// One exchange as it may be shown: no secrets, and bodies cut.
  package struct Evidence: Hashable, Sendable {
    /// `POST https://…/report-attribution/ HTTP/2`
    package let request: String
    package let requestBody: String
    /// `200 application/json, 31 ms`, or why no answer arrived.
    package let answer: String
    package let answerBody: String

    package init(request: String, requestBody: String, answer: String, answerBody: String) {
      self.request = request
      self.requestBody = requestBody
      self.answer = answer
      self.answerBody = answerBody
    }
  }

  package var grade: Grade {
    let failed = findings.filter { if case .failed = $0.verdict { true } else { false } }
    if failed.contains(where: { $0.rule.severity == .error }) { return .fail }
    return failed.isEmpty ? .pass : .passWithWarnings
  }

  package init(
    endpoint: String, role: Role, startedAt: Instant, plannedRequests: Int, sentRequests: Int, insecure: Bool = false,
    findings: [Finding]
  ) {
    self.endpoint = endpoint
    self.role = role
    self.startedAt = startedAt
    self.plannedRequests = plannedRequests
    self.sentRequests = sentRequests
    self.insecure = insecure
    self.findings = findings
  }
}
