import BrowserSupport
import PCMBrowser
import PCMCore
import PCMNetwork
import PCMStore
import Testing

/// Section G of the conformance cases: the times, contents, and outcomes of reports.
@Suite struct SendingTests {
  private static let body =
    #"{"source_engagement_type":"click","source_site":"news.example","source_id":4,"attributed_on_site":"shop.example","trigger_data":12,"version":3}"#

  private func converted(
    settings: SettingsChange = SettingsChange(), seed: String = "seed", store: any Store = MemoryStore(),
    transport: ScriptedTransport = ScriptedTransport()
  ) async throws -> Scene {
    let scene = try await Scene(settings: settings, seed: seed, store: store, transport: transport)
    try await scene.click(4)
    try await scene.trigger("12/03")
    return scene
  }

  @Test("cases 87 and 92: both endpoints get the same bytes, with the headers of a browser and no others")
  func bothEndpoints() async throws {
    let scene = try await converted()
    let advanced = try await scene.advance(.hours(48))
    let requests = await scene.transport.requests
    #expect(Set(requests.map(\.url)) == [ReportBody.url(at: Site("news.example")), ReportBody.url(at: Site("shop.example"))])
    for request in requests {
      #expect(request.method == .post)
      #expect(request.body == Array(Self.body.utf8))
      #expect(request.headers.map(\.name) == ["Content-Type", "Cache-Control", "User-Agent"])
      #expect(request.headers.map(\.value).prefix(2) == ["application/json", "max-age=0"])
    }
    #expect(advanced.now == Scene.start + .hours(48))
    #expect(advanced.events.map(\.kind) == [.reportSent, .reportDelivered, .reportSent, .reportDelivered, .clockAdvanced])
    #expect(try await scene.reports().allSatisfy { $0.state == .delivered && $0.attempts.count == 1 })
    #expect(try await scene.measurements().attributed.isEmpty)
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

  @Test("case 93: in debug mode reports go out after 10 and 20 seconds")
  func debugTimeline() async throws {
    let scene = try await converted(settings: SettingsChange(debugMode: true))
    let advanced = try await scene.browser.advance(.untilIdle())
    #expect(
      advanced.events.filter { $0.kind == .reportSent }.map(\.at) == [Scene.start + .seconds(10), Scene.start + .seconds(20)])
  }

  @Test(
    "case 91: whatever goes wrong, there is no second attempt",
    arguments: [
      (Exchange(httpStatus: 500), "http-status"), (Exchange(httpStatus: 302), "http-status"),
      (Exchange(failure: TransportFailure(.connectionFailed, "refused")), "connection-failed"),
      (Exchange(httpStatus: 200, failure: TransportFailure(.connectionLost, "reset")), "connection-lost"),
    ])
  func noRetry(_ exchange: Exchange, _ code: String) async throws {
    let scene = try await converted(transport: ScriptedTransport { _, _ in exchange })
    try await scene.advance(.days(10))
    #expect(await scene.sent().count == 2)
    #expect(try await scene.reports().allSatisfy { $0.state == .failed })
    #expect(try await scene.kinds().filter { $0 == .reportFailed }.count == 2)
    let failure = try await scene.browser.events(after: 0, limit: 1_000).first { $0.kind == .reportFailed }
    #expect(try #require(failure).detail.text.contains(#""code":"\#(code)""#))
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
