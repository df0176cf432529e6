import PCMCheck
import PCMCore

/// The texts that all outputs of a check share.
extension CheckReport {
  /// The number of findings of each kind.
  struct Counts {
    var passed = 0
    var errors = 0
    var warnings = 0
    var notApplicable = 0
    var notReached = 0
  }

  /// A failed rule, and the rules that were not reached because of it.
  struct FailedRule {
    let finding: Finding
    let seen: String
    let hidden: [CheckRule]
  }

  var counts: Counts {
    findings.reduce(into: Counts()) { counts, finding in
      switch finding.verdict {
      case .passed: counts.passed += 1
      case .failed where finding.rule.severity == .error: counts.errors += 1
      case .failed: counts.warnings += 1
      case .notApplicable: counts.notApplicable += 1
      case .notReached: counts.notReached += 1
      }
    }
  }

  /// The failed rules: errors before warnings, each in the order of the catalog.
  var failures: [FailedRule] {
    let failures = findings.compactMap { finding -> FailedRule? in
      guard case .failed = finding.verdict else { return nil }
      let hidden = findings.filter { $0.verdict == .notReached(finding.rule.id) }.map(\.rule)
      return FailedRule(finding: finding, seen: finding.seen, hidden: hidden)
    }
    return CheckRule.Severity.allCases.flatMap { severity in failures.filter { $0.finding.rule.severity == severity } }
  }

  /// `FAIL: 2 errors, 1 warning; 40 rules passed, 3 not applicable, 5 not reached`
  var summary: String {
    let counts = counts
    let bad = [(counts.errors, "error"), (counts.warnings, "warning")].filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    let rest = [
      counts.passed == 0 ? "no rule passed" : "\(counted(counts.passed, "rule")) passed",
      counts.notApplicable == 0 ? nil : "\(counts.notApplicable) not applicable",
      counts.notReached == 0 ? nil : "\(counts.notReached) not reached",
    ].compactMap { $0 }
    let isStrictly = grade == .fail && counts.errors == 0
    return
      "\(grade.title.uppercased())\(isStrictly ? " (STRICT: warnings count as errors)" : "")\(insecure ? " (INSECURE: certificates were not verified)" : ""): "
      + [bad, rest].filter { !$0.isEmpty }.map { $0.joined(separator: ", ") }
      .joined(separator: "; ")
  }

  /// The role of a report endpoint, or the kind of another.
  var partName: String { kind == .report ? role.rawValue : kind.rawValue }

  /// `role: source` or `kind: skadnetwork`
  var part: String { (kind == .report ? "role: " : "kind: ") + partName }

  /// What a pass does not show; nil for nothing.
  var limitation: String? {
    kind == .report ? nil : "whether the endpoint verifies signatures and what it counts is not visible"
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
    case .noResult: "No result"
    }
  }
}

extension CheckReport.Finding {
  /// The observation as a clause without a final period; the title of a rule that passed.
  var seen: String {
    switch verdict {
    case .passed: rule.title
    case .failed(let seen): seen.asClause
    case .notApplicable(let why): why.asClause
    case .notReached(let rule): "not reached, because \(rule) failed"
    }
  }
}

extension CheckRule.Origin {
  /// The source of a rule for display.
  var title: String {
    switch self {
    case .apple: "Apple's documentation"
    case .webkit: "WebKit's behaviour"
    case .draft: "draft or RFC"
    case .ours: "pcm-browser's advice"
    }
  }
}

/// The list of rules.
struct RuleList {
  let rules: [CheckRule]

  var json: JSON { ["rules": .array(rules.map(\.json))] }

  /// Two lines per rule, or more when its title is long.
  var text: String {
    rules.flatMap { rule in
      ["\(rule.id) (\(rule.severity.rawValue); \(rule.origin.title))"] + TerminalText.lines(rule.title, indent: 4)
    }.joined(separator: "\n") + "\n"
  }
}
