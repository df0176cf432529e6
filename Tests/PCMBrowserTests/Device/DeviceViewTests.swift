import BrowserSupport
import PCMBrowser
import PCMCore
import PCMCrypto
import PCMDevice
import PCMStore
import Testing

/// The views of ads, and the taps on them, from their beginning to the day after.
@Suite struct DeviceViewTests {
  @Test("The end of a view after more than a day is rejected, and the view is dropped")
  func late() async throws {
    let device = try await DeviceScene()
    let started = try await device.display(device.ad(fidelity: .viewThrough))
    try await device.scene.advance(.days(2))
    let ended = try await device.browser.perform(ImpressionEndInput(), on: RecordName.impression(started.impression))
    #expect(ended.kind == .rejected && ended.reasons.map(\.code) == ["view-not-started"])
    #expect(try await device.browser.impressions().open.isEmpty)
    #expect(try await device.install().reasons.map(\.code) == ["no-impression"])
  }

  @Test("A second view for the same app replaces the first in SKAdNetwork, and not in AdAttributionKit")
  func replaced() async throws {
    let device = try await DeviceScene()
    let first = try await device.display(device.ad(fidelity: .viewThrough))
    let second = try await device.display(device.ad(fidelity: .viewThrough))
    #expect(try await device.browser.impressions().open.map(\.id) == [second.impression])
    let name = RecordName.impression(first.impression)
    await #expect(throws: BrowserError.unknownImpression(id: name)) {
      try await device.browser.perform(ImpressionEndInput(), on: name)
    }
    let ads = [try await device.display(device.jws()), try await device.display(device.jws())]
    for ad in ads {
      let tap = try await device.browser.perform(ImpressionTapInput(), on: RecordName.impression(ad.impression))
      #expect(tap.kind == .recorded)
    }
  }

  @Test("A view that one call records ends once, and the ad can be tapped")
  func handledView() async throws {
    let device = try await DeviceScene()
    var change = DeviceChange()
    change.systemVersion = "26.2"
    try await device.browser.change(device: change)
    var ad = try device.jws()
    ad.handlesView = true
    let recorded = try await device.display(ad)
    #expect(recorded.kind == .recorded && recorded.event.interaction == .view)
    let name = RecordName.impression(recorded.impression)
    let ended = try await device.browser.perform(ImpressionEndInput(), on: name)
    #expect(ended.kind == .recorded && ended.sequence == recorded.sequence)
    #expect(try await device.browser.perform(ImpressionTapInput(), on: name).kind == .recorded)
    #expect(try await device.browser.impressions().kept.map(\.impression.interaction) == [.view, .click])
    for presentation in ["storekit-rendered", "view-through"] {
      ad.presentation = presentation
      await #expect(throws: BrowserError.self) { try await device.display(ad) }
    }
  }

  @Test("An ad that StoreKit renders has no view that ends, and no taps")
  func storeKitRendered() async throws {
    let device = try await DeviceScene()
    let name = RecordName.impression(try await device.display(device.ad()).impression)
    #expect(try await device.browser.perform(ImpressionEndInput(), on: name).reasons.map(\.code) == ["view-not-started"])
    do {
      _ = try await device.browser.perform(ImpressionTapInput(), on: name)
      Issue.record("the tap is accepted")
    } catch BrowserError.conflict(let detail) {
      #expect(detail.contains("StoreKit"))
    }
  }

  @Test("A tap that opens an installed app is a launch, which starts the windows of its install")
  func launch() async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    try await device.display(device.ad())
    try await device.install()
    let ad = try await device.display(try device.jws())
    var input = ImpressionTapInput()
    (input.reengagementURL, input.isUniversalLink) = ("https://user:secret@shop.example/sale", false)
    let tap = try await device.browser.perform(input, on: RecordName.impression(ad.impression))
    #expect(tap.kind == .opened && tap.conversion == nil && tap.openedURL == nil)
    #expect(tap.reasons.map(\.code) == ["not-eligible-for-re-engagement", "re-engagement-url-dropped"])
    #expect(!tap.reasons.contains { $0.detail.contains("secret") }, "\(tap.reasons)")
    let event = try #require(try await device.browser.events(after: 0, limit: 1_000).last)
    #expect(event.kind == .impressionTapped && event.detail.text.contains(#""openedApp":"\#(DeviceScene.advertisedApp)""#))
    #expect(try await device.reasons(about: RecordName.impression(tap.impression)).contains("It is no re-engagement"))
    #expect(try await device.launch().isFirst == false)
    try await device.scene.advance(.days(3))
    #expect(try await device.report(fine: 5).reasons.map(\.code) == ["coarse-value-missing"])
    let journal = try await store.read(device.browser.record.id) { try $0.journal() }
    #expect(journal.contains { $0.text.contains("shop.example/sale") } && !journal.contains { $0.text.contains("secret") })
  }

  @Test("A value is a launch, after which another launch is not the first")
  func valueLaunches() async throws {
    let device = try await DeviceScene()
    try await device.display(device.ad())
    try await device.install()
    try await device.report(fine: 1)
    #expect(try await device.browser.installedApps(after: "", limit: 1).first?.launchedAt == Scene.start)
    #expect(try await device.launch().isFirst == false)
  }

  @Test("An installed app has the item identifier of its last registration")
  func itemIdentifier() async throws {
    let device = try await DeviceScene()
    var input = InstallInput()
    input.bundleIdentifier = "com.example.late"
    try await device.register("com.example.late", item: nil, [:])
    let first = try await device.browser.perform(input)
    #expect(first.reasons.map(\.code) == ["item-identifier-missing"])
    #expect(try await device.reasons(about: RecordName.install(first.sequence)).contains("without an itemIdentifier"))
    try await device.register("com.example.late", item: 77, [:])
    #expect(try await device.browser.perform(input).reasons.map(\.code) == ["no-impression"])
    #expect(try await device.browser.installedApps(after: "", limit: 1).first?.itemIdentifier == 77)
  }

  @Test("A call of AdAttributionKit has a value, and a registration locks no window")
  func values() async throws {
    let device = try await DeviceScene()
    try await device.converted()
    for (framework, member) in [(AdFramework.adattributionkit, "fineValue"), (.skadnetwork, "lockWindow")] {
      do {
        _ = try await device.report(framework, locks: true)
        Issue.record("the call is accepted")
      } catch BrowserError.invalidInput(let errors) {
        #expect(errors.map(\.path) == [[member]])
      }
    }
  }

  @Test("A view of AdAttributionKit that StoreKit renders counts after two seconds, without a call and across a restart")
  func storeKitView() async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let device = try await DeviceScene(store: store, wallClock: machine.wallClock)
    var ad = try device.jws()
    ad.presentation = "storekit-rendered"
    let started = try await device.display(ad)
    let counts = started.at + .seconds(2)
    machine.set(counts - Interval(milliseconds: 1))
    try await device.browser.step(at: counts - Interval(milliseconds: 1))
    #expect(try await device.browser.impressions().open.map(\.id) == [started.impression])
    // The process was down for more than a day.
    machine.set(started.at + .days(3))
    let realTime = RealTime(wallClock: machine.wallClock, sleep: Scene.endlessSleep)
    let again = try await SetClockTests.browsers(store, machine, realTime).browser(Browsers.defaultName)
    try await again.step(at: started.at + .days(3))
    let events = try await again.events(after: started.sequence, limit: 100)
    #expect(events.map(\.kind) == [.impressionRecorded])
    let table = try await again.impressions()
    #expect(table.open.isEmpty && table.kept.map(\.impression.recordedAt) == [counts])
  }

  @Test("The end of a view that counted is its recording, and a second end is rejected; a tap is a separate click")
  func storeKitEnd() async throws {
    let device = try await DeviceScene()
    var ad = try device.jws()
    ad.presentation = "storekit-rendered"
    let started = try await device.display(ad)
    let name = RecordName.impression(started.impression)
    try await device.scene.advance(.seconds(3))
    let recording = try #require(try await device.browser.events(after: 0, limit: 100).last { $0.kind == .impressionRecorded })
    #expect(recording.at == started.at + .seconds(2))
    let ended = try await device.browser.perform(ImpressionEndInput(), on: name)
    #expect(ended.kind == .recorded && ended.event.interaction == .view && ended.sequence == recording.sequence)
    #expect(try await device.browser.perform(ImpressionEndInput(), on: name).kind == .rejected)
    let tap = try await device.browser.perform(ImpressionTapInput(), on: name)
    #expect(tap.kind == .recorded && tap.event.interaction == .click && tap.impression != started.impression)
    let kept = try await device.browser.impressions().kept
    #expect(kept.map(\.impression.interaction) == [.view, .click])
    #expect(try await device.install().decision.winner?.id == tap.impression)
  }

  @Test("Many views that count at the same time are recorded once each, and the oldest are dropped")
  func manyViews() async throws {
    let device = try await DeviceScene()
    var ad = try device.jws()
    ad.presentation = "storekit-rendered"
    var names: [Int64] = []
    for _ in 0..<40 { names.append(try await device.display(ad).impression) }
    try await device.scene.advance(.seconds(3))
    let events = try await device.browser.events(after: 0, limit: 1_000)
    let recorded = events.filter { $0.kind == .impressionRecorded }
    #expect(recorded.count == names.count && recorded.allSatisfy { $0.at == Scene.start + .seconds(2) })
    #expect(
      names.allSatisfy { name in recorded.count { $0.detail.text.contains(#""\#(RecordName.impression(name))""#) } == 1 })
    #expect(events.count { $0.kind == .impressionRemoved } == 40 - ImpressionTable.maximumViews)
    let table = try await device.browser.impressions()
    #expect(table.open.isEmpty && table.kept.map(\.id) == names.suffix(ImpressionTable.maximumViews))
    for name in names.suffix(2) {
      #expect(try await device.browser.perform(ImpressionEndInput(), on: RecordName.impression(name)).kind == .recorded)
    }
  }
}
