import PCMCore
import PCMDevice
import PCMSignatures
import Testing

@Suite struct DeviceCatalogTests {
  private static let ruleLists = [
    DeviceRuleBook.adNetwork, DeviceRuleBook.skAdNetworkAd, DeviceRuleBook.viewEnd, DeviceRuleBook.webAdClick,
    DeviceRuleBook.signedPayload, DeviceRuleBook.adAttributionKitAd, DeviceRuleBook.installWinner,
    DeviceRuleBook.installRunnerUp, DeviceRuleBook.reengagement,
    DeviceRuleBook.update,
  ]

  @Test("The catalog has each rule once, and no other")
  func rules() {
    let names = Set(Self.ruleLists.flatMap { $0.headings.map(\.name) })
    #expect(names.symmetricDifference(DeviceCatalog.rules.map(\.id)).sorted() == [])
    #expect(Set(DeviceCatalog.rules.map(\.id)).count == DeviceCatalog.rules.count)
  }

  @Test("The catalog has each reason once, and no other")
  func reasons() {
    let codes = Set(ReasonSamples.all.map(\.code))
    #expect(codes.symmetricDifference(DeviceCatalog.reasons.map(\.id)).sorted() == [])
    #expect(Set(DeviceCatalog.reasons.map(\.id)).count == DeviceCatalog.reasons.count)
  }

  @Test("A name occurs once in a list, with names for its inputs", arguments: ruleLists)
  func lists(list: RuleList) {
    #expect(Set(list.headings.map(\.name)).count == list.headings.count)
    #expect(list.headings.allSatisfy { !$0.inputs.isEmpty })
    #expect(RuleList(text: list.text) == list)
  }

  @Test("Titles have no period, texts have one", arguments: DeviceCatalog.rules + DeviceCatalog.reasons)
  func sentences(entry: CatalogEntry) {
    #expect(!entry.title.hasSuffix("."))
    #expect(entry.text.hasSuffix("."))
    #expect(entry.id.utf8.allSatisfy { ($0 >= 97 && $0 <= 122) || ($0 >= 48 && $0 <= 57) || $0 == 45 }, "\(entry.id)")
    #expect(entry.section.text.contains(", section "))
  }

  @Test("A reason's sentence begins in lower case, and a violation has a change", arguments: ReasonSamples.violations.indices)
  func violations(index: Int) {
    let violation = ReasonSamples.violations[index]
    #expect(!violation.change.isEmpty && !violation.change.hasSuffix("."), "\(violation.change)")
    #expect(!violation.reason.detail.isEmpty)
  }
}
