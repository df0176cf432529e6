import BrowserSupport
import PCMCore
import PCMNetwork
import PCMStore
import Testing

@testable import PCMBrowser

/// Changes of settings whose commit takes time, or fails.
@Suite struct SettingsTests {
  private let caller = Caller()

  @Test("a change is visible after its commit, not before")
  func visibleAfterCommit() async throws {
    let (store, scene) = try await Self.held()
    async let change: Void = scene.browser.change(SettingsChange(debugMode: true))
    await store.untilHeld()
    #expect(try await scene.browser.configuration().settings == BrowserSettings())
    store.release()
    try await change
    #expect(try await scene.browser.configuration().settings.measurement.debugMode)
  }

  @Test("a decision during a change that fails is taken under the settings that are committed")
  func decisionDuringAFailingChange() async throws {
    let (store, scene) = try await Self.held()
    let (change, click) = await caller.start(scene.browser, SettingsChange(measurementEnabled: false), Self.link)
    await caller.settle(store)
    store.refuse()
    await #expect(throws: HeldStore.refusal) { try await change.value }
    #expect(try await click.value.kind == .stored)
    #expect(try await scene.measurements().unattributed.count == 1)
  }

  @Test("a decision during a change waits for it, so the log and the data agree")
  func decisionDuringAChange() async throws {
    let (store, scene) = try await Self.held(SettingsChange(privateBrowsing: true))
    let (change, click) = await caller.start(scene.browser, SettingsChange(privateBrowsing: false), Self.link)
    await caller.settle(store)
    store.release()
    try await change.value
    #expect(try await click.value.kind == .stored)
    #expect(try await Array(scene.kinds().suffix(2)) == [.settingsChanged, .clickStored])
    let slot = try await store.read(scene.browser.record.id) { try $0.clicks(in: .privateEphemeral, after: 0, limit: 9) }
    #expect(slot.isEmpty, "the private session has ended")
  }

  @Test("a change that fails takes no later change with it")
  func laterChange() async throws {
    let (store, scene) = try await Self.held()
    let changes = await caller.start(
      scene.browser, [SettingsChange(debugMode: true), SettingsChange(deliveryPolicy: .reliable)])
    await caller.settle(store)
    store.refuse()
    await #expect(throws: HeldStore.refusal) { try await changes[0].value }
    try await changes[1].value
    let expected = BrowserSettings(deliveryPolicy: .reliable)
    #expect(try await scene.browser.configuration().settings == expected)
    #expect(try await store.read(scene.browser.record.id) { try $0.state().settings } == expected)
  }

  @Test("changes at once take effect in the order of the calls: none is lost, and of two the last one wins")
  func changesAtOnce() async throws {
    let (store, scene) = try await Self.held()
    let changes = await caller.start(
      scene.browser,
      [
        SettingsChange(debugMode: true), SettingsChange(deliveryPolicy: .reliable), SettingsChange(debugMode: false),
        SettingsChange(reportURL: .manifest), SettingsChange(deliveryPolicy: .webkit), SettingsChange(debugMode: true),
      ])
    await caller.settle(store)
    store.release()
    for change in changes { try await change.value }
    let expected = SettingsChange(debugMode: true, reportURL: .manifest).applied(to: BrowserSettings())
    #expect(try await scene.browser.configuration().settings == expected)
    #expect(try await store.read(scene.browser.record.id) { try $0.state().settings } == expected)
    #expect(try await scene.kinds().count { $0 == .settingsChanged } == changes.count)
  }

  @Test("a change while a report waits for its answer is committed at once")
  func changeDuringAReport() async throws {
    let gate = Gate()
    let (requests, request) = AsyncStream.makeStream(of: Void.self)
    let scene = try await Scene(
      transport: ScriptedTransport { _, _ in
        request.yield()
        await gate.wait()
        return Exchange(httpStatus: 200)
      })
    try await scene.click(3)
    try await scene.trigger("12")
    // Only a move of a manual clock makes a change wait. A real clock performs single steps.
    let due = try #require(try await scene.reports().map(\.dueAt).min())
    async let step = scene.browser.step(at: due)
    for await _ in requests { break }
    try await scene.browser.change(SettingsChange(debugMode: true))
    #expect(try await scene.browser.configuration().settings.measurement.debugMode)
    gate.open()
    _ = try await step
  }

  /// A scene whose next write is suspended.
  private static func held(_ settings: SettingsChange = SettingsChange()) async throws -> (HeldStore, Scene) {
    let store = HeldStore()
    let scene = try await Scene(settings: settings, store: store)
    store.holdNextWrite()
    return (store, scene)
  }

  private static let link = LinkClickInput(
    pageURL: "https://news.example/", attributionSourceID: "4", attributionDestination: "https://shop.example")
}

/// Starts calls in order, without waiting for one before the next. A call runs on the actor until it waits.
private actor Caller {
  private var started = 0

  func start(_ browser: Browser, _ changes: [SettingsChange]) -> [Task<Void, any Error>] {
    changes.map { change in
      Task {
        // Isolated to this actor, which runs its tasks in the order of their creation.
        started += 1
        try await browser.change(change)
      }
    }
  }

  /// Starts a change, and then a click.
  func start(
    _ browser: Browser, _ change: SettingsChange, _ link: LinkClickInput
  ) -> (Task<Void, any Error>, Task<ClickRecord, any Error>) {
    let change = start(browser, [change])[0]
    let click = Task {
      started += 1
      return try await browser.perform(link)
    }
    return (change, click)
  }

  /// Returns when the first call's write is suspended, and every call that was started after it waits or has ended.
  func settle(_ store: HeldStore) async {
    await store.untilHeld()
    await Task {
      // Isolated to this actor, after the tasks above.
      started += 1
    }.value
  }
}
