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
