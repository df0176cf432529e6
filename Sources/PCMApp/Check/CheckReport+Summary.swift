import PCMCheck
import PCMCore

/// What all outputs say of an examination in the same words.
extension CheckReport {
  /// How many findings there are of each kind.
  struct Tally {
    var passed = 0
    var errors = 0
    var warnings = 0
    var notApplicable = 0
    var notReached = 0
  }

  /// A rule that failed, and the rules that could not be judged because of it.
  struct Failure {
    let finding: Finding
    let seen: String
    let hidden: [CheckRule]
  }

  var tally: Tally {
    findings.reduce(into: Tally()) { tally, finding in
      switch finding.verdict {
      case .passed: tally.passed += 1
      case .failed where finding.rule.severity == .error: tally.errors += 1
      case .failed: tally.warnings += 1
      case .notApplicable: tally.notApplicable += 1
      case .notReached: tally.notReached += 1
      }
    }
  }

  /// What failed: errors before warnings, each in the order of the catalogue.
  var failures: [Failure] {
    let failures = findings.compactMap { finding -> Failure? in
      guard case .failed = finding.verdict else { return nil }
      let hidden = findings.filter { $0.verdict == .notReached(finding.rule.id) }.map(\.rule)
      return Failure(finding: finding, seen: finding.seen, hidden: hidden)
    }
    return CheckRule.Severity.allCases.flatMap { severity in failures.filter { $0.finding.rule.severity == severity } }
  }

  /// `FAIL: 2 errors, 1 warning; 40 rules passed, 3 not applicable, 5 not reached`
  var summary: String {
    let tally = tally
    let bad = [(tally.errors, "error"), (tally.warnings, "warning")].filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    let rest = [
      tally.passed == 0 ? "no rule passed" : "\(counted(tally.passed, "rule")) passed",
      tally.notApplicable == 0 ? nil : "\(tally.notApplicable) not applicable",
      tally.notReached == 0 ? nil : "\(tally.notReached) not reached",
    ].compactMap { $0 }
    return "\(grade.title.uppercased())\(insecure ? " (INSECURE: certificates were not verified)" : ""): "
      + [bad, rest].filter { !$0.isEmpty }.map { $0.joined(separator: ", ") }
      .joined(separator: "; ")
  }

  /// `Pass`, or `Pass (insecure)` when certificates were not verified
  var gradeTitle: String { grade.title + (insecure ? " (insecure)" : "") }

  /// `17 of at most 60 requests sent`
  var requestCount: String { "\(sentRequests) of at most \(counted(plannedRequests, "request")) sent" }
}

extension CheckReport.Grade {
  var title: String {
    switch self {
    case .pass: "Pass"
    case .passWithWarnings: "Pass with warnings"
    case .fail: "Fail"
    }
  }
}

extension CheckReport.Finding {
  /// What was seen, as a clause without a final period; the title of a rule that passed.
  var seen: String {
    switch verdict {
    case .passed: rule.title
    case .failed(let seen): seen.asClause
    case .notApplicable(let why): why.asClause
    case .notReached(let rule): "not judged, because \(rule) failed"
    }
  }
}

extension CheckRule.Origin {
  /// Who says so, in words.
  var title: String {
    switch self {
    case .apple: "Apple's documentation"
    case .webkit: "WebKit's behaviour"
    case .draft: "draft or RFC"
    case .ours: "pcm-browser's advice"
    }
  }
}

/// The rules without an examination.
struct RuleList {
  let rules: [CheckRule]

  var json: JSON { ["rules": .array(rules.map(\.json))] }

  /// Two lines a rule, or more where its title is long.
  var text: String {
    rules.flatMap { rule in
      ["\(rule.id) (\(rule.severity.rawValue); \(rule.origin.title))"] + TerminalText.lines(rule.title, indent: 4)
    }.joined(separator: "\n") + "\n"
  }
}
