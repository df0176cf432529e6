import PCMCore
import Testing

@testable import PCMHTTP

/// The catalog of rules, and what shows it.
@Suite struct RuleCatalogTests {
  private static let rules = RuleCatalog.topics.flatMap(\.rules)

  @Test("Each rule has a name in kebab case, sentences, an origin with a source, and reasons with a change")
  func rulesAreComplete() throws {
    for rule in Self.rules {
      #expect(rule.name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(rule.name)")
      #expect(rule.title.text.hasSuffix("."), "\(rule.name)")
      #expect(rule.title.origin?.source.isEmpty == false, "\(rule.name)")
      #expect(!rule.title.reasons.isEmpty, "\(rule.name)")
      for reason in rule.title.reasons {
        #expect(!reason.change.isEmpty && reason.change.last != ".", "\(rule.name)")
        #expect(reason.code?.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(rule.name)")
      }
    }
    #expect(Set(RuleCatalog.topics.map(\.title)).count == RuleCatalog.topics.count)
  }

  @Test("A rule has the same text in every topic of one framework")
  func repeatedRules() {
    let texts = Dictionary(grouping: Self.rules, by: \.name).mapValues { Set($0.map(\.title.text)) }
    // One name in both worlds: a tap on a link of an app, and a tap on an ad.
    let twice = ["app-runs-on-iphone-or-ipad", "tap-is-verified"]
    #expect(texts.filter { $0.value.count > 1 }.keys.sorted() == twice)
  }

  @Test("Each rule and each reason is the target of one link of the page")
  func anchors() async throws {
    let names = Set(Self.rules.flatMap { [$0.name] + $0.title.reasons.compactMap(\.code) })
    try await API.test { api in
      let page = try await api.call(.get, "/rules").text
      let targets = page.matches(of: /<(?:dt|p) id="([^"]*)"/).map { String($0.1) }
      #expect(targets.sorted() == names.sorted())
    }
  }

  @Test("The API returns all rules, those with a name, and those with the code of a reason")
  func route() async throws {
    try await API.test { api in
      func names(_ query: String) async throws -> [String?] {
        let answer = try await api.call(.get, "/v1/rules\(query)")
        #expect(answer.status == 200)
        let rules = try #require(JSON(parsing: Array(answer.text.utf8))?["rules"]?.items)
        return rules.map { $0["rule"]?.string }
      }
      #expect(try await names("") == Self.rules.map(\.name))
      #expect(try await names("?name=user-gesture") == ["user-gesture"])
      #expect(try await names("?name=attribute-missing") == ["web-ad-is-complete", "both-attributes"])
      #expect(try await names("?name=unknown") == [])
    }
  }

  @Test("A violation without a change has the change of its rule")
  func change() {
    let violation = MeasurementSettings.rules.first?.violation(MeasurementSettings(measurementEnabled: false))
    #expect(violation?.change == "set measurementEnabled to true in the browser's settings")
  }
}
