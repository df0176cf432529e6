import HTTPSupport
import HTTPTypes
import PCMBrowser
import PCMCore
import PCMEndpoint
import PCMManifest
import PCMRules
import Testing

/// The catalog of rules, and its displays.
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
        #expect(reason.code?.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil || rule.title.reasons.count == 1, "\(rule.name)")
      }
    }
    #expect(Set(RuleCatalog.topics.map(\.title)).count == RuleCatalog.topics.count)
  }

  @Test("A rule has the same text in every decision of one framework")
  func repeatedRules() {
    let texts = Dictionary(grouping: RuleCatalog.decisions.flatMap(\.rules), by: \.name).mapValues { Set($0.map(\.title.text)) }
    // One name in both worlds: a tap on a link of an app, and a tap on an ad.
    let twice = ["app-runs-on-iphone-or-ipad", "tap-is-verified"]
    #expect(texts.filter { $0.value.count > 1 }.keys.sorted() == twice)
  }

  @Test("The rules of the decisions are those in the sources")
  func sources() throws {
    // The code of one title is a constant.
    let names = try RuleNames.inSources().union(["app-store-link-malformed"])
    #expect(Set(RuleCatalog.decisions.flatMap { $0.rules.map(\.name) }) == names)
  }

  @Test("Each finding and each rule of a check is in the catalog")
  func tools() {
    let names = Set(Self.rules.map(\.name))
    #expect(names.isSuperset(of: ManifestFinding.Code.allCases.map(\.rawValue)))
    for kind in CheckKind.allCases { #expect(names.isSuperset(of: CheckCatalog.rules(of: kind).map(\.id))) }
  }

  @Test("Each reason that only a simulation has is in the catalog")
  func losses() {
    for code in SimulatedLoss.Code.allCases {
      #expect(RuleCatalog.topics(named: code.rawValue).flatMap(\.rules).map(\.name) == [code.rawValue])
    }
  }

  @Test("Each rule and each reason is the target of one link of the page")
  func anchors() async throws {
    let names = Set(Self.rules.flatMap { [$0.name] + $0.title.reasons.compactMap(\.code) })
    try await API.test { api in
      let page = try await api.call(.get, "/rules").text
      let targets = page.matches(of: /<(?:details class="rule"|p) id="([^"]*)"/).map { String($0.1) }
      #expect(targets.sorted() == names.sorted())
    }
  }

  @Test("The API returns all rules, rules by name, and rules by the code of a reason")
  func route() async throws {
    let wanted = [
      "": Self.rules.map(\.name), "?name=user-gesture": ["user-gesture"],
      "?name=attribute-missing": ["web-ad-is-complete", "both-attributes"], "?name=unknown": [],
    ]
    try await API.test { api in
      for (query, names) in wanted {
        let answer = try await api.call(.get, "/v1/rules\(query)")
        let rules = JSON(parsing: Array(answer.text.utf8))?["rules"]?.items.map { $0["rule"]?.string }
        #expect(rules == names, "\(query)")
      }
    }
  }

  @Test("A violation without a change has the change of its rule")
  func change() {
    let violation = MeasurementSettings.rules.first?.violation(MeasurementSettings(measurementEnabled: false))
    #expect(violation?.change == "set measurementEnabled to true in the browser's settings")
  }
}
