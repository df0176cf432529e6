import BrowserSupport
import PCMBrowser
import PCMCore
import PCMNetwork
import PCMStore
import Testing

/// Section G of the conformance cases: the times, contents, and outcomes of reports.
@Suite struct SendingTests {
  private func converted(
    settings: SettingsChange = SettingsChange(), store: any Store = MemoryStore(),
    transport: ScriptedTransport = ScriptedTransport()
  ) async throws -> Scene {
    let scene = try await Scene(settings: settings, store: store, transport: transport)
    try await scene.click(4)
    try await scene.trigger("12/03")
    return scene
  }

  @Test("case 85: nothing goes out before its time, and each report at exactly its own")
  func exactTimes() async throws {
    let scene = try await converted()
    let due = try await scene.reports().map(\.dueAt).sorted()
    try await scene.advance(Interval(milliseconds: (due[0] - Scene.start).milliseconds - 1))
    #expect(await scene.sent().isEmpty)
    #expect(try await scene.browser.advance(.toNextEvent).now == due[0])
    #expect(await scene.sent().count == 1)
    let last = try await scene.browser.advance(.untilIdle())
    #expect(last.now == due[1])
    for move in [ClockAdvance.untilIdle(), .toNextEvent] {
      let idle = try await scene.browser.advance(move)
      #expect(idle.isFinished && idle.isIdle)
      #expect(idle.now == due[1])
      #expect(idle.events.isEmpty && idle.eventCount == 0)
    }
  }

  @Test(
    "a report that was under way when the process stopped is lost under webkit, and sent again under reliable",
    arguments: [
      (DeliveryPolicy.webkit, Report.State.failed, 1), (.reliable, .delivered, 2),
    ])
  func interrupted(_ policy: DeliveryPolicy, _ state: Report.State, _ sent: Int) async throws {
    let store = MemoryStore()
    let scene = try await converted(settings: SettingsChange(deliveryPolicy: policy), store: store)
    let first = try #require(try await scene.reports().min { $0.dueAt < $1.dueAt })
    try await scene.advance(Interval(milliseconds: (first.dueAt - Scene.start).milliseconds))
    // As a kill leaves it: the attempt is written, its result is not.
    try await store.write(scene.browser.record.id) { writer in
      let ended = try #require(try writer.row(Report.self, first.id))
      try writer.save(
        Report(
          id: ended.id, attribution: ended.attribution, session: ended.session, key: ended.key, recipient: ended.recipient,
          url: ended.url, body: ended.body, dueAt: ended.dueAt, state: .sending))
    }
    let again = try await Scene(restarting: store)
    try await again.advance(.days(3))
    let report = try #require(try await again.reports().first { $0.id == first.id })
    #expect(report.state == state)
    #expect(report.attempts.count == sent)
    #expect(report.attempts[0].text.contains("interrupted"))
    #expect(await again.sent().count == sent)
  }

  @Test("the policy at the end of an attempt decides about it, and a retry that is scheduled stays scheduled")
  func policyChanges() async throws {
    let transport = ScriptedTransport { _, _ in Exchange(httpStatus: 503) }
    let scene = try await converted(settings: SettingsChange(deliveryPolicy: .reliable), transport: transport)
    _ = try await scene.browser.advance(.toNextEvent)
    let waiting = try #require(try await scene.reports(.scheduled).first { $0.retryAt != nil })
    try await scene.browser.change(SettingsChange(deliveryPolicy: .webkit))
    #expect(try await scene.browser.report(named: RecordName.report(waiting.id)) == waiting)
    try await scene.advance(.minutes(2))
    let ended = try await scene.browser.report(named: RecordName.report(waiting.id))
    #expect(ended.state == .failed && ended.attempts.count == 2)
  }
}
