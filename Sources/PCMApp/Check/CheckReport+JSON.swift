import PCMCheck
import PCMCore

extension CheckReport {
  /// The results. Members that do not apply are null, so that all findings have the same members.
  var json: JSON {
    let counts = counts
    return [
      "endpoint": .string(endpoint),
      "kind": .string(kind.rawValue),
      "role": .string(kind == .report ? role.rawValue : nil),
      "startedAt": .string(startedAt.text),
      "requests": ["sent": .number(Int64(sentRequests)), "atMost": .number(Int64(plannedRequests))],
      "grade": .string(grade.rawValue),
      "insecure": .bool(insecure),
      "strict": .bool(isStrict),
      "note": .string(limitation),
      "counts": [
        "passed": .number(Int64(counts.passed)), "errors": .number(Int64(counts.errors)),
        "warnings": .number(Int64(counts.warnings)), "notApplicable": .number(Int64(counts.notApplicable)),
        "not-reached": .number(Int64(counts.notReached)),
      ],
      "findings": .array(findings.map(\.json)),
    ]
  }
}

extension CheckReport.Finding {
  fileprivate var json: JSON {
    .object(
      rule.members.map { $0.name == "fix" ? JSON.Member("fix", .string(fix)) : $0 } + [
        JSON.Member("verdict", .string(verdict.name)),
        JSON.Member("seen", verdict == .passed ? .null : .string(seen)),
        JSON.Member("notReachedBecauseOf", .string(verdict.cause)),
        JSON.Member(
          "evidence",
          .array(
            evidence.map {
              [
                "request": .string($0.request), "requestHeaders": .array($0.requestHeaders.map { .string($0) }),
                "requestBody": .string($0.requestBody), "answer": .string($0.answer),
                "answerHeaders": .array($0.answerHeaders.map { .string($0) }), "answerBody": .string($0.answerBody),
              ]
            })),
      ])
  }
}

extension CheckReport.Verdict {
  fileprivate var name: String {
    switch self {
    case .passed: "passed"
    case .failed: "failed"
    case .notApplicable: "not-applicable"
    case .notReached: "not-reached"
    }
  }

  fileprivate var cause: String? {
    guard case .notReached(let rule) = self else { return nil }
    return rule
  }
}

extension CheckRule {
  /// A rule without a verdict.
  var json: JSON { .object(members) }

  fileprivate var members: [JSON.Member] {
    [
      JSON.Member("rule", .string(id)), JSON.Member("title", .string(title)),
      JSON.Member("severity", .string(severity.rawValue)), JSON.Member("origin", .string(origin.rawValue)),
      JSON.Member("fix", .string(fix)),
    ]
  }
}
