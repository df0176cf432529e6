import PCMCore
import Testing

/// Section D of the conformance cases as the decision table of section 5.2.
@Suite struct AttributionRuleTests {
  private static let now = Instant(milliseconds: 1_800_000_000_000)
  private static let key = ClickKey(source: Site("s"), destination: Site("d"), bundleIdentifier: "b")
  private static let miss = Violation.otherApp(wanted: "b", clicked: "c")

  private func click(_ id: Int64) -> KeptClick {
    KeptClick(id: id, click: Click(key: Self.key, sourceID: UInt8(id), clickedAt: Self.now))
  }

  private func attribution(priority: UInt8, source: Bool = true, destination: Bool = true) -> Attribution {
    Attribution(
      id: 90, click: click(3), trigger: Trigger(data: 12, priority: priority), attributedAt: Self.now,
      source: source ? .init(report: 91, dueAt: Self.now + .hours(24)) : nil,
      destination: destination ? .init(report: 92, dueAt: Self.now + .hours(25)) : nil)
  }

  private func decide(click: KeptClick?, attribution: Attribution?, priority: UInt8) -> AttributionRule.Decision {
    var evaluation = RuleEvaluation()
    let situation = AttributionRule.Situation(
      click: click, attribution: attribution, trigger: Trigger(data: 7, priority: priority), nearestMiss: Self.miss)
    return AttributionRule.decide(situation, &evaluation)
  }

  /// The code of the reason to ignore the event; nil when it is not ignored.
  private func reason(click: KeptClick?, attribution: Attribution?, priority: UInt8) -> String? {
    guard case .ignore(let violation) = decide(click: click, attribution: attribution, priority: priority) else { return nil }
    return violation.reason.code
  }

  @Test("Row 1, case 35: Without a click and an attribution, the event is ignored")
  func noClickAndNoAttribution() {
    #expect(decide(click: nil, attribution: nil, priority: 1) == .ignore(Self.miss))
  }

  @Test("Row 2: A click without an attribution is attributed")
  func noAttribution() {
    #expect(decide(click: click(4), attribution: nil, priority: 0) == .attribute(click(4), replaces: nil))
  }

  @Test(
    "Row 3, cases 64 and 71: A click with a higher priority replaces the attribution, even after one report was sent",
    arguments: [true, false])
  func clickWithHigherPriority(_ sourcePending: Bool) {
    let kept = attribution(priority: 3, source: sourcePending)
    #expect(decide(click: click(4), attribution: kept, priority: 4) == .attribute(click(4), replaces: kept))
  }

  @Test("Row 4, cases 65 and 68: A click without a higher priority is consumed", arguments: [2, 3] as [UInt8])
  func clickWithoutHigherPriority(_ priority: UInt8) {
    let kept = attribution(priority: 3)
    guard case .consume(click(4), keeps: kept, let violation) = decide(click: click(4), attribution: kept, priority: priority)
    else {
      Issue.record("not consumed")
      return
    }
    #expect(violation.reason.code == "lower-or-equal-priority" && violation.change == "give the trigger a priority above 3")
  }

  @Test("Row 5, case 66: A trigger with a higher priority updates the attribution")
  func triggerWithHigherPriority() {
    let kept = attribution(priority: 3)
    #expect(decide(click: nil, attribution: kept, priority: 4) == .retrigger(kept))
  }

  @Test("Row 6, cases 67 and 68: A trigger without a higher priority is ignored", arguments: [2, 3] as [UInt8])
  func triggerWithoutHigherPriority(_ priority: UInt8) {
    let kept = attribution(priority: 3)
    #expect(reason(click: nil, attribution: kept, priority: priority) == "lower-or-equal-priority")
  }

  @Test("Row 7, case 70: After one report was sent, a trigger without a click is ignored", arguments: [true, false])
  func oneReportSent(_ sourcePending: Bool) {
    let kept = attribution(priority: 1, source: sourcePending, destination: !sourcePending)
    #expect(reason(click: nil, attribution: kept, priority: 63) == "already-reported")
  }

  @Test("Case 73: A click expires when it is more than seven days old")
  func expiryBoundary() {
    let click = click(1).click
    #expect(!click.isExpired(at: Self.now + .days(7)))
    #expect(click.isExpired(at: Self.now + .days(7) + Interval(milliseconds: 1)))
  }

  @Test("Case 90: At equal times, the destination's report is sent first")
  func equalTimes() {
    let equal = Attribution(
      id: 1, click: click(1), trigger: Trigger(data: 0, priority: 0), attributedAt: Self.now,
      source: .init(report: 2, dueAt: Self.now), destination: .init(report: 3, dueAt: Self.now))
    #expect(equal.next?.recipient == .destination)
  }
}
