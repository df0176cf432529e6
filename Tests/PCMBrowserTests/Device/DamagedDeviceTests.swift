import BrowserSupport
import PCMCore
import PCMSignatures
import PCMStore
import Testing

@testable import PCMBrowser

/// Rows of the device that this version did not write.
@Suite struct DamagedDeviceTests {
  @Test(
    "a browser with a damaged ad network is not restored, and other browsers are",
    arguments: [
      #"{"publicKey":"AAAA","postbackURL":"https://network.example/"}"#,
      #"{"publicKey":"\#(TestKeyPair.adNetwork.publicKey)","postbackURL":"network.example"}"#, #"{"publicKey":"AAAA"}"#, "{",
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
    #expect(throws: BrowserError.self) { try again.browser(device.browser.record.name) }
    #expect(try again.browser(Browsers.defaultName).record.name == Browsers.defaultName)
  }
}
