import PCMCore
import PCMEndpoint

extension CheckReport {
  /// The results. Members that do not apply are null, so that all findings have the same members.
  var json: JSON {
    [
      "endpoint": .string(endpoint),
      "kind": .string(kind.rawValue),
      "role": .string(kind == .report ? role.rawValue : nil),
      "startedAt": .string(startedAt.text),
      "requests": ["sent": .number(Int64(sentRequests)), "atMost": .number(Int64(plannedRequests))],
      "grade": .string(grade.rawValue),
      "insecure": .bool(insecure),
      "forwardedTo": .string(forwardedTo),
      "strict": .bool(isStrict),
      "note": .string(limitation),
      "counts": [
        "passed": .number(Int64(count(.passed))), "errors": .number(Int64(count(.error))),
        "warnings": .number(Int64(count(.warning))), "notApplicable": .number(Int64(count(.notApplicable))),
        "not-reached": .number(Int64(count(.notReached))),
      ],
      "findings": .array(findings.map(\.json)),
    ]
  }
}

extension CheckReport.Finding {
  fileprivate var json: JSON {
    let (name, cause): (String, String?) =
      switch verdict {
      case .passed: ("passed", nil)
      case .failed: ("failed", nil)
      case .notApplicable: ("not-applicable", nil)
      case .notReached(let rule): ("not-reached", rule)
      }
    return .object(
      rule.members.map { $0.name == "fix" ? JSON.Member("fix", .string(fix)) : $0 } + [
        JSON.Member("verdict", .string(name)),
        JSON.Member("seen", verdict == .passed ? .null : .string(seen)),
        JSON.Member("notReachedBecauseOf", .string(cause)),
        JSON.Member("dependsOn", .array(dependsOn.map { .string($0) })),
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

extension CheckRule {
  /// A rule without a verdict.
  var json: JSON { .object(members) }

  fileprivate var members: [JSON.Member] {
    [
      JSON.Member("rule", .string(id)), JSON.Member("title", .string(title)),
      JSON.Member("severity", .string(severity.rawValue)), JSON.Member("origin", .string(origin.kind.rawValue)),
      JSON.Member("fix", .string(fix)),
    ]
  }
}
