import Testing

@testable import PCMCore

/// Sections 5.3 and 6 of the reference; section G of the conformance cases.
@Suite struct ReportTimerTests {
  private static let now = Instant(milliseconds: 1_800_000_000_000)
  private static let draws = (afterSending: 0.0, betweenReports: 0.9999)

  private func attribution(_ id: Int64, source: Interval?, destination: Interval?) -> Attribution {
    let key = ClickKey(source: Site("s\(id)"), destination: Site("d"), bundleIdentifier: "b")
    return Attribution(
      id: id, click: KeptClick(id: id, click: Click(key: key, sourceID: 1, clickedAt: Self.now)),
      trigger: Trigger(data: 1, priority: 1), attributedAt: Self.now - .days(2),
      source: source.map { .init(report: id * 10, dueAt: Self.now + $0) },
      destination: destination.map { .init(report: id * 10 + 1, dueAt: Self.now + $0) })
  }

  /// Fires a timer. Returns the report to send and the next instant.
  private func fire(
    _ first: Attribution?, _ second: Attribution? = nil, debug: Bool = false
  ) -> (half: ReportTimer.DueHalf?, firesAt: Instant?) {
    var (timer, evaluation) = (ReportTimer(firesAt: Self.now), RuleEvaluation())
    let half = timer.fire(
      first: first, second: second, at: Self.now, debugMode: debug, draws: Self.draws, evaluation: &evaluation)
    return (half, timer.firesAt)
  }

  @Test func withoutAttributionsTheTimerStops() {
    let fired = fire(nil)
    #expect(fired.half == nil && fired.firesAt == nil)
  }

  @Test func withoutADueReportTheTimerWaitsForTheEarliest() {
    let fired = fire(attribution(1, source: .hours(3), destination: .hours(2)))
    #expect(fired.half == nil && fired.firesAt == Self.now + .hours(2))
  }

  @Test func afterSendingTheTimerWaitsForTheOtherReport() {
    let fired = fire(attribution(1, source: .hours(0), destination: .hours(5)))
    #expect(fired.half?.recipient == .source)
    #expect(fired.half?.report == 10)
    #expect(fired.firesAt == Self.now + .hours(5))
  }

  @Test func theTimerWaitsForAnEarlierReportOfTheNextAttribution() {
    let fired = fire(
      attribution(1, source: .hours(0), destination: .hours(5)), attribution(2, source: .hours(1), destination: .hours(9)))
    #expect(fired.firesAt == Self.now + .hours(1))
  }

  @Test("Case 89: Overdue reports are sent 15 to 30 minutes apart")
  func overdueReportsAreSpaced() {
    let overdue = attribution(1, source: .hours(-5), destination: .hours(-4))
    #expect(fire(overdue).firesAt == Self.now + .seconds(900))
    let second = attribution(2, source: .hours(-1), destination: nil)
    #expect(fire(overdue, second).firesAt == Self.now + .seconds(900 + 899))
  }

  @Test("Section 6: After the last report, the timer fires once more")
  func theTimerFiresAfterTheLastReport() {
    #expect(fire(attribution(1, source: .hours(0), destination: nil)).firesAt == Self.now + .seconds(900))
  }

  @Test("Case 93: In debug mode, every report is due, and reports are sent ten seconds apart")
  func debugMode() {
    let fired = fire(attribution(1, source: .hours(30), destination: .hours(40)), debug: true)
    #expect(fired.half?.recipient == .source)
    #expect(fired.firesAt == Self.now + .seconds(10))
  }

  @Test func anAttributionNeverDelaysARunningTimer() {
    let times = SendTimes(source: Self.now + .hours(30), destination: Self.now + .hours(26))
    func timer(_ running: Instant?, debug: Bool = false) -> Instant? {
      var timer = ReportTimer(firesAt: running)
      timer.attribute(times, at: Self.now, debugMode: debug)
      return timer.firesAt
    }
    #expect(timer(nil) == Self.now + .hours(26))
    #expect(timer(Self.now + .hours(20)) == Self.now + .hours(20))
    #expect(timer(Self.now + .hours(26)) == Self.now + .hours(26))
    #expect(timer(Self.now + .hours(40)) == Self.now + .hours(26))
    #expect(timer(Self.now - .hours(1)) == Self.now - .hours(1), "it has not fired yet")
    #expect(timer(nil, debug: true) == Self.now + .seconds(10))
    #expect(timer(Self.now + .hours(20), debug: true) == Self.now + .hours(20))
    #expect(timer(Self.now - .hours(1), debug: true) == Self.now - .hours(1))
    #expect(timer(Self.now + .hours(40), debug: true) == Self.now + .seconds(10))
  }

  @Test("A running timer fires at its instant or later")
  func firing() {
    func isFiring(_ firesAt: Instant?) -> Bool {
      var evaluation = RuleEvaluation()
      return ReportTimer(firesAt: firesAt).isFiring(at: Self.now, evaluation: &evaluation)
    }
    #expect(isFiring(Self.now) && isFiring(Self.now - .days(1)))
    #expect(!isFiring(Self.now + Interval(milliseconds: 1)) && !isFiring(nil))
  }

  @Test("A started timer fires after five seconds, and a stopped timer does not fire")
  func startAndStop() {
    var timer = ReportTimer()
    timer.start(at: Self.now)
    #expect(timer.firesAt == Self.now + .seconds(5))
    timer.stop()
    #expect(timer.firesAt == nil)
  }

  @Test(
    "Only enabling measurement restarts the timer, and only when it is overdue",
    arguments: [
      (false, true, -1, 5_000), (false, true, 0, 0), (false, true, 1, 1), (true, true, -1, -1), (true, false, -1, -1),
      (false, false, -1, -1),
    ] as [(Bool, Bool, Int64, Int64)])
  func switchedOn(_ before: Bool, _ after: Bool, _ firesIn: Int64, _ expected: Int64) {
    var timer = ReportTimer(firesAt: Self.now + Interval(milliseconds: firesIn))
    timer.change(
      from: MeasurementSettings(measurementEnabled: before), to: MeasurementSettings(measurementEnabled: after), at: Self.now)
    #expect(timer.firesAt == Self.now + Interval(milliseconds: expected))
    var stopped = ReportTimer()
    stopped.change(
      from: MeasurementSettings(measurementEnabled: before), to: MeasurementSettings(measurementEnabled: after), at: Self.now)
    #expect(stopped.firesAt == nil)
  }

  @Test(arguments: [(0.0, 900), (0.5, 1_350), (0.9999999, 1_799)] as [(Double, Int64)])
  func aGapIs900To1799WholeSeconds(_ draw: Double, _ seconds: Int64) {
    #expect(ReportTimer.gap(draw, debugMode: false) == .seconds(seconds))
  }

  @Test("Case 85: A delay is at least 24 and less than 48 hours", arguments: [0.0, 0.25, 0.5, 1.0.nextDown])
  func delays(_ draw: Double) {
    let times = SendTimes(after: Self.now, draws: (source: draw, destination: 0))
    #expect(times.source - Self.now >= .hours(24))
    #expect(times.source - Self.now < .hours(48))
    #expect(times.destination == Self.now + .hours(24))
  }
}
