import PCMCore
import PCMEndpoint

extension CheckReport {
  /// The results as JUnit XML, with a case per rule. The time of a case is the time of the exchanges that the rule evaluated. Only
  /// errors are failures. A warning is a passed case with output, so that it does not break a build. Rules that were not evaluated
  /// are skipped.
  var junit: JUnitReport {
    // Readers split class names at full stops, so full stops in the host are replaced.
    let host = endpoint.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" }.split(separator: ".")
    let className = "pcm-browser.check.\(host.joined(separator: "_")).\(partName)"
    let cases = findings.map { finding in
      JUnitReport.Case(
        name: finding.rule.id, className: className,
        milliseconds: finding.evidence.map(\.duration.milliseconds).reduce(0, +), outcome: finding.outcome(isStrict: isStrict),
        output: isStrict ? "" : finding.warning)
    }
    return JUnitReport(
      name: "pcm-browser check",
      suites: [
        JUnitReport.Suite(
          name: "\(endpoint) (\(partName)\(insecure ? ", insecure: certificates were not verified" : ""))",
          milliseconds: duration?.milliseconds, timestamp: startedAt.text, properties: limitation.map { ["note": $0] } ?? [:],
          cases: cases)
      ])
  }
}

extension CheckReport.Finding {
  fileprivate func outcome(isStrict: Bool) -> JUnitReport.Outcome {
    switch verdict {
    case .passed: .passed
    case .failed(let seen) where isStrict || rule.severity == .error:
      .failed(message: seen.visible, type: rule.severity.rawValue, text: explanation)
    case .failed: .passed
    case .notApplicable(let why): .skipped(message: "not applicable: \(why.visible)")
    case .notReached: .skipped(message: seen)
    }
  }

  fileprivate var warning: String {
    guard case .failed(let seen) = verdict, rule.severity == .warning else { return "" }
    return "warning: \(seen.visible)\n\(explanation)"
  }

  private var explanation: String {
    let exchanges = evidence.flatMap { exchange in
      let sent = ["sent: \(exchange.request)"] + exchange.requestHeaders + [exchange.requestBody]
      let answer = ["answer: \(exchange.answer)"] + exchange.answerHeaders + [exchange.answerBody]
      return (sent + answer).filter { !$0.isEmpty }.map(\.visible)
    }
    let grounds = dependsOn.isEmpty ? [] : ["depends on: \(dependsOn.joined(separator: ", "))"]
    return (["rule: \(rule.title)", "fix: \(fix)"] + grounds + exchanges).joined(separator: "\n")
  }
}
