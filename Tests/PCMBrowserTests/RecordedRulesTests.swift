import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore
import Testing

/// Explanations of decisions by the rules that made them.
@Suite struct RecordedRulesTests {
  /// The rules of a click as they might have been: one has another name today, one is gone, and others came later.
  private static let former = RuleList([
    RuleHeading(name: "measurement-is-enabled", inputs: ["measurementEnabled"]),
    RuleHeading(name: "page-is-not-in-a-frame", inputs: ["frame"]),
    RuleHeading(name: "user-clicked", inputs: ["userGesture", "measurementEnabled"]),
    RuleHeading(name: "moon-is-full", inputs: ["moon"]),
  ])
  private static let reason = Reason("no-user-gesture", "a script followed the link")

  private static func discarded(by rules: RuleList) -> any BrowserEvent {
    let inputs = [
      JSON.Member("measurementEnabled", .bool(true)), JSON.Member("frame", .string("top")),
      JSON.Member("userGesture", .bool(false)),
    ]
    let decision = RecordedDecision(rules: rules, inputs: inputs, failed: "user-clicked", change: "click")
    return ClickDiscarded(origin: .linkClick, destination: Site(Scene.destination), reasons: [reason], decision: decision)
  }

  /// Appends an event and returns the explanation of the click that it is about.
  private func explain(_ event: any BrowserEvent) async throws -> Explanation {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    let number = try await store.write(scene.browser.record.id) { try $0.append(event, at: Scene.start).sequence }
    return try await scene.browser.explain(RecordName.click(number))
  }

  @Test("A decision is explained by its own rules after one was renamed, others were added, and one was removed")
  func formerRules() async throws {
    let explanation = try await explain(Self.discarded(by: Self.former))
    let rules = try #require(explanation.steps.first?.rules)
    #expect(rules.map(\.rule) == Self.former.headings.map(\.name))
    #expect(rules.map(\.kind) == [.passed, .passed, .failed, .notReached])
    #expect(
      rules.map { $0.inputs?.text } == [
        #"{"measurementEnabled":true}"#, #"{"frame":"top"}"#, #"{"userGesture":false,"measurementEnabled":true}"#, nil,
      ])
    #expect(explanation.firstFailure?.verdict.rule == "user-clicked")
    #expect(explanation.firstFailure?.verdict.reason == Self.reason)
    #expect(explanation.firstFailure?.verdict.change == "click")
  }

  @Test("Every decision that a browser logs names its rules, and explanations find them")
  func currentRules() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    try await scene.click(3)
    try await scene.embeddedTap(4)
    try await scene.trigger("12")
    try await scene.trigger("99")
    try await scene.click(300)
    try await scene.trigger("12", on: "elsewhere.example")
    try await scene.advance(.days(3))
    let (events, lists) = try await store.read(scene.browser.record.id) { reader in
      let events = try reader.events(after: 0, limit: 1_000).filter { $0.detail.text.contains(#""decision":{"#) }
      let ids = events.map { $0.detail.text.split(separator: #""decision":{"rules":""#).dropFirst().first?.prefix(12) }
      return (events, try ids.map { id in try id.flatMap { try reader.ruleList(String($0)) } })
    }
    let kinds: Set<EventKind> = [
      .clickStored, .ephemeralClickStored, .clickDiscarded, .triggerRejected, .triggerUnmatched, .reportSent, .reportDelivered,
    ]
    #expect(kinds.isSubset(of: Set(events.map(\.kind))))
    for (event, list) in zip(events, lists) { #expect(list?.headings.isEmpty == false, "\(event.kind)") }
    #expect(Set(lists.compactMap(\.self)).isSuperset(of: [RuleBook.linkClick, RuleBook.triggeringEvent, RuleBook.sending]))
  }
}
