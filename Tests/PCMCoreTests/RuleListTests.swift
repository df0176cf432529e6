import PCMCore
import Testing

/// The rule lists to which logged decisions refer.
@Suite struct RuleListTests {
  private static let lists = [
    RuleBook.eventAttribution, RuleBook.linkClick, RuleBook.triggeringEvent, RuleBook.sending, RuleList([]),
    RuleList([RuleHeading(name: "without-inputs", inputs: [])]),
  ]

  @Test("Reading the text of a list returns the list", arguments: lists)
  func roundTrip(_ list: RuleList) {
    #expect(RuleList(text: list.text) == list)
    #expect(list.id.utf8.count == 12)
  }

  @Test("An identifier depends only on the names, the inputs, and their order")
  func identifiers() {
    let lists = [
      [RuleHeading(name: "a", inputs: ["x"]), RuleHeading(name: "b", inputs: [])],
      [RuleHeading(name: "b", inputs: []), RuleHeading(name: "a", inputs: ["x"])],
      [RuleHeading(name: "a", inputs: ["x", "b"])], [RuleHeading(name: "a", inputs: ["b", "x"])],
      [RuleHeading(name: "a", inputs: []), RuleHeading(name: "x", inputs: ["b"])],
    ].map(RuleList.init(_:))
    #expect(Set(lists.map(\.id)).count == lists.count)
    // Logs contain identifiers, so they must not change between versions.
    #expect(lists.first?.id == "2815d508f15e")
  }

  @Test("A recorded decision refers to the rules of its evaluation")
  func decision() {
    let rules = RuleBook.linkClick
    #expect(RecordedDecision(RuleEvaluation(of: rules)).rules?.id == rules.id)
    #expect(RecordedDecision(RuleEvaluation()).rules == nil)
  }
}
