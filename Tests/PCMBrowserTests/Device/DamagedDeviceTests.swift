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
      #"{"identifier":"a","publicKey":"\#(TestKeyPair.adNetwork.publicKey)","postbackURL":"network.example"}"#,
      #"{"publicKey":"AAAA"}"#, "{",
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
    await #expect(throws: BrowserError.self) { try await again.browser(device.browser.record.name) }
    #expect(try await again.browser(Browsers.defaultName).record.name == Browsers.defaultName)
  }

  @Test("a browser whose device has an impossible country is not restored")
  func deviceCountry() async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    try await store.write(device.browser.record.id) { writer in
      var damaged = Device()
      damaged.country = "zz"
      try writer.save(damaged)
    }
    var unreadable: [String?] = []
    try await device.scene.anew(store, maximumCount: 10).load { unreadable.append($0.name) }
    #expect(unreadable == [device.browser.record.name])
  }

  @Test("An installed app with an impossible country or identifier is unreadable", arguments: [true, false])
  func impossibleApp(hasCountry: Bool) async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    try await device.converted()
    let error = try await store.write(device.browser.record.id) { writer in
      var app = try #require(try writer.installedApps(after: "", limit: 1).first)
      if hasCountry { app.country = "zz" } else { app.itemIdentifier = -1 }
      try writer.save(app)
      return StoreError.unreadable(UnreadableRow(table: "device_rows", row: app.bundleIdentifier, column: "value"))
    }
    await #expect(throws: error) { try await device.browser.installedApps(after: "", limit: 9) }
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
      return .unreadable(UnreadableRow(table: "device_rows", row: row.key.name, column: column))
    }
  }

  @Test(
    "An installed app with a damaged value, or with the time of another one, is unreadable when it is read and when it is due",
    arguments: [
      ("startedAt", "9223372036854775807", "value"), ("startedAt", "5", "changes_at"),
      ("installedAt", "9000000000000000", "value"), ("launchedAt", "-1", "value"), ("itemIdentifier", "-1", "value"),
      ("recordedAt", "9223372036854775807", "value"), ("campaign", "\"zz\"", "value"),
      ("timestamp", "-5", "value"),
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
    "A view with a damaged value, or with the name or the time of another one, is unreadable when it is read and when it is due",
    arguments: [
      ("recordedAt", "9223372036854775807", "value"), ("endedAt", "-1", "value"), ("id", "9999", "value"),
      ("recordedBy", "7", "changes_at"),
    ])
  func view(member: String, value: String, column: String) async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    var ad = try device.jws()
    ad.presentation = "storekit-rendered"
    try await device.display(ad)
    let error = try await Self.damage(.view, of: device, in: store, member, value, column)
    await #expect(throws: error) { try await device.browser.impressions() }
    await #expect(throws: error) { try await device.browser.step(at: Scene.start + .days(1)) }
  }

  @Test(
    "An ad with a damaged value, or with the name of another one, is unreadable",
    arguments: [("recordedAt", "9223372036854775807"), ("id", "9999"), ("timestamp", "-1")])
  func impression(member: String, value: String) async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    try await device.display(device.ad())
    let error = try await Self.damage(.impression, of: device, in: store, member, value, "value")
    await #expect(throws: error) { try await device.browser.impressions() }
    await #expect(throws: error) { try await device.display(device.ad()) }
  }

  @Test(
    "A row that time does not change is unreadable when it is due", arguments: [DeviceRow.Kind.device, .adNetwork, .impression])
  func dueRow(kind: DeviceRow.Kind) async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    _ = try await store.submit(device.browser.record.id) {
      try $0.save(DeviceRow(kind, "one", value: "{}", changesAt: Scene.start))
    }.answer()
    let row = UnreadableRow(table: "device_rows", row: "one", column: "changes_at")
    await #expect(throws: StoreError.unreadable(row)) { try await device.browser.step(at: Scene.start) }
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
    let row = UnreadableRow(table: "apps", row: app.bundleIdentifier, column: "ad_attribution")
    await #expect(throws: StoreError.unreadable(row)) { try await device.display(device.ad()) }
  }

  @Test("only a tap reads the signed text of an ad")
  func signedText() async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    let name = RecordName.impression(try await device.display(try device.jws()).impression)
    try await store.write(device.browser.record.id) { try $0.save(DeviceRow(.signedText, name, value: "{}")) }
    try await device.display(device.ad())
    try await device.install()
    #expect(try await device.browser.impressions().open.map(\.id).map(RecordName.impression) == [name])
    let row = UnreadableRow(table: "device_rows", row: name, column: "value")
    await #expect(throws: StoreError.unreadable(row)) { try await device.browser.perform(ImpressionTapInput(), on: name) }
    _ = try await device.browser.perform(ImpressionEndInput(), on: name)
  }

  @Test("a page of ads reads only its ads")
  func page() async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    var ids: [Int64] = []
    for _ in 1...3 { ids.append(try await device.display(try device.jws()).impression) }
    let last = RecordName.impression(try #require(ids.last))
    try await store.write(device.browser.record.id) { try $0.save(DeviceRow(.view, last, value: "{}")) }
    #expect(try await device.browser.impressions(limit: 2).open.map(\.id) == Array(ids.prefix(2)))
    #expect(try await device.browser.impressions(after: ids[0], limit: 1).open.map(\.id) == [ids[1]])
    let row = UnreadableRow(table: "device_rows", row: last, column: "value")
    await #expect(throws: StoreError.unreadable(row)) { try await device.browser.impressions(after: ids[1], limit: 1) }
  }
}
