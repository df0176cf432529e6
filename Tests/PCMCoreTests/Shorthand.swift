import PCMCore
import PCMURL
import Testing

/// Parses the URLs that the tables of these tests give as text.
let sites = SiteParser(publicSuffixList: .builtIn())

func url(_ text: String) throws -> WebURL { try sites.url(text) }

func parse(_ text: String) -> WebURL? { try? sites.url(text) }

/// A conformance case: its number in the reference's list, so that a failure names it.
struct Case<Given: Sendable, Then: Sendable>: Sendable, CustomTestStringConvertible {
  let number: String
  let given: Given
  let then: Then

  init(_ number: String, _ given: Given, _ then: Then) {
    self.number = number
    self.given = given
    self.then = then
  }

  var testDescription: String { "case \(number): \(given)" }
}

extension Instant {
  /// The time of the clicks in these tests.
  static let clicked = Instant(milliseconds: 1_800_000_000_000)
}

extension AppTap {
  /// The decision alone.
  func decide(_ settings: MeasurementSettings) -> ClickDecision {
    var evaluation = RuleEvaluation()
    return decide(settings, at: .clicked, &evaluation)
  }
}

extension LinkClick {
  /// The decision alone.
  func decide(_ settings: MeasurementSettings) -> ClickDecision {
    var evaluation = RuleEvaluation()
    return decide(settings, at: .clicked, &evaluation)
  }
}

extension TriggerURL {
  /// The result alone.
  static func parse(_ url: WebURL, parse: (String) -> WebURL?) -> Result<TriggerURL, Violation> {
    var evaluation = RuleEvaluation()
    return self.parse(Reading(url, parse: parse), &evaluation)
  }
}

extension TriggeringEvent {
  /// Why the event is none, by the same-site rules alone.
  var rejection: Violation? {
    var evaluation = RuleEvaluation()
    return evaluation.firstViolation(of: Self.rules, to: self)
  }
}
