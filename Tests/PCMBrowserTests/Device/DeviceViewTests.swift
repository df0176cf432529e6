import BrowserSupport
import PCMBrowser
import PCMCore
import PCMDevice
import PCMSignatures
import PCMStore
import Testing

/// The views of ads, and the taps on them, from their beginning to the day after.
@Suite struct DeviceViewTests {
  @Test("A view that does not end within a day is dropped once, and cannot end afterward")
  func forgotten() async throws {
    let device = try await DeviceScene()
    let started = try await device.display(device.ad(fidelity: .viewThrough))
    try await device.scene.advance(.days(2))
    try await device.display(device.ad())
    try await device.display(device.ad())
    let removals = try await device.browser.events(after: 0, limit: 1_000).filter { $0.kind == .impressionRemoved }
    #expect(removals.count == 1)
    #expect(removals.allSatisfy { $0.detail.text.contains(#""\#(RecordName.impression(started.impression))""#) })
    #expect(try await device.browser.impressions().open.isEmpty)
    let name = RecordName.impression(started.impression)
    await #expect(throws: BrowserError.unknownImpression(id: name)) { try await device.browser.endView(of: name) }
  }

  @Test("The end of a view after more than a day is rejected, and the view is dropped")
  func late() async throws {
    let device = try await DeviceScene()
    let started = try await device.display(device.ad(fidelity: .viewThrough))
    try await device.scene.advance(.days(2))
    let ended = try await device.browser.endView(of: RecordName.impression(started.impression))
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
    await #expect(throws: BrowserError.unknownImpression(id: name)) { try await device.browser.endView(of: name) }
    let ads = [try await device.display(device.jws()), try await device.display(device.jws())]
    for ad in ads {
      let tap = try await device.browser.tap(RecordName.impression(ad.impression), ImpressionTapInput())
      #expect(tap.kind == .recorded)
    }
  }

  @Test("An ad that StoreKit renders has no view that ends, and no taps")
  func storeKitRendered() async throws {
    let device = try await DeviceScene()
    let name = RecordName.impression(try await device.display(device.ad()).impression)
    #expect(try await device.browser.endView(of: name).reasons.map(\.code) == ["view-not-started"])
    do {
      _ = try await device.browser.tap(name, ImpressionTapInput())
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
    let tap = try await device.browser.tap(RecordName.impression(ad.impression), input)
    #expect(tap.kind == .opened && tap.conversion == nil && tap.openedURL == nil)
    #expect(tap.reasons.map(\.code) == ["not-eligible-for-re-engagement", "re-engagement-url-dropped"])
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
    let first = try await device.browser.install(input)
    #expect(first.reasons.map(\.code) == ["item-identifier-missing"])
    #expect(try await device.reasons(about: RecordName.install(first.sequence)).contains("without an itemIdentifier"))
    try await device.register("com.example.late", item: 77, [:])
    #expect(try await device.browser.install(input).reasons.map(\.code) == ["no-impression"])
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
}
