import BrowserSupport
import NIOConcurrencyHelpers
import PCMCore
import PCMDevice
import PCMSignatures
import PCMStore
import Testing

@testable import PCMBrowser

/// A device on the real clock while the machine's clock is set forward and back.
@Suite struct DeviceClockTests {
  private static let later = Scene.start + .days(1_000)

  @Test("conversion windows follow a clock that is set back, and values count in the first window before")
  func windows() async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let device = try await DeviceScene(store: store, wallClock: machine.wallClock)
    machine.set(Self.later)
    try await device.converted()
    machine.set(Scene.start + .hours(1))
    let outcome = try await device.report(fine: 43)
    #expect(outcome.kind == .accepted)
    let again = try await Self.restarted(store, machine)
    let app = try #require(try await again.installedApps(after: "", limit: 1).first)
    #expect([app.installedAt, app.launchedAt] == [Scene.start + .hours(1), Scene.start + .hours(1)])
    #expect(app.conversions.nextChange == Scene.start + .hours(1) + .days(2))
    let unchanged = try await Self.restarted(store, machine).installedApps(after: "", limit: 1)
    #expect(unchanged == [app], "a second start corrects nothing again")
  }

  @Test("an install of a clock that was ahead by less than the log begins at the time of the correction")
  func installBehindTheLog() async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let device = try await DeviceScene(store: store, wallClock: machine.wallClock)
    machine.set(Self.later)
    try await device.display(device.ad())
    machine.set(Scene.start + .days(1))
    try await device.converted()
    machine.set(Scene.start)
    let app = try #require(try await Self.restarted(store, machine).installedApps(after: "", limit: 1).first)
    #expect(app.installedAt == Scene.start)
    #expect(app.conversions.nextChange == Scene.start + .days(2))
  }

  @Test("a timer follows a clock that is set back")
  func timer() async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let device = try await DeviceScene(store: store, wallClock: machine.wallClock)
    machine.set(Self.later)
    try await device.converted(device.ad(.v3))
    machine.set(Scene.start)
    let app = try await Self.restarted(store, machine).installedApps(after: "", limit: 1).first
    #expect(app?.conversions.nextChange == Scene.start + .hours(24))
  }

  @Test("a postback follows a clock that is set back")
  func postback() async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let device = try await DeviceScene(store: store, wallClock: machine.wallClock)
    machine.set(Self.later)
    try await device.converted()
    machine.set(Self.later + .days(2))
    try await device.browser.step(at: Self.later + .days(2))
    let before = try await device.postbacks().map(\.message.dueAt)
    #expect(before.count == 2)
    machine.set(Scene.start)
    let again = try await Self.restarted(store, machine)
    let page = try await again.postbackPage(in: [], limit: 10)
    #expect(page.items.map(\.message.dueAt) == before.map { $0 - .days(1_002) })
  }

  // MARK: Ads

  @Test("a view that began while the clock was ahead ends after the time for which it was displayed")
  func view() async throws {
    let machine = SetClock()
    let device = try await DeviceScene(store: MemoryStore(), wallClock: machine.wallClock)
    machine.set(Self.later)
    let view = try await device.display(device.ad(fidelity: .viewThrough))
    machine.set(Self.later + .seconds(10))
    let tapped = try await device.display(device.jws())
    machine.set(Scene.start + .hours(1))
    #expect(try await device.browser.endView(of: RecordName.impression(view.impression)).kind == .recorded)
    #expect(try await device.browser.tap(RecordName.impression(tapped.impression), ImpressionTapInput()).kind == .recorded)
    #expect(try await device.browser.impressions().kept.map(\.impression.recordedAt) == Self.twice(Scene.start + .hours(1)))
  }

  @Test("a view that StoreKit displays counts two seconds after the clock was set back, and not a thousand days later")
  func storeKitView() async throws {
    let machine = SetClock()
    let device = try await DeviceScene(store: MemoryStore(), wallClock: machine.wallClock)
    machine.set(Self.later)
    let view = try await Self.displayStoreKitView(on: device)
    machine.set(Scene.start)
    try await device.display(device.ad())
    machine.set(Scene.start + .seconds(2))
    try await device.browser.step(at: Scene.start + .seconds(2))
    let table = try await device.browser.impressions()
    #expect(table.open.isEmpty)
    #expect(table.kept.first { $0.id == view }?.impression.recordedAt == Scene.start + .seconds(2))
  }

  @Test("of fifteen views from a clock that was ahead, a newer view replaces the oldest")
  func viewOrder() async throws {
    let machine = SetClock()
    let device = try await DeviceScene(store: MemoryStore(), wallClock: machine.wallClock)
    machine.set(Self.later)
    var views: [Int64] = []
    for _ in 1...ImpressionTable.maximumViews { views.append(try await Self.displayStoreKitView(on: device)) }
    for instant in [Self.later + .seconds(2), Scene.start, Scene.start + .seconds(2)] {
      machine.set(instant)
      if instant == Scene.start { views.append(try await Self.displayStoreKitView(on: device)) }
      try await device.browser.step(at: instant)
    }
    #expect(try await device.browser.impressions().kept.map(\.id) == Array(views.dropFirst()))
  }

  @Test("an ad from a clock that was ahead is older than one after it, and expires", arguments: [false, true])
  func adOrder(_ restarts: Bool) async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let device = try await DeviceScene(store: store, wallClock: machine.wallClock)
    machine.set(Self.later)
    try await device.display(device.ad())
    machine.set(Scene.start + .hours(1))
    let browser = try await restarts ? Self.restarted(store, machine) : device.browser
    let newer = try await browser.display(device.ad(number: 4_711))
    let kept = try await browser.impressions().kept
    #expect(kept.map(\.impression.recordedAt) == Self.twice(Scene.start + .hours(1)))
    var input = InstallInput()
    input.bundleIdentifier = DeviceScene.advertisedApp
    if restarts { machine.set(Scene.start + .days(60)) }
    #expect(try await browser.install(input).decision.winner?.id == (restarts ? nil : newer.impression))
  }

  @Test("developer mode that was switched on while the clock was ahead stays on for two weeks", arguments: [false, true])
  func developerMode(_ restarts: Bool) async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let device = try await DeviceScene(store: store, wallClock: machine.wallClock)
    machine.set(Self.later)
    var change = DeviceChange()
    change.developerMode = true
    try await device.browser.change(device: change)
    machine.set(Scene.start)
    let browser = try await restarts ? Self.restarted(store, machine) : device.browser
    _ = try await browser.display(device.ad())
    #expect(browser.device.isInDeveloperMode(at: Scene.start))
    #expect(browser.device.developerModeSince == Scene.start)
    #expect(try await Self.restarted(store, machine).device == browser.device)
  }

  @Test("many ads follow a clock that is set back, a part in each transaction")
  func manyAds() async throws {
    let (machine, rows) = (SetClock(), NIOLockedValueBox([0]))
    let observer = StoreObserver(
      willCall: { name in if name == "submit(_:_:)" { rows.withLockedValue { $0.append(0) } } },
      didRead: { count in rows.withLockedValue { $0[$0.count - 1] += count } })
    let store = MemoryStore()
    let device = try await DeviceScene(store: store, wallClock: machine.wallClock)
    try await device.display(device.ad())
    let kept = try #require(try await device.browser.impressions().kept.first)
    try await store.write(device.browser.record.id) { writer in
      for id in 1...Int64(Browser.maximumImpressionCount) {
        var ad = kept.impression
        ad.recordedAt = Self.later
        try writer.save(KeptImpression(id: 1_000 + id, impression: ad))
      }
      try writer.append(.clickExpired(ClickExpired(click: 900, expiredAt: Self.later)), at: Self.later)
    }
    let again = try await Self.restarted(ObservedStore(store, observer), machine)
    #expect(rows.withLockedValue { $0.max() ?? 0 } < 500, "a transaction reads 200 ads")
    #expect(try await again.impressions().kept.allSatisfy { $0.impression.recordedAt == Scene.start })
  }

  private static func displayStoreKitView(on device: DeviceScene) async throws -> Int64 {
    var ad = try device.jws()
    ad.presentation = "storekit-rendered"
    return try await device.display(ad).impression
  }

  private static func twice(_ instant: Instant) -> [Instant] { [instant, instant] }

  private static func restarted(_ store: any Store, _ machine: SetClock) async throws -> Browser {
    let realTime = RealTime(wallClock: machine.wallClock, sleep: Scene.endlessSleep)
    return try await SetClockTests.browsers(store, machine, realTime).browser(Browsers.defaultName)
  }
}
