package import PCMCore

/// The result of an expectation.
package struct ExpectationResult: Hashable, Sendable {
  package let isMet: Bool
  /// The expected report, or the unwanted one; nil when there is none.
  package let report: Report?
  /// The reports that differ from the expectation, the closest first.
  package let mismatches: [Mismatch]
  /// The explanation of an unmet expectation; nil when it is met, and when nothing can be explained.
  package let explanation: Explanation?
  /// The text that a test prints.
  package let text: String

  package struct Mismatch: Hashable, Sendable {
    package let report: Report
    package let differences: [ReportDifference]
  }

  /// The maximum number of mismatches.
  static let maximumMismatches = 100
}

/// Writes the text of a result.
struct ExpectationText {
  let browser: String
  let matcher: ReportMatcher
  let isWanted: Bool
  /// The expected report, or the unwanted one.
  let report: Report?
  let mismatches: [ExpectationResult.Mismatch]
  let explanations: [Explanation]

  /// Returns the expectation, and if it is not met, the existing reports with their differences, and the explanations.
  var text: String {
    guard isWanted == (report == nil) else { return sentence }
    let isFailed = { (mismatch: ExpectationResult.Mismatch) in mismatch.report.state == .failed }
    let sorted = mismatches.filter(isFailed) + mismatches.filter { !isFailed($0) }
    let reports = sorted.map { Self.line($0) } + (report.map { [$0.line] } ?? [])
    let failures = explanations.filter { $0.firstFailure != nil }
    let why = (failures + explanations.filter { $0.firstFailure == nil }).map {
      Self.list("Why, for \($0.subject.id)", [$0.text])
    }
    return ([sentence, Self.list("Reports of browser \"\(browser)\"", reports)] + why).joined(separator: "\n\n")
  }

  private var sentence: String {
    switch (isWanted, report) {
    case (true, nil): "Expected \(matcher.description), but there is none."
    case (true, let report?): "Expected \(matcher.description): \(report.line)."
    case (false, nil): "Expected no report like \(matcher.description), and there is none."
    case (false, let report?):
      "Expected no report like \(matcher.description), but there is one: \(RecordName.report(report.id))."
    }
  }

  private static func line(_ mismatch: ExpectationResult.Mismatch) -> String {
    "\(mismatch.report.line)\n  \(mismatch.differences.map(\.text).joined(separator: ", "))"
  }

  private static func list(_ title: String, _ items: [String]) -> String {
    guard !items.isEmpty else { return "\(title): none" }
    let lines = items.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
    return "\(title):\n" + lines.map { "  \($0)" }.joined(separator: "\n")
  }
}

extension Report {
  /// `report-16 to source, failed, due …: source_id 4, trigger_data 12, news.example -> shop.example; last attempt: …`
  fileprivate var line: String {
    let body = JSON(parsing: Array(body.utf8)) ?? .null
    let content = ["source_id", "trigger_data"].map { "\($0) \((body[$0] ?? .null).text)" }.joined(separator: ", ")
    let result = attempts.last.map { "; last attempt: \(Self.result(of: $0))" } ?? ""
    return "\(RecordName.report(id)) to \(recipient.rawValue), \(state.rawValue), due \(dueAt.text): \(content), "
      + "\(key.source.domain) -> \(key.destination.domain)\(result)"
  }

  private static func result(of attempt: KeptAttempt) -> String {
    if let error = attempt["error"], error != .null {
      return "\(error["code"]?.string ?? ""), \(error["detail"]?.string ?? "")"
    }
    return "status \((attempt["httpStatus"] ?? .null).text)"
  }
}
