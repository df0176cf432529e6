import BrowserSupport
import PCMCore
import PCMNetwork
import PCMStore
import Testing

@testable import PCMBrowser

/// The calls that a browser keeps for a replay, and why some browsers keep none.
@Suite struct HistoryTests {
  private func names(_ browser: Browser) async throws -> [String] { try await browser.history().map(\.action.name) }

  @Test("Each call that changed the browser is there, in order, with its events")
  func calls() async throws {
    let scene = try await Scene()
    try await scene.click(4)
    try await scene.trigger("12/03")
    _ = try await scene.browser.load(LoadInput(firstPartyURL: "https://shop.example/", url: "https://shop.example/a"))
    try await scene.advance(.hours(49))
    try await scene.browser.change(SettingsChange(debugMode: true))
    try await scene.browser.change(SettingsChange(debugMode: true))
    try await scene.browser.change(BrowserChange(settings: SettingsChange(), labels: Labels(["a": "b"])))
    try await scene.browser.clear(nil)
    try await scene.browser.remove(app: Scene.app)
    await #expect(throws: BrowserError.self) { try await scene.browser.remove(app: Scene.app) }
    let calls = try await scene.browser.history()
    let expected = ["app", "link-click", "triggering-event", "load", "advance", "settings", "clear", "remove-app"]
    #expect(calls.map(\.action.name) == expected)
    // The events of the load depend on its responses.
    #expect(calls.map { $0.events == nil } == [false, false, false, true, false, false, false, false])
    #expect(calls[1].events == [.clickStored])
    #expect(calls[1].answer.text == #"{"outcome":"stored","reasons":[]}"#)
  }

  @Test("A move that stopped at a limit leads to the instant that it reached")
  func stoppedMove() async throws {
    let scene = try await Scene()
    try await scene.browser.use(.simulated)
    for (id, shop) in ["a", "b", "c"].enumerated() {
      try await scene.click(id, to: "\(shop).example")
      try await scene.trigger("12", on: "\(shop).example")
    }
    let stop = try await scene.browser.advance(.untilIdle(), within: AdvanceBudget(attempts: 2))
    #expect(!stop.isFinished)
    let call = try #require(try await scene.browser.history().last)
    #expect(call.action.value.text == #"{"to":"\#(stop.now.text)"}"#)
    _ = try await scene.browser.advance(.untilIdle())
    #expect(try await Array(scene.browser.history().compactMap(\.events).joined()) == scene.kinds())
  }

  @Test("A move whose last transaction trims the log has all its events")
  func trimmedLog() async throws {
    let store = MemoryStore()
    let settings = SettingsChange(logRetention: LogRetentionChange(maximumCount: 1_000))
    let scene = try await Scene(settings: settings, store: store)
    try await scene.browser.use(.simulated)
    try await scene.click(4)
    try await store.write(scene.browser.record.id) { writer in
      let event = ClickExpired(click: 900_000_000, expiredAt: Scene.start)
      while try writer.nextSequence() < 2 * LogBlock.size - 1 { try writer.append(event, at: Scene.start) }
    }
    try await scene.advance(.seconds(1))
    try await scene.advance(.seconds(1))
    let moves = try await scene.browser.history().suffix(2).map(\.events)
    #expect(moves == [[.clockAdvanced, .logTrimmed], [.clockAdvanced]])
  }

  @Test("A move that is repeated after an error ends it, because its first part is in no entry")
  func repeatedMove() async throws {
    let store = HeldStore()
    let transport = ScriptedTransport { _, number in
      if number == 2 { store.holdNextWrite() }
      return Exchange(httpStatus: 200)
    }
    let scene = try await Scene(store: store, transport: transport)
    try await scene.click(4)
    try await scene.trigger("12")
    let move = Task { try await scene.advance(.days(3)) }
    await store.untilHeld()
    // The result of the last attempt is saved, the end of the move is not.
    store.holdNextWrite()
    store.release()
    await store.untilHeld()
    store.refuse()
    await #expect(throws: HeldStore.refusal) { try await move.value }
    try await scene.advance(.days(3))
    await #expect(throws: BrowserError.noHistory(.interrupted)) { try await scene.browser.history() }
  }

  @Test("A browser on the real clock has none")
  func realClock() async throws {
    let scene = try await Scene()
    let (browser, _) = try await scene.browsers.put("real", BrowserSpecification(clockMode: .real))
    await #expect(throws: BrowserError.noHistory(.realClock)) { try await browser.history() }
  }

  @Test("A restart does not change it, but one during a report ends it")
  func restart() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    try await scene.click(4)
    try await scene.trigger("12/03")
    #expect(try await names(try await Scene(restarting: store).browser) == ["app", "link-click", "triggering-event"])
    try await store.write(scene.browser.record.id) { writer in
      var report = try #require(try writer.reports(in: nil, after: 0, limit: 1).first)
      _ = report.message.handle(.due, at: report.dueAt)
      try writer.save(report)
    }
    let restarted = try await Scene(restarting: store).browser
    await #expect(throws: BrowserError.noHistory(.interrupted)) { try await restarted.history() }
    _ = try await restarted.advance(.by(.hours(1)))
    await #expect(throws: BrowserError.noHistory(.interrupted)) { try await restarted.history() }
  }

  @Test("After 1,000 calls it is gone, and a further call writes nothing to it")
  func tooLong() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    for _ in 2...1_000 { try await scene.advance(.seconds(0)) }
    #expect(try await scene.browser.history().count == 1_000)
    #expect(scene.browser.journaling.call("link-click", .null) != nil)
    try await scene.click(4)
    #expect(scene.browser.journaling.call("link-click", .null) == nil, "further calls are not even written down")
    await #expect(throws: BrowserError.noHistory(.tooLong)) { try await scene.browser.history() }
    #expect(try await store.read(scene.browser.record.id) { try $0.journal() }.isEmpty)
    let again = try await Scene(restarting: store).browser
    await #expect(throws: BrowserError.noHistory(.tooLong)) { try await again.history() }
  }

  @Test("After 256 KiB of calls it is gone")
  func tooLarge() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    let url = "https://shop.example/" + String(repeating: "x", count: 6_000)
    var sizes: [Int] = []
    while sizes.last != 0, sizes.count < 100 {
      _ = try await scene.browser.load(LoadInput(firstPartyURL: "https://shop.example/", url: url))
      let entries = try await store.read(scene.browser.record.id) { try $0.journal() }
      sizes.append(entries.reduce(0) { $0 + $1.text.utf8.count })
    }
    let last = try #require(sizes.dropLast().last)
    #expect((262_144 - sizes[0]...262_144).contains(last), "\(sizes)")
    await #expect(throws: BrowserError.noHistory(.tooLong)) { try await scene.browser.history() }
  }
}
