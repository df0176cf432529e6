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
    let codes = Set(ReasonSamples.all.map(\.reason.code))
    #expect(codes.symmetricDifference(DeviceCatalog.reasons.map(\.id)).sorted() == [])
    #expect(Set(DeviceCatalog.reasons.map(\.id)).count == DeviceCatalog.reasons.count)
  }

  @Test("Each case with a reason has a sample")
  func samples() throws {
    let declared = try DeclaredCases.withReason()
    #expect(declared.count > 90)
    #expect(declared.symmetricDifference(ReasonSamples.all.map(DeclaredCases.name)).sorted() == [])
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

  @Test(
    "A reason and a change are parts of a sentence: they begin in lower case or with a name, and have no period",
    arguments: ReasonSamples.all.indices)
  func details(index: Int) {
    let sample = ReasonSamples.all[index]
    for text in [sample.reason.detail, (sample.value as? any RuleViolation)?.change].compactMap({ $0 }) {
      let word = text.prefix(while: \.isLetter)
      let isName = word.dropFirst().contains(where: \.isUppercase)
      #expect(!text.isEmpty && !text.hasSuffix("."), "\(text)")
      #expect(word.first?.isUppercase != true || isName, "\(text)")
    }
  }
}
