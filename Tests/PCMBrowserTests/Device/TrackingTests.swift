import BrowserSupport
import PCMCore
import PCMDevice
import PCMNetwork
import PCMStore
import Testing

@testable import PCMBrowser

/// Consent to tracking, and the requests of a measurement SDK.
@Suite struct TrackingTests {
  private struct Phone {
    static let app = DeviceScene.advertisedApp
    let device: DeviceScene
    var browser: Browser { device.browser }

    init(
      seed: String = "seed", store: any Store = MemoryStore(), transport: ScriptedTransport = ScriptedTransport()
    ) async throws {
      device = try await DeviceScene(seed: seed, store: store, transport: transport)
      try await register(Self.app)
    }

    func register(_ app: String, usage: Bool = true) async throws {
      try await device.register(app, item: 1, usage ? ["NSUserTrackingUsageDescription": "To measure ads."] : [:])
    }

    @discardableResult
    func ask(_ app: String = app, _ change: (inout TrackingRequestInput) -> Void = { _ in }) async throws
      -> TrackingRequestOutcome
    {
      var input = TrackingRequestInput()
      input.bundleIdentifier = app
      change(&input)
      return try await browser.perform(input)
    }

    @discardableResult
    func answer(_ allow: Bool, _ app: String = app) async throws -> TrackingOutcome {
      var input = TrackingAnswerInput()
      (input.bundleIdentifier, input.allow) = (app, allow)
      return try await browser.perform(input)
    }

    @discardableResult
    func set(_ system: SystemTrackingSetting) async throws -> TrackingOutcome {
      var input = TrackingSettingInput()
      input.system = system
      return try await browser.perform(input)
    }

    @discardableResult
    func record(
      _ event: String, wait seconds: Int64 = 0, _ strategy: SDKURLStrategy = .standard, version: Int64? = nil
    ) async throws -> SDKEventOutcome {
      var input = SDKEventInput()
      (input.bundleIdentifier, input.event, input.urlStrategy) = (Self.app, event, strategy)
      (input.consentWaitingInterval, input.sdkVersion) = (.seconds(seconds), version)
      return try await browser.perform(input)
    }

    func install() async throws { try await device.install() }
    func state(_ app: String = app) async throws -> TrackingState { try await browser.tracking(of: app) }
    func requests() async throws -> [SDKRequest] { try await browser.sdkRequests(after: 0, limit: 1_000) }
    func advance(_ seconds: Int64) async throws { _ = try await browser.advance(.by(.seconds(seconds))) }
  }

  @Test("One prompt is displayed at a time, and a removed or reinstalled app has none", arguments: [true, false])
  func onePrompt(isRemoved: Bool) async throws {
    let phone = try await Phone()
    try await phone.register("com.example.other")
    try await phone.ask()
    #expect(try await phone.ask("com.example.other").kind == .rejected)
    if isRemoved { try await phone.browser.remove(app: Phone.app) } else { try await phone.install() }
    #expect(try await phone.ask("com.example.other").kind == .prompted)
  }

  @Test("The advertising identifier is the device's with status 3 only, and the same for the same seed")
  func identifier() async throws {
    var found: [String] = []
    for seed in ["a", "a", "b"] {
      let phone = try await Phone(seed: seed)
      #expect(try await phone.state().advertisingIdentifier == AdvertisingIdentifier.zeros)
      try await phone.ask()
      try await phone.answer(true)
      found.append(try await phone.state().advertisingIdentifier)
      try await phone.install()
      #expect(try await phone.state().advertisingIdentifier == AdvertisingIdentifier.zeros)
      try await phone.ask()
      try await phone.answer(true)
      #expect(try await phone.state().advertisingIdentifier == found.last)
    }
    #expect(found[0] == found[1] && found[0] != found[2])
    #expect(found.allSatisfy { $0 == $0.uppercased() && $0 != AdvertisingIdentifier.zeros })
  }

