import BrowserSupport
import NIOConcurrencyHelpers
import PCMCore
import PCMDevice
import PCMNetwork
import PCMSimulatedSites
import PCMStore
import Testing

@testable import PCMBrowser

/// Two processes over one store. A decision depends on the rows of its transaction, and not on the process that makes it.
@Suite struct TwoInstancesTests {
  private let store = MemoryStore()
  /// Whether the transactions of a failing store fail after their decision.
  private let isFailing = NIOLockedValueBox(false)
  private static let game = "com.example.game"

  @Test("Settings that one process changes decide in the other")
  func settings() async throws {
    let (one, other) = try await instances()
    try await one.browser.change(SettingsChange(measurementEnabled: false))
    #expect(try await other.click(4).kind == .discarded)
    try await other.browser.change(SettingsChange(measurementEnabled: true, debugMode: true))
    #expect(try await one.click(5).kind == .stored)
    let configuration = try await one.browser.configuration()
    #expect(configuration.settings.measurement.debugMode)
    #expect(try await other.browser.configuration() == configuration)
  }

  @Test("A change of the settings keeps the other process's changes")
  func mergedSettings() async throws {
    let (one, other) = try await instances()
    try await one.browser.change(SettingsChange(debugMode: true))
    try await other.browser.change(SettingsChange(deliveryPolicy: .reliable))
    let settings = try await one.browser.configuration().settings
    #expect(settings.measurement.debugMode && settings.deliveryPolicy == .reliable)
  }

  @Test("A process starts while the other one deletes a browser")
  func deletionDuringStart() async throws {
    let other = try await Scene(store: store).anew(VanishingStore(base: store), maximumCount: 10)
    try await other.load()
    #expect(other.count == 1)
    #expect(try await store.browsers().map(\.name) == [Browsers.defaultName])
  }

  @Test("The clock that one process moves is the clock of the other")
  func clock() async throws {
    let (one, other) = try await instances()
    try await one.advance(.hours(5))
    #expect(try await other.browser.configuration().now == Scene.start + .hours(5))
    #expect(try await other.click(4).at == Scene.start + .hours(5))
    #expect(try await other.advance(.hours(1)).now == Scene.start + .hours(6))
    #expect(try await one.click(5).at == Scene.start + .hours(6))
  }

  @Test("A slow machine clock does not move the browser's clock back")
  func realClock() async throws {
    let (early, late) = (SetClock(), SetClock(Scene.start + .seconds(2)))
    let one = try await Scene(store: store, wallClock: late.wallClock).browsers.browser(Browsers.defaultName)
    let realTime = RealTime(wallClock: early.wallClock, sleep: Scene.endlessSleep)
    let other = try await SetClockTests.browsers(store, early, realTime).browser(Browsers.defaultName)
    let link = LinkClickInput(
      pageURL: "https://news.example/", attributionSourceID: "4", attributionDestination: "https://shop.example")
    #expect(try await one.perform(link).at == late.now)
    #expect(try await other.perform(link).at == late.now)
    let configuration = try await other.configuration()
    #expect(configuration.now == late.now && configuration.ahead == .seconds(2))
  }

  @Test("An app that one process registers is known to the other, until that removes it")
  func apps() async throws {
    let (one, other) = try await instances()
    for site in ["a.example", "b.example"] {
      try await Self.register(Self.game, at: site, in: one)
      #expect(try await other.browser.perform(Self.tap(in: Self.game)).click?.click.key.source == Site(site))
    }
    try await other.browser.remove(app: Self.game)
    await #expect(throws: BrowserError.self) { try await one.browser.perform(Self.tap(in: Self.game)) }
    #expect(try await one.browser.registeredApps().map(\.bundleIdentifier) == [Scene.app])
  }

  @Test("An app whose registration is rolled back is not known, and the next one is")
  func rolledBackApp() async throws {
    let scene = try await Scene(store: failingStore)
    isFailing.withLockedValue { $0 = true }
    await #expect(throws: StoreError.self) { try await Self.register(Self.game, at: "a.example", in: scene) }
    isFailing.withLockedValue { $0 = false }
    try await Self.register("com.example.other", at: "b.example", in: scene)
    #expect(try await scene.browser.perform(Self.tap(in: "com.example.other")).kind == .stored)
    await #expect(throws: BrowserError.self) { try await scene.browser.perform(Self.tap(in: Self.game)) }
  }

