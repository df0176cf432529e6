import BrowserSupport
import PCMBrowser
import PCMCore
import PCMCrypto
import PCMStore
import Testing

/// The limits of a device.
@Suite struct DeviceLimitTests {
  /// Adds rows like the only one of a kind, up to a number of rows.
  private func fill(
    _ kind: DeviceRow.Kind, of device: DeviceScene, in store: any Store, to count: Int, prefix: String
  ) async throws {
    try await store.write(device.browser.record.id) { writer in
      let row = try #require(try writer.deviceRows(kind, after: "", limit: 1).first)
      for number in 1..<count {
        let value = row.value.replacing(#""id":"#, with: #""id":9\#(number),"former":"#)
          .replacing("\"\(row.key.name)\"", with: "\"\(prefix)\(number)\"")
        try writer.save(DeviceRow(kind, "\(prefix)\(number)", value: value, changesAt: row.changesAt))
      }
    }
  }

  @Test("A device has at most 1,000 ad networks, which can be registered again")
  func networks() async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    try await fill(.adNetwork, of: device, in: store, to: 1_000, prefix: "network")
    let restarted = try await Scene(restarting: store).browser
    var input = AdNetworkInput()
    (input.publicKey, input.postbackURL) = (TestKeyPair.adNetwork.publicKey, "https://network.example/")
    await #expect(performing: { try await restarted.register(adNetwork: "one.more", input) }, throws: isLimit)
    _ = try await restarted.register(adNetwork: DeviceScene.network, input)
  }

  @Test("A device keeps at most 1,000 ads, and displays as many")
  func ads() async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    try await device.display(device.ad())
    try await fill(.impression, of: device, in: store, to: 1_000, prefix: "impression-9")
    await #expect(performing: { try await device.display(device.ad()) }, throws: isLimit)
    try await device.display(device.ad(fidelity: .viewThrough))
    try await fill(.view, of: device, in: store, to: 1_000, prefix: "impression-9")
    await #expect(performing: { try await device.display(device.ad(fidelity: .viewThrough)) }, throws: isLimit)
  }

  @Test("A device has at most 1,000 installed apps, which can be installed again")
  func installedApps() async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    try await device.install()
    try await fill(.installedApp, of: device, in: store, to: 1_000, prefix: "com.example.app")
    try await device.install()
    var input = InstallInput()
    input.bundleIdentifier = DeviceScene.sourceApp
    await #expect(performing: { try await device.browser.perform(input) }, throws: isLimit)
  }

  @Test("An app has at most 100 pending conversions")
  func conversions() async throws {
    let device = try await DeviceScene()
    try await device.register(
      DeviceScene.advertisedApp, item: DeviceScene.advertisedItem,
      ["EligibleForAdAttributionKitOverlappingConversions": .bool(true)])
    try await device.install()
    let ad = RecordName.impression(try await device.display(try device.jws(reengagement: true)).impression)
    for _ in 0..<InstalledApp.maximumConversionCount {
      #expect(try await device.browser.perform(ImpressionTapInput(), on: ad).kind == .reengaged)
    }
    let sequence = try await device.browser.events(after: 0, limit: 1_000).last?.sequence
    await #expect(performing: { try await device.browser.perform(ImpressionTapInput(), on: ad) }, throws: isLimit)
    #expect(try await device.browser.events(after: 0, limit: 1_000).last?.sequence == sequence)
  }

  private func isLimit(_ error: any Error) -> Bool {
    if case BrowserError.limitReached = error { true } else { false }
  }
}