  @Test("When the settings determine the status, the events that wait leave before the next one", arguments: [true, false])
  func settingsDuringTheWait(isNextRecorded: Bool) async throws {
    let phone = try await Phone()
    try await phone.record("open", wait: 30)
    try await phone.record("level", wait: 30)
    try await phone.set(.restricted)
    if isNextRecorded { #expect(try await phone.record("purchase", wait: 30).violation?.reason.code == "status-determined") }
    try await phone.advance(60)
    let requests = try await phone.requests()
    #expect(requests.map(\.event) == ["open", "level"] + (isNextRecorded ? ["purchase"] : []))
    #expect(requests.allSatisfy { $0.status == .restricted && $0.url == "https://analytics.adjust.com/event" })
    #expect(requests.allSatisfy { $0.recordedAt == Scene.start + .seconds(isNextRecorded ? 0 : 30) })
  }

  @Test("The end of the wait is a next event, after which the device is idle")
  func due() async throws {
    let phone = try await Phone()
    try await phone.record("open", wait: 30)
    let moved = try await phone.browser.advance(.toNextEvent)
    #expect(moved.now == Scene.start + .seconds(30) && moved.isIdle)
    #expect(try await phone.requests().map(\.state) == [.delivered])
  }

  @Test("At most 100 events of an app wait")
  func bound() async throws {
    let phone = try await Phone()
    for number in 1...100 { try await phone.record("event \(number)", wait: 30) }
    await #expect(throws: BrowserError.self) { try await phone.record("one more", wait: 30) }
    try await phone.ask()
    #expect(try await phone.answer(true).sdkRequests.count == 100)
  }

  @Test(
    "The next host receives a request whose host does not respond, and a response ends the attempts", arguments: [200, 500])
  func secondHost(status: Int) async throws {
    let transport = ScriptedTransport { _, number in
      number == 1 ? Exchange(failure: TransportFailure(.connectionFailed, "refused")) : Exchange(httpStatus: status)
    }
    let phone = try await Phone(transport: transport)
    let outcome = try await phone.record("open", .india)
    try await phone.advance(86_400)
    #expect(
      await transport.requests.map(\.url) == ["https://analytics.adjust.net.in/event", "https://analytics.adjust.com/event"])
    let request = try #require(try await phone.requests().first)
    #expect(request.state == (status == 200 ? .delivered : .failed) && request.fallbackURLs.isEmpty)
    let text = try await phone.browser.explain(RecordName.sdkRequest(try #require(outcome.request))).text
    #expect(text.contains("It is sent to https://analytics.adjust.com/event next."), "\(text)")
  }

  @Test("A request that no host accepted is not sent again")
  func failure() async throws {
    let transport = ScriptedTransport { _, _ in Exchange(failure: TransportFailure(.addressRefused, "it is not mapped")) }
    let phone = try await Phone(transport: transport)
    let outcome = try await phone.record("open")
    try await phone.advance(86_400)
    #expect(
      await transport.requests.map(\.url) == ["https://analytics.adjust.com/event", "https://analytics.adjust.world/event"])
    let request = try #require(try await phone.requests().first)
    #expect(request.state == .failed && request.reason?.code == "address-refused")
    let text = try await phone.browser.explain(RecordName.sdkRequest(try #require(outcome.request))).text
    #expect(text.contains("it is not mapped") && text.contains("tracking-is-authorized"), "\(text)")
  }

  @Test("Waiting events, and requests that are due, survive a restart; a request in flight is not sent again")
  func restart() async throws {
    let store = MemoryStore()
    let phone = try await Phone(store: store)
    try await phone.record("sent")
    try await store.write(phone.browser.record.id) { writer in
      var sent = try #require(try writer.sdkRequests(after: 0, limit: 1).first)
      sent.state = .sending
      try writer.save(sent)
    }
    try await phone.record("due")
    try await phone.record("waiting", wait: 30)
    let transport = ScriptedTransport()
    let again = try await Scene(restarting: store, transport: transport).browser
    _ = try await again.advance(.by(.minutes(1)))
    let requests = try await again.sdkRequests(after: 0, limit: 10)
    #expect(requests.map(\.event) == ["sent", "due", "waiting"])
    #expect(requests.map(\.state) == [.sending, .delivered, .delivered])
    #expect(await transport.requests.count == 2)
  }

  @Test("Clearing forgets answers, waiting events, and requests, and keeps the setting of the device")
  func cleared() async throws {
    let phone = try await Phone()
    try await phone.set(.off)
    try await phone.record("open")
    try await phone.set(.allowed)
    try await phone.record("waiting", wait: 30)
    try await phone.ask()
    try await phone.browser.clear(nil)
    #expect(try await phone.requests().isEmpty)
    let state = try await phone.state()
    #expect(state.status == .notDetermined && state.tracking.request == nil && state.system.promptingApp == nil)
    try await phone.set(.restricted)
    try await phone.browser.clear(nil)
    #expect(try await phone.state().status == .restricted)
  }

  @Test("An explanation of an ad, an install, or a click says that consent has no influence, once consent is used")
  func noInfluence() async throws {
    let sentence = "Tracking consent has no influence on it."
    let phone = try await Phone()
    let ad = RecordName.impression(try await phone.device.display(phone.device.ad()).impression)
    let click = try await phone.device.scene.click(4)
    let names = [ad, RecordName.click(click.sequence)]
    for name in names { #expect(try await !phone.browser.explain(name).summary.contains(sentence)) }
    let request = try await phone.ask()
    for name in names { #expect(try await phone.browser.explain(name).summary.hasSuffix(" \(sentence)")) }
    #expect(try await !phone.browser.explain(RecordName.trackingRequest(request.sequence)).summary.contains(sentence))
  }
}
