import PCMCore
import Testing

/// Sections 5.3 and 6 of the reference; section G of the conformance cases.
@Suite struct SendRoundTests {
  private static let now = Instant(milliseconds: 1_800_000_000_000)
  private static let draws = SendRound.Draws(afterSending: 0, betweenReports: 0.9999)

  private func attribution(_ id: Int64, source: Interval?, destination: Interval?) -> Attribution {
    let key = ClickKey(source: Site("s\(id)"), destination: Site("d"), bundleIdentifier: "b")
    return Attribution(
      id: id, click: KeptClick(id: id, click: Click(key: key, sourceID: 1, clickedAt: Self.now)),
      trigger: Trigger(data: 1, priority: 1), attributedAt: Self.now - .days(2),
      source: source.map { .init(report: id * 10, dueAt: Self.now + $0) },
      destination: destination.map { .init(report: id * 10 + 1, dueAt: Self.now + $0) })
  }

  private func decide(_ first: Attribution?, _ second: Attribution? = nil, debug: Bool = false) -> SendRound {
    var trace = RuleTrace()
    return SendRound.decide(
      first: first, second: second, at: Self.now, debugMode: debug, draws: Self.draws, trace: &trace)
  }

  @Test func anEmptyTableSendsNothingAndWaitsForNothing() {
    #expect(decide(nil) == SendRound(send: nil, timer: nil))
  }

  @Test func nothingDueWaitsForTheEarliest() {
    let round = decide(attribution(1, source: .hours(3), destination: .hours(2)))
    #expect(round == SendRound(send: nil, timer: Self.now + .hours(2)))
  }

  @Test func aDueHalfGoesOutAndTheOtherIsWaitedFor() {
    let round = decide(attribution(1, source: .hours(0), destination: .hours(5)))
    #expect(round.send?.recipient == .source)
    #expect(round.send?.report == 10)
    #expect(round.timer == Self.now + .hours(5))
  }

  @Test func theNextAttributionMayComeBeforeTheOtherHalf() {
    let round = decide(
      attribution(1, source: .hours(0), destination: .hours(5)), attribution(2, source: .hours(1), destination: .hours(9)))
    #expect(round.timer == Self.now + .hours(1))
  }

  @Test("case 89: a second overdue report waits 15 to 30 minutes")
  func overdueReportsAreSpaced() {
    let overdue = attribution(1, source: .hours(-5), destination: .hours(-4))
    #expect(decide(overdue).timer == Self.now + .seconds(900))
    #expect(decide(overdue, attribution(2, source: .hours(-1), destination: nil)).timer == Self.now + .seconds(900 + 899))
  }

  @Test("section 6: after the last half comes one wake-up for nothing")
  func theLastHalfLeavesAWakeUp() {
    let round = decide(attribution(1, source: .hours(0), destination: nil))
    #expect(round.timer == Self.now + .seconds(900))
  }

  @Test("case 93: in debug mode everything is due, ten seconds apart")
  func debugMode() {
    let round = decide(attribution(1, source: .hours(30), destination: .hours(40)), debug: true)
    #expect(round.send?.recipient == .source)
    #expect(round.timer == Self.now + .seconds(10))
  }

  @Test func aRunningTimerThatFiresEarlierIsLeftAlone() {
    let times = SendTimes(source: Self.now + .hours(30), destination: Self.now + .hours(26))
    func timer(_ running: Instant?, debug: Bool = false) -> Instant {
      SendTimer.afterAttribution(times, timer: running, at: Self.now, debugMode: debug)
    }
    #expect(timer(nil) == Self.now + .hours(26))
    #expect(timer(Self.now + .hours(20)) == Self.now + .hours(20))
    #expect(timer(Self.now + .hours(26)) == Self.now + .hours(26))
    #expect(timer(Self.now + .hours(40)) == Self.now + .hours(26))
    #expect(timer(Self.now - .hours(1)) == Self.now + .hours(26))
    #expect(timer(nil, debug: true) == Self.now + .seconds(10))
    #expect(timer(Self.now + .hours(40), debug: true) == Self.now + .seconds(10))
  }

  @Test(arguments: [(0.0, 900), (0.5, 1_350), (0.9999999, 1_799)] as [(Double, Int64)])
  func aGapIsWholeSecondsFrom900To1799(_ draw: Double, _ seconds: Int64) {
    #expect(SendTimer.gap(draw, debugMode: false) == .seconds(seconds))
  }

  @Test("case 85: a delay is at least 24 and less than 48 hours", arguments: [0.0, 0.25, 0.5, 1.0.nextDown])
  func delays(_ draw: Double) {
    let times = SendTimes(after: Self.now, draws: .init(source: draw, destination: 0))
    #expect(times.source - Self.now >= .hours(24))
    #expect(times.source - Self.now < .hours(48))
    #expect(times.destination == Self.now + .hours(24))
  }
}
