import PCMCheck
import PCMCore
import PCMHTTP
import PCMPages

extension CheckReport {
  /// The results as JUnit XML, with a case per rule. Only errors are failures. A warning is a passed case with output, so
  /// that it does not break a build. Rules that were not evaluated are skipped.
  var junit: JUnitReport {
    // Readers split class names at full stops, so full stops in the host are replaced.
    let host = endpoint.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" }.split(separator: ".")
    let className = "pcm-browser.check.\(host.joined(separator: "_")).\(partName)"
    let cases = findings.map { finding in
      JUnitReport.Case(
        finding.rule.id, className: className, outcome: finding.outcome(isStrict: isStrict),
        output: isStrict ? "" : finding.warning)
    }
    return JUnitReport(
      name: "pcm-browser check",
      suites: [
        JUnitReport.Suite(
          "\(endpoint) (\(partName)\(insecure ? ", insecure: certificates were not verified" : ""))",
          timestamp: startedAt.text, properties: limitation.map { [JUnitReport.Property("note", $0)] } ?? [], cases: cases)
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
    return (["rule: \(rule.title)", "fix: \(fix)"] + exchanges).joined(separator: "\n")
  }
}

extension CheckReport {
  /// The results as a document in one file.
  var html: String { page.html(styleHash: PageHash.sha256) }

  /// The results as a page.
  var page: CheckReportPage {
    let counts = counts
    return CheckReportPage(
      head: CheckReportPage.Head(
        host: String(endpoint.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" }), endpoint: endpoint,
        facts: [part, startedAt.text, requestCount]
          + (insecure ? ["certificates were not verified (--insecure)"] : []),
        grade: CheckReportPage.Grade(gradeTitle, insecure && grade == .pass ? .doubtful : grade.tone),
        counts: [
          CheckReportPage.Count(counts.errors, counts.errors == 1 ? "error" : "errors", .bad),
          CheckReportPage.Count(counts.warnings, counts.warnings == 1 ? "warning" : "warnings", .doubtful),
          CheckReportPage.Count(counts.passed, "passed", .good),
          CheckReportPage.Count(counts.notReached, "not reached", .quiet),
          CheckReportPage.Count(counts.notApplicable, "not applicable", .quiet),
        ], note: limitation ?? ""),
      fixes: failures.map {
        CheckReportPage.Fix($0.finding.view, advice: $0.finding.fix, hidden: $0.hidden.map(\.id))
      },
      rules: findings.map(\.view))
  }
}

extension CheckReport.Grade {
  fileprivate var tone: CheckReportPage.Tone {
    switch self {
    case .pass: .good
    case .passWithWarnings: .doubtful
    case .fail, .noResult: .bad
    }
  }
}

extension CheckReport.Finding {
  fileprivate var view: CheckReportPage.Rule {
    let (word, tone) = wordAndTone
    return CheckReportPage.Rule(
      id: rule.id, title: rule.title, verdict: word, tone: tone, origin: rule.origin.title,
      seen: verdict == .passed ? "" : seen.visible,
      exchanges: evidence.map {
        CheckReportPage.Exchange(
          request: $0.request.visible, requestHeaders: $0.requestHeaders.map(\.visible), requestBody: $0.requestBody.visible,
          answer: $0.answer.visible, answerHeaders: $0.answerHeaders.map(\.visible), answerBody: $0.answerBody.visible)
      })
  }

  private var wordAndTone: (String, CheckReportPage.Tone) {
    switch verdict {
    case .passed: ("passed", .good)
    case .failed: rule.severity == .error ? ("error", .bad) : ("warning", .doubtful)
    case .notApplicable: ("not applicable", .quiet)
    case .notReached: ("not reached", .quiet)
    }
  }
}