  @Test("A device and its ad networks that one process changes decide in the other")
  func device() async throws {
    let device = try await DeviceScene(store: store)
    let other = try await Scene(restarting: store).browser
    try await other.remove(adNetwork: DeviceScene.network)
    #expect(try await device.display(device.ad()).kind == .rejected)
    try await device.register(DeviceScene.network)
    #expect(try await other.perform(device.ad()).kind == .recorded)
    var (change, install) = (DeviceChange(), InstallInput())
    (change.country, install.bundleIdentifier) = ("DE", DeviceScene.advertisedApp)
    try await device.browser.change(device: change)
    #expect(try await other.device().country == "DE")
    #expect(try await other.perform(install).kind == .attributed)
    let installed = try await device.browser.events(after: 0, limit: 100).first { $0.kind == .appInstalled }
    #expect(try #require(installed).detail.text.contains(#""country":"DE""#))
  }

  @Test("Both processes know the simulated sites of each other")
  func sites() async throws {
    let (one, other) = try await instances()
    let behavior = SiteBehavior(report: [.good])
    #expect(try await one.browser.put(behavior, at: Scene.source))
    #expect(try await other.browser.siteBehavior(Scene.source) == behavior)
    #expect(try await !other.browser.put(SiteBehavior(), at: Scene.source))
    #expect(try await one.browser.simulatedSites(after: "", limit: 10).map(\.behavior) == [SiteBehavior()])
    try await other.browser.removeSite(Scene.source)
    await #expect(throws: BrowserError.unknownSite(host: Scene.source)) { try await one.browser.removeSite(Scene.source) }
  }

  @Test("The network that one process selects receives the requests of the other")
  func network() async throws {
    let (one, other) = try await instances()
    try await one.browser.use(.simulated)
    try await Self.convert(4, in: one)
    try await other.advance(.hours(49))
    #expect(try await one.reports(.delivered).count == 2)
    #expect(await other.transport.requests.isEmpty)
  }

