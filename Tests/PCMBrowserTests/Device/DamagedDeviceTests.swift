import BrowserSupport
import PCMCore
import PCMCrypto
import PCMDevice
import PCMStore
import Testing

@testable import PCMBrowser

/// Rows of the device that this version did not write.
@Suite struct DamagedDeviceTests {
  @Test(
    "a browser with a damaged ad network is not restored, and other browsers are",
    arguments: [
      #"{"identifier":"a","publicKey":"AAAA","postbackURL":"https://network.example/"}"#,
      "{",
    ])
  func adNetwork(_ value: String) async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    _ = try await store.submit(device.browser.record.id) {
      try $0.save(DeviceRow(.adNetwork, DeviceScene.network, value: value))
    }.answer()
    let again = device.scene.anew(store, maximumCount: 10)
    var unreadable: [String?] = []
    try await again.load { unreadable.append($0.name) }
    #expect(unreadable == [device.browser.record.name])
    await #expect(throws: StoreError.self) { try await again.browser(device.browser.record.name) }
    #expect(try await again.browser(Browsers.defaultName).record.name == Browsers.defaultName)
  }

  /// Changes a member of the only row of a kind, and returns the error about the row.
  private static func damage(
    _ kind: DeviceRow.Kind, of device: DeviceScene, in store: MemoryStore, _ member: String, _ value: String, _ column: String
  ) async throws -> StoreError {
    try await store.write(device.browser.record.id) { writer in
      let row = try #require(try writer.deviceRows(kind, after: "", limit: 9).first)
      // A member without a value is absent.
      let damaged =
        row.value.contains("\"\(member)\":")
        ? row.value.replacing("\"\(member)\":", with: "\"\(member)\":\(value),\"former\":")
        : "{\"\(member)\":\(value)," + row.value.dropFirst()
      try writer.save(DeviceRow(kind, row.key.name, value: damaged, changesAt: row.changesAt))
      return .unreadable(table: "device_rows", row: row.key.name, column: column)
    }
  }

  @Test(
    "An installed app with a damaged value, or with the time of another one, is unreadable when it is read and when it is due",
    arguments: [
      ("startedAt", "9223372036854775807", "value"), ("startedAt", "5", "changes_at"), ("campaign", "\"zz\"", "value"),
    ])
  func installedApp(member: String, value: String, column: String) async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    try await device.converted()
    let error = try await Self.damage(.installedApp, of: device, in: store, member, value, column)
    await #expect(throws: error) { try await device.browser.installedApps(after: "", limit: 9) }
    await #expect(throws: error) { try await device.browser.step(at: Scene.start + .days(3)) }
  }

  @Test(
    "A row that time does not change is unreadable when it is due", arguments: [DeviceRow.Kind.device, .adNetwork, .impression])
  func dueRow(kind: DeviceRow.Kind) async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    _ = try await store.submit(device.browser.record.id) {
      try $0.save(DeviceRow(kind, "one", value: "{}", changesAt: Scene.start))
    }.answer()
    await #expect(throws: StoreError.unreadable(table: "device_rows", row: "one", column: "changes_at")) {
      try await device.browser.step(at: Scene.start)
    }
  }

  @Test("An installed app whose postback cannot be signed is unreadable")
  func unsignedPostback() async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    let ad = RecordName.impression(try await device.display(try device.jws()).impression)
    _ = try await device.browser.perform(ImpressionTapInput(), on: ad)
    try await device.install()
    try await device.launch()
    try await device.report(.adattributionkit, fine: 42)
    let error = try await Self.damage(.installedApp, of: device, in: store, "marketplace", "\"\"", "value")
    await #expect(throws: error) { try await device.browser.step(at: Scene.start + .days(3)) }
  }

  @Test("An app whose values for ads are damaged is unreadable")
  func adAttribution() async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    let app = AppRecord(
      bundleIdentifier: DeviceScene.sourceApp, reportEndpoint: nil, endpointError: nil, findings: "[]",
      itemIdentifier: DeviceScene.sourceItem, adAttribution: "7")
    _ = try await store.submit(device.browser.record.id) { try $0.save(app) }.answer()
    let error = StoreError.unreadable(table: "apps", row: app.bundleIdentifier, column: "ad_attribution")
    await #expect(throws: error) { try await device.display(device.ad()) }
  }
}
