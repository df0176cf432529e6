import PCMCore
import Testing

@testable import PCMDevice

@Suite struct DeviceRuleBookTests {
  private static let ruleLists = [
    DeviceRuleBook.adNetwork, DeviceRuleBook.skAdNetworkAd, DeviceRuleBook.viewEnd, DeviceRuleBook.webAdClick,
    DeviceRuleBook.signedPayload, DeviceRuleBook.adAttributionKitAd, DeviceRuleBook.installWinner,
    DeviceRuleBook.installRunnerUp, DeviceRuleBook.reengagement,
    DeviceRuleBook.update, DeviceRuleBook.cardShown, DeviceRuleBook.cardImpression, DeviceRuleBook.cardClick,
    DeviceRuleBook.cardDismissal,
    DeviceRuleBook.trackingRequest, DeviceRuleBook.trackingAnswer, DeviceRuleBook.trackingSetting,
    DeviceRuleBook.sdkEvent, DeviceRuleBook.sdkRequest,
  ]

  @Test("A name occurs once in a list, with names for its inputs", arguments: ruleLists)
  func lists(list: RuleList) {
    #expect(Set(list.headings.map(\.name)).count == list.headings.count)
    #expect(list.headings.allSatisfy { !$0.inputs.isEmpty })
    #expect(RuleList(text: list.text) == list)
  }

  @Test("Each rule and each reason has sentences, an origin, and a reason", arguments: ruleLists + [DeviceRuleBook.reasons])
  func sentences(list: RuleList) {
    for title in list.headings.map(\.title) {
      #expect(title.text.hasSuffix(".") && title.text.contains(". "), "\(title.name)")
      #expect(title.name.utf8.allSatisfy { ($0 >= 97 && $0 <= 122) || ($0 >= 48 && $0 <= 57) || $0 == 45 }, "\(title.name)")
      #expect(title.origin != nil && !title.reasons.isEmpty, "\(title.name)")
    }
  }

  @Test("A rule has the same sentences in every decision")
  func sameSentences() {
    var texts: [String: Set<String>] = [:]
    for title in Self.ruleLists.flatMap({ $0.headings.map(\.title) }) { texts[title.name, default: []].insert(title.text) }
    #expect(texts.filter { $0.value.count > 1 }.isEmpty)
  }
}