  @Test("A browser that one process created is confirmed by the other, which can delete it")
  func creation() async throws {
    let (one, other) = try await instances()
    let created = try await one.browsers.put("new", Self.manual).0
    let (browser, isNew) = try await other.browsers.put("new", Self.manual)
    #expect(!isNew && browser.record == created.record)
    await #expect(throws: BrowserError.self) {
      try await other.browsers.put("new", BrowserSpecification(seed: "t", clockMode: .manual))
    }
    _ = try await one.browsers.put("gone", Self.manual)
    try await other.browsers.delete("gone")
    #expect(try await store.browsers().map(\.name) == ["default", Scene.name, "new"])
  }

  @Test("Of two processes that start at once over an empty store, one creates the default browser")
  func start() async throws {
    let scene = try await Scene(store: MemoryStore())
    let processes = (0..<2).map { _ in scene.anew(store, maximumCount: 10) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for process in processes { group.addTask { try await process.load() } }
      try await group.waitForAll()
    }
    let record = try #require(try await store.browsers().first)
    #expect(try await store.browsers() == [record])
    for process in processes { #expect(try await process.browser(Browsers.defaultName).record == record) }
  }

  @Test("Of two processes that create a browser at once, one creates it, and the other one confirms it")
  func creationAtOnce() async throws {
    let (one, other) = try await instances()
    for number in 1...100 {
      async let first = one.browsers.put("\(number)", Self.manual)
      async let second = other.browsers.put("\(number)", Self.manual)
      let (left, right) = (try await first, try await second)
      #expect(left.0.record == right.0.record && left.isNew != right.isNew)
    }
  }

  @Test("A browser that one process creates is found by the other, and not after its deletion")
  func deletion() async throws {
    let (one, other) = try await instances()
    let created = try await one.browsers.put("new", Self.manual).0
    let found = try await other.browsers.browser("new")
    #expect(found.record == created.record)
    #expect(try await other.browsers.browser("new") === found)
    try await one.browsers.delete("new")
    await #expect(throws: StoreError.unknownBrowser) { try await found.perform(Self.link) }
    #expect(other.browsers.forget(found) && found.deletion != nil)
    await #expect(throws: BrowserError.unknownBrowser(name: "new")) { try await other.browsers.browser("new") }
    await #expect(throws: BrowserError.unknownBrowser(name: "new")) { try await other.browsers.delete("new") }
    #expect(!one.browsers.forget(created), "this process deleted it")
  }

  @Test("A browser that one process deletes and creates again is the new one in the other")
  func replacement() async throws {
    let (one, other) = try await instances()
    let names = ["called", "confirmed", "deleted", "fork"]
    var stale: [Browser] = []
    for name in names {
      _ = try await one.browsers.put(name, Self.manual)
      stale.append(try await other.browsers.browser(name))
      try await one.browsers.delete(name)
      if name != "fork" { _ = try await one.browsers.put(name, BrowserSpecification(seed: "new", clockMode: .manual)) }
    }
    await #expect(throws: StoreError.unknownBrowser) { try await stale[0].perform(Self.link) }
    #expect(other.browsers.forget(stale[0]) && other.browsers.forget(stale[0]))
    #expect(try await other.browsers.browser("called").perform(Self.link).kind == .stored)
    let (confirmed, isNew) = try await other.browsers.put("confirmed", BrowserSpecification(seed: "new"))
    #expect(!isNew && confirmed.record.seed == "new")
    #expect(try await other.browsers.delete("deleted")?.record.seed == "new")
    _ = try await other.browsers.fork(other.browser, as: "fork")
    let seeds = ["default": "seed", Scene.name: "seed", "called": "new", "confirmed": "new", "fork": "seed"]
    #expect(try await store.browsers().reduce(into: [:]) { $0[$1.name] = $1.seed } == seeds)
    #expect(stale.filter { $0.deletion == nil }.isEmpty)
  }

  @Test("A list has the browsers of both processes, with the labels that either of them changed last")
  func list() async throws {
    let (one, other) = try await instances()
    let browser = try await one.browsers.put("one", Self.manual).0
    _ = try await other.browsers.put("other", Self.manual)
    func names(_ labels: String..., in scene: Scene) async throws -> [String] {
      try await scene.browsers.browsers(after: "", labels: labels.compactMap { Label($0) }, limit: 9).map(\.record.name)
    }
    for scene in [one, other] { #expect(try await names(in: scene) == ["default", "one", "other", Scene.name]) }
    for (scene, color) in [(one, "red"), (other, "blue")] {
      try await scene.browsers.browser("one").change(BrowserChange(labels: Labels(["color": color])))
    }
    for scene in [one, other] {
      #expect(try await names("color=blue", in: scene) == ["one"])
      #expect(try await names("color=red", in: scene).isEmpty)
    }
    #expect(try await one.browsers.browser("one") === browser)
    try await one.browsers.delete("one")
    #expect(try await names(in: other) == ["default", "other", Scene.name])
    #expect(try await other.browsers.description(of: "one")?.browser == nil)
  }

  @Test("A browser is created with its device, or not at all")
  func deviceOfNewBrowser() async throws {
    let name = "new"
    let (one, failing) = (try await Scene(store: store), try await Scene(restarting: failingStore))
    var specification = Self.manual
    specification.device.country = "DE"
    isFailing.withLockedValue { $0 = true }
    await #expect(throws: StoreError.self) { try await failing.browsers.put(name, specification) }
    isFailing.withLockedValue { $0 = false }
    await #expect(throws: BrowserError.unknownBrowser(name: name)) { try await one.browsers.browser(name) }
    let created = try await failing.browsers.put(name, specification).0
    #expect(try await one.browsers.browser(name).device().country == "DE")
    #expect(try await created.events(after: 0, limit: 9).map(\.kind) == [.deviceChanged])
    #expect(try await created.perform(Self.link).kind == .stored)
  }

  @Test("Both processes together create as many browsers as the maximum, also as copies")
  func limit() async throws {
    let scene = try await Scene(store: store)
    let processes = [scene.anew(store, maximumCount: 10), scene.anew(store, maximumCount: 10)]
    for process in processes { try await process.load() }
    let created = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<50 {
        group.addTask {
          let process = processes[number % 2]
          guard number % 3 == 0 else { return (try? await process.put("browser-\(number)", Self.manual)) != nil }
          guard let original = try? await process.browser(Scene.name) else { return false }
          return (try? await process.fork(original, as: "browser-\(number)")) != nil
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(created == 8, "besides default and the scene's browser")
    #expect(try await store.browsers().count == 10)
    try await processes[0].delete(Scene.name)
    _ = try await processes[1].put("last", Self.manual)
  }

  @Test("A call of a browser in memory reads no record of it")
  func knownBrowser() async throws {
    let lookups = NIOLockedValueBox<[String]>([])
    let observer = StoreObserver(willCall: { call in
      if call == "browser(named:)" { lookups.withLockedValue { $0.append(call) } }
    })
    _ = try await Scene(store: store)
    let other = try await Scene(restarting: ObservedStore(store, observer))
    let before = lookups.withLockedValue { $0.count }
    _ = try await other.browsers.browser(Scene.name).perform(Self.link)
    #expect(lookups.withLockedValue { $0.count } == before)
  }

  @Test("Calls and moves that alternate over two processes have the log of one process, without a gap")
  func log() async throws {
    let (one, other) = try await instances()
    let alone = try await Scene()
    for number in 0..<12 {
      let turn = number.isMultiple(of: 2) ? one : other
      for scene in [alone, turn] { try await Self.convert(number, in: scene) }
      guard number.isMultiple(of: 3) else { continue }
      for scene in [alone, turn] { try await scene.advance(.hours(25)) }
    }
    for scene in [alone, other] { try await scene.advance(.days(3)) }
    let log = try await alone.browser.events(after: 0, limit: 10_000)
    #expect(try await one.browser.events(after: 0, limit: 10_000) == log)
    #expect(log.map(\.sequence) == Array(1...Int64(log.count)))
    #expect(log.count { $0.kind == .reportDelivered } == 24)
    let delays = Set(try await one.reports().map { $0.dueAt })
    #expect(delays.count == 24)
  }

  @Test("A transaction that is rolled back has drawn no numbers")
  func rolledBackDraws() async throws {
    let (calm, failing) = (try await Scene(), try await Scene(store: failingStore))
    for scene in [calm, failing] { try await scene.click(4) }
    isFailing.withLockedValue { $0 = true }
    await #expect(throws: StoreError.self) { try await failing.trigger("12") }
    isFailing.withLockedValue { $0 = false }
    for scene in [calm, failing] { try await scene.trigger("12") }
    #expect(try await failing.reports().map(\.dueAt) == calm.reports().map(\.dueAt))
  }

  // MARK: Stage

  private static let manual = BrowserSpecification(seed: "s", clockMode: .manual)
  private static let link = LinkClickInput(
    pageURL: "https://news.example/", attributionSourceID: "4", attributionDestination: "https://shop.example")

  private func instances() async throws -> (Scene, Scene) {
    (try await Scene(store: store), try await Scene(restarting: store))
  }

  private var failingStore: ObservedStore {
    let observer = StoreObserver(willCall: { [isFailing] call in
      guard call == "append(_:at:)", isFailing.withLockedValue({ $0 }) else { return }
      throw StoreError.unavailable("the test refuses this event")
    })
    return ObservedStore(store, observer)
  }

  private static func register(_ app: String, at site: String, in scene: Scene) async throws {
    _ = try await scene.browser.register(Scene.manifest(of: app, endpoint: "https://\(site)", sites: scene.environment.sites))
  }

  private static func tap(in app: String) -> EventAttributionInput {
    EventAttributionInput(
      bundleIdentifier: app, sourceIdentifier: 3, destinationURL: "https://shop.example/", presentation: "openURL")
  }

  private static func convert(_ number: Int, in scene: Scene) async throws {
    try await scene.click(number, to: "shop\(number).example")
    try await scene.trigger("12", on: "shop\(number).example")
  }
}

/// A store whose browsers another process deletes when they are listed, except `default`.
private struct VanishingStore: ForwardingStore {
  let base: any Store

  func allBrowsers() async throws -> [Result<BrowserRecord, UnreadableBrowser>] {
    let listed = try await base.allBrowsers()
    for record in try await base.browsers() where record.name != Browsers.defaultName { try await base.delete(record.id) }
    return listed
  }
}
