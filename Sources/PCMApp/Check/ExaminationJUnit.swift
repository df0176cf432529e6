import PCMCheck
import PCMCore

extension Examination {
  /// A rule is a case. Only errors are failures: a warning is a case that passed with something to read, so that a build
  /// does not break on what works today. Rules that were not judged are skipped.
  var junit: JUnitReport {
    // Readers cut class names at full stops, so a host keeps its own from them.
    let host = endpoint.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" }.split(separator: ".")
    let className = "pcm-browser.check.\(host.joined(separator: "_")).\(role.rawValue)"
    let cases = findings.map { finding in
      JUnitReport.Case(
        finding.rule.id, className: className, outcome: finding.outcome, output: finding.warning)
    }
    return JUnitReport(
      name: "pcm-browser check",
      suites: [
        JUnitReport.Suite(
          "\(endpoint) (\(role.rawValue)\(insecure ? ", insecure: certificates were not verified" : ""))",
          timestamp: startedAt.text, cases: cases)
      ])
  }
}

extension Examination.Finding {
  fileprivate var outcome: JUnitReport.Outcome {
    switch verdict {
    case .passed: .passed
    case .failed(let seen) where rule.severity == .error: .failed(message: seen.visible, type: "error", text: explanation)
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
    let exchanges = evidence.flatMap {
      ["sent: \($0.request)", $0.requestBody, "answer: \($0.answer)", $0.answerBody].filter { !$0.isEmpty }.map(\.visible)
    }
    return (["rule: \(rule.title)", "fix: \(rule.fix)"] + exchanges).joined(separator: "\n")
  }
}
