import PCMCore
import Testing

/// How the log refers to the rules of a decision.
@Suite struct RuleListTests {
  private static let lists = [
    RuleBook.eventAttribution, RuleBook.linkClick, RuleBook.triggeringEvent, RuleBook.sending, RuleList([]),
    RuleList([RuleHeading(name: "sees-nothing", inputs: [])]),
  ]

  @Test("A list is read back as it was written", arguments: lists)
  func roundTrip(_ list: RuleList) {
    #expect(RuleList(text: list.text) == list)
    #expect(list.id.utf8.count == 12)
  }

  @Test("An identifier depends on the names, the order, and what the rules look at, and on nothing else")
  func identifiers() {
    let lists = [
      [RuleHeading(name: "a", inputs: ["x"]), RuleHeading(name: "b", inputs: [])],
      [RuleHeading(name: "b", inputs: []), RuleHeading(name: "a", inputs: ["x"])],
      [RuleHeading(name: "a", inputs: ["x", "b"])], [RuleHeading(name: "a", inputs: ["b", "x"])],
      [RuleHeading(name: "a", inputs: []), RuleHeading(name: "x", inputs: ["b"])],
    ].map(RuleList.init(_:))
    #expect(Set(lists.map(\.id)).count == lists.count)
    // Logs keep it, so it must not change from one version to the next.
    #expect(lists.first?.id == "2815d508f15e")
  }

  @Test("A decision names the rules of its evaluation")
  func decision() {
    let rules = RuleBook.linkClick
    #expect(RecordedDecision(RuleEvaluation(of: rules)).rules?.id == rules.id)
    #expect(RecordedDecision(RuleEvaluation()).rules == nil)
  }
}
