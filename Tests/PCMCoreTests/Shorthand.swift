import PCMCore
import PCMSites
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

extension AppTap {
  /// The decision alone.
  func decide(_ session: Session) -> ClickDecision {
    var trace = RuleTrace()
    return decide(session, &trace)
  }
}

extension LinkClick {
  /// The decision alone.
  func decide(_ session: Session) -> ClickDecision {
    var trace = RuleTrace()
    return decide(session, &trace)
  }
}

extension TriggerURL {
  /// The result alone.
  static func parse(_ url: WebURL, parse: (String) -> WebURL?) -> Result<TriggerURL, TriggerRejection> {
    var trace = RuleTrace()
    return self.parse(Reading(url, parse: parse), &trace)
  }
}

extension TriggeringEvent {
  /// Why the event is none, by the same-site rules alone.
  var rejection: TriggerRejection? {
    var trace = RuleTrace()
    return trace.firstObjection(of: Self.rules, to: self)
  }
}
