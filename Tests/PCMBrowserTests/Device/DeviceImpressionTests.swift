import BrowserSupport
import PCMBrowser
import PCMCore
import PCMCrypto
import PCMDevice
import PCMNetwork
import Testing

/// The records of ads.
@Suite struct DeviceImpressionTests {
  @Test("A rejected ad has a reason, Apple's error, the signed text, and the change that helps", arguments: [true, false])
  func rejections(isUpperCase: Bool) async throws {
    let device = try await DeviceScene()
    var ad = try device.ad()
    if isUpperCase {
      ad.adNetworkIdentifier = "TEST.skadnetwork"
    } else {
      ad.adImpressionIdentifier = "00000000-0170-41b5-bbe4-fe71dedf1e28"
    }
    let outcome = try await device.display(ad)
    #expect(outcome.kind == .rejected)
    #expect(outcome.reasons.map(\.code) == [isUpperCase ? "ad-network-id-not-lower-case" : "signature-invalid"])
    #expect(outcome.event.appleError != .null && outcome.change?.isEmpty == false)
    #expect(outcome.signedText?.hasPrefix("4.0|") == true)
    let text = try await device.reasons(about: RecordName.impression(outcome.impression))
    #expect(text.contains("was rejected"))
    #expect(try await device.install().kind == .unattributed)
  }

  @Test("A view counts after its end, and an ended view cannot end again")
  func view() async throws {
    let device = try await DeviceScene()
    let started = try await device.display(device.ad(fidelity: .viewThrough))
    let name = RecordName.impression(started.impression)
    #expect(started.kind == .started)
    #expect(try await device.browser.impressions().open.map(\.id) == [started.impression])
    try await device.scene.advance(.seconds(3))
    let ended = try await device.browser.perform(ImpressionEndInput(), on: name)
    #expect(ended.kind == .recorded && ended.event.interaction == .view && ended.impression == started.impression)
    let again = try await device.browser.perform(ImpressionEndInput(), on: name)
    #expect(
      again.reasons.map(\.code) == ["view-not-started"] && again.event.appleError == AppleError.skan(.impressionNotFound).json)
    #expect(try await device.browser.impressions().kept.map(\.id) == [started.impression])
    #expect(try await device.install().decision.winner?.id == started.impression)
  }

  @Test("A tap on an ad for an installed app begins a re-engagement, and opens the app's URL with its tag")
  func reengagement() async throws {
    let device = try await DeviceScene()
    try await device.install()
    let started = try await device.display(try device.jws(reengagement: true))
    var input = ImpressionTapInput()
    input.reengagementURL = "https://shop.example/sale?x=1"
    let tap = try await device.browser.perform(input, on: RecordName.impression(started.impression))
    #expect(tap.kind == .reengaged)
    #expect(tap.openedURL?.hasPrefix("https://shop.example/sale?x=1&AdAttributionKitReengagementOpen=") == true)
    let conversion = try #require(tap.conversion)
    #expect(try await device.report(.adattributionkit, fine: 5).conversions == [conversion])
    _ = try await device.scene.browser.advance(.untilIdle())
    let postbacks = try await device.postbacks()
    #expect(postbacks.map(\.recipient) == [.adNetwork] && postbacks.allSatisfy { $0.conversion == conversion })
  }

  @Test("An install without an ad says why each ad had no effect")
  func unattributed() async throws {
    let device = try await DeviceScene()
    let ad = try await device.display(device.ad())
    try await device.scene.advance(.days(31))
    let outcome = try await device.install()
    #expect(outcome.kind == .unattributed && outcome.reasons.map(\.code) == ["no-impression-counts"])
    #expect(try await device.browser.impressions().kept.isEmpty, "the ad expired with the install")
    #expect(outcome.decision.candidates.map(\.rejection?.reason.code) == ["impression-expired"])
    #expect(try await device.report(fine: 1).reasons.map(\.code) == ["nothing-pending"])
    let text = try await device.reasons(about: RecordName.install(outcome.sequence))
    #expect(text.contains("no ad led to it") && text.contains(RecordName.impression(ad.impression)))
  }

  @Test("An ad network's registration names the member that is wrong")
  func networks() async throws {
    let device = try await DeviceScene()
    var input = AdNetworkInput()
    (input.publicKey, input.postbackURL) = (TestKeyPair.skadnetworkP192.publicKey, "https://network.example/")
    await #expect(throws: BrowserError.self) { try await device.browser.register(adNetwork: "p192.skadnetwork", input) }
    (input.publicKey, input.postbackURL) = ("no key", "http://network.example/")
    do {
      _ = try await device.browser.register(adNetwork: "test2.skadnetwork", input)
      Issue.record("a registration without a key is accepted")
    } catch BrowserError.invalidInput(let errors) {
      #expect(errors.map(\.path) == [["publicKey"]])
    }
    await #expect(throws: BrowserError.unknownAdNetwork(id: "no.skadnetwork")) {
      try await device.browser.remove(adNetwork: "no.skadnetwork")
    }
  }
}
