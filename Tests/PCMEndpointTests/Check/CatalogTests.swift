import PCMCore
import Testing

@testable import PCMEndpoint

@Suite("The catalog of rules")
struct CatalogTests {
  @Test("Each rule has a unique ID in kebab case, a title, and a remedy", arguments: CheckKind.allCases)
  func headings(_ kind: CheckKind) {
    let rules = CheckCatalog.rules(of: kind)
    #expect(Set(rules.map(\.id)).count == rules.count)
    for rule in rules {
      #expect(
        rule.id.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (48...57).contains($0) || (97...122).contains($0) }, "\(rule.id)")
      #expect(!rule.id.hasPrefix("-") && !rule.id.hasSuffix("-") && !rule.id.contains("--"), "\(rule.id)")
      #expect(!rule.title.isEmpty && !rule.title.hasSuffix("."), "\(rule.title)")
      #expect(rule.fix.hasSuffix(".") && rule.fix.first?.isUppercase == true, "\(rule.fix)")
    }
    #expect(Set(rules.map(\.title)).count == rules.count)
  }

  @Test("A rule depends only on earlier rules", arguments: CheckKind.allCases)
  func grounds(_ kind: CheckKind) {
    var known: Set<String> = []
    for criterion in CheckCatalog.criteria(of: kind) {
      #expect(criterion.grounds.allSatisfy(known.contains), "\(criterion.id)")
      known.insert(criterion.id)
    }
  }

  @Test("A rule's probes are sent before the probes of rules that depend on it", arguments: CheckKind.allCases)
  func order(_ kind: CheckKind) throws {
    let steps = Probe.steps
    let criteria = CheckCatalog.criteria(of: kind)
    for criterion in criteria {
      let mine = criterion.probes.compactMap { probe in steps.firstIndex { $0.contains(probe) } }
      #expect(mine.count == criterion.probes.count, "\(criterion.id)")
      for id in criterion.grounds {
        let ground = try #require(criteria.first { $0.id == id })
        let first = ground.probes.compactMap { probe in steps.firstIndex { $0.contains(probe) } }.min() ?? 0
        #expect(first <= mine.max() ?? 0, "\(criterion.id) on \(id)")
      }
    }
    #expect(Set(steps.joined()) == Set(Probe.allCases))
    #expect(steps.joined().count == Probe.allCases.count)
  }

  @Test("IDs and their prefixes select rules and the rules that they depend on")
  func selection() {
    #expect(CheckCatalog.wanted([]).count == CheckCatalog.rules(of: .report).count)
    #expect(CheckCatalog.wanted(["key-is-served"]).map(\.id) == ["key-is-served"])
    #expect(CheckCatalog.wanted(["endpoint-", "get-"]).map(\.id).count == 5)
    #expect(CheckCatalog.unknown(in: ["key-", "keys", "get-is-refused"]) == ["keys"])
    let needed = CheckCatalog.needed(["key-is-served"]).map(\.id)
    #expect(needed.contains("host-name-resolves") && needed.last == "key-is-served")
    #expect(!needed.contains("report-status-is-2xx"))
  }
}
