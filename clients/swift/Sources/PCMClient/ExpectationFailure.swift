public import Foundation

/// An unmet expectation. It requires no test framework: it is thrown, and its description is the failure message.
///
/// ```swift
/// do {
///   try await browser.expectReport(to: .source, on: "shop.example", triggerData: 13)
/// } catch let failure as ExpectationFailure {
///   #expect(failure.report == nil)
///   print(failure)  // The existing reports, and the rule that failed for each click.
/// }
/// ```
public struct ExpectationFailure: Error, Hashable, Sendable {
  /// The name of the browser.
  public let browser: String
  /// The unwanted report; nil when the expected report does not exist.
  public let report: Report?
  /// The explanation of the current state; nil when there is nothing to explain.
  public let explanation: Explanation?
  private let text: String

  init(browser: String, _ result: ExpectationResult) {
    self.browser = browser
    report = result.report
    explanation = result.explanation
    text = result.text
  }
}

extension ExpectationFailure: CustomStringConvertible, LocalizedError {
  /// The expectation, the existing reports with their differences, and the explanations.
  public var description: String { text }

  /// The same as `description`.
  public var errorDescription: String? { description }
}
