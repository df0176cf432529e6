public import Foundation

/// An unmet expectation. It requires no test framework: it is thrown, and its description is the failure message.
public struct ExpectationFailure: Error, Hashable, Sendable {
  /// The name of the browser.
  public let browser: String
  /// The expectation, and how it was not met.
  public let expectation: String
  /// All reports of the browser.
  public let reports: [Report]
  /// The differences between each report and the expectation, by report identifier.
  let remarks: [String: String]
  /// Explanations of the current state; empty from a service without explanations.
  public let explanations: [Explanation]
  /// The last events of the log.
  public let events: [Event]

  static let mostEvents = 40
}

extension ExpectationFailure: CustomStringConvertible, LocalizedError {
  /// The expectation, the existing reports, and the explanations.
  public var description: String {
    ([expectation, list("Reports of browser \"\(browser)\"", reports.map(line))] + reasons).joined(separator: "\n\n")
  }

  /// The same as `description`.
  public var errorDescription: String? { description }

  private var reasons: [String] {
    guard explanations.isEmpty else {
      return explanations.map { list("Why, for \($0.subject.id)", ["\($0)"]) }
    }
    return [list("The service has no explanation. Events", events.map { "\($0)" })]
  }

  private func line(_ report: Report) -> String {
    let remark = remarks[report.id] ?? ""
    return "\(report)" + (remark.isEmpty ? "" : "\n  \(remark)")
  }

  private func list(_ title: String, _ items: [String]) -> String {
    guard !items.isEmpty else { return "\(title): none" }
    let lines = items.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
    return "\(title):\n" + lines.map { "  \($0)" }.joined(separator: "\n")
  }
}
