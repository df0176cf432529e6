import PCMCore
import PCMEndpoint

/// The texts that all outputs of a check share.
extension CheckReport {
  func count(_ standing: Finding.Standing) -> Int { findings.count { $0.standing == standing } }

  /// The failed rules: errors before warnings, each in the order of the catalog.
  var failures: [Finding] {
    [Finding.Standing.error, .warning].flatMap { standing in findings.filter { $0.standing == standing } }
  }

  /// Returns the rules that were not reached because of a failure.
  func rulesHidden(by failure: Finding) -> [CheckRule] {
    findings.filter { $0.verdict == .notReached(failure.rule.id) }.map(\.rule)
  }

  /// `FAIL: 2 errors, 1 warning; 40 rules passed, 3 not applicable, 5 not reached`
  var summary: String {
    let bad = [Finding.Standing.error, .warning].filter { count($0) > 0 }.map { counted(count($0), $0.title) }
    let passed = count(.passed) == 0 ? "no rule passed" : "\(counted(count(.passed), "rule")) passed"
    let rest = [Finding.Standing.notApplicable, .notReached].filter { count($0) > 0 }.map { "\(count($0)) \($0.title)" }
    let isStrictly = grade == .fail && count(.error) == 0
    return
      "\(grade.title.uppercased())\(isStrictly ? " (STRICT: warnings count as errors)" : "")\(insecure ? " (INSECURE: certificates were not verified)" : ""): "
      + [bad, [passed] + rest].filter { !$0.isEmpty }.map { $0.joined(separator: ", ") }.joined(separator: "; ")
  }

  /// The role of a report endpoint, or the kind of another.
  var partName: String { kind == .report ? role.rawValue : kind.rawValue }

  /// `role: source` or `kind: skadnetwork`
  var part: String { (kind == .report ? "role: " : "kind: ") + partName }

  /// The limits of a pass; nil for none.
  var limitation: String? {
    let notes = [
      forwardedTo.map { "TLS, HTTP/2, and certificates were not examined: requests went to \($0) without TLS (--forward-to)" },
      isIncomplete ? "the check ended at its limit of time; some rules have no verdict" : nil,
      kind == .report ? nil : "whether the endpoint verifies signatures and what it counts is not visible",
    ].compactMap { $0 }
    return notes.isEmpty ? nil : notes.joined(separator: "; ")
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
  /// The verdict, with the severity of a failed rule, in the order of a page.
  enum Standing: CaseIterable {
    case error
    case warning
    case passed
    case notReached
    case notApplicable

    var title: String {
      switch self {
      case .error: "error"
      case .warning: "warning"
      case .passed: "passed"
      case .notReached: "not reached"
      case .notApplicable: "not applicable"
      }
    }
  }

  var standing: Standing {
    switch verdict {
    case .passed: .passed
    case .failed: rule.severity == .error ? .error : .warning
    case .notApplicable: .notApplicable
    case .notReached: .notReached
    }
  }

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

/// The list of rules.
struct RuleList {
  let rules: [CheckRule]

  var json: JSON { ["rules": .array(rules.map(\.json))] }

  /// Two lines per rule, or more when its title is long.
  var text: String {
    rules.flatMap { rule in
      ["\(rule.id) (\(rule.severity.rawValue); \(rule.origin.kind.title))"] + TerminalText.lines(rule.title, indent: 4)
    }.joined(separator: "\n") + "\n"
  }
}
