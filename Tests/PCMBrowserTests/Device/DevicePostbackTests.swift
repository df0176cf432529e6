import BrowserSupport
import PCMBrowser
import PCMCore
import PCMCrypto
import PCMDevice
import PCMNetwork
import PCMStore
import PCMVerify
import Testing

/// The postbacks of a device, and their times.
@Suite struct DevicePostbackTests {
  @Test("A winning postback of SKAdNetwork 4 leaves 24 to 48 hours after its window, with a copy for the developer")
  func winner() async throws {
    let device = try await DeviceScene()
    try await device.converted()
    #expect(try await device.postbacks().isEmpty)
    try await device.scene.advance(.days(2))
    let scheduled = try await device.postbacks()
    try #require(scheduled.map(\.recipient) == [.adNetwork, .developer])
    #expect(
      scheduled.map(\.url) == [
        DeviceScene.postbackURL, "https://shop.example/.well-known/skadnetwork/report-attribution/",
      ])
    let windowEnd = Scene.start + .days(2)
    for postback in scheduled {
      #expect(postback.dueAt >= windowEnd + .days(1) && postback.dueAt <= windowEnd + .days(2))
      #expect(postback.didWin && postback.sequenceIndex == 0 && postback.framework == .skadnetwork)
    }
    #expect(scheduled[0].dueAt == scheduled[1].dueAt && scheduled[0].body == scheduled[1].body)
    try await device.scene.advance(.days(2))
    #expect(try await device.postbacks().allSatisfy { $0.state == .delivered && $0.attempts.count == 1 })
    let requests = await device.scene.transport.requests
    #expect(requests.map(\.url) == scheduled.map(\.url))
    #expect(requests.map(\.headers) == Array(repeating: Self.headers, count: 2))
    let body = try #require(requests.first?.body)
    #expect(body == Array(scheduled[0].body.utf8))
    let key = NamedKey(name: "test", use: "a test", key: try TestKeyPair.skadnetworkP256.privateKey().publicKey)
    let verdict = try SignatureVerifier(.given([key])).verdict(on: body)
    #expect(verdict.check == .verifies && verdict.faults.isEmpty)
    let json = try #require(JSON(parsing: body))
    #expect(json["conversion-value"] == 42)
    #expect(json["source-app-id"] == .number(DeviceScene.sourceItem))
    #expect(json["source-identifier"] == "5239")
  }

  private static let headers = [
    OutgoingRequest.Header("Content-Type", "application/json"), OutgoingRequest.Header("User-Agent", "App Store"),
  ]

  private func developmentPostback() -> DevelopmentPostbackInput {
    var input = DevelopmentPostbackInput()
    input.bundleIdentifier = DeviceScene.advertisedApp
    return input
  }

  @Test("A development postback goes to the copy URL by default, and its tier determines its contents")
  func developmentTiers() async throws {
    let device = try await DeviceScene()
    try await device.install()
    var input = developmentPostback()
    (input.fineValue, input.coarseValue, input.sequenceIndex) = (24, "high", 2)
    let third = try #require(try await device.browser.perform(input).postbacks.first)
    #expect(third.url == "https://shop.example/.well-known/appattribution/report-attribution/")
    #expect(third.body.contains(#""coarse-conversion-value":"high""#) && !third.body.contains(#""conversion-value":24"#))
    (input.crowdTiers.twoDigits, input.crowdTiers.threeDigits, input.crowdTiers.fourDigits) = (0, 0, 0)
    await #expect(throws: BrowserError.self) { try await device.browser.perform(input) }
    input.sequenceIndex = 0
    #expect(try await device.browser.perform(input).postbacks.first?.body.contains("conversion-value") == false)
  }

  @Test("A development postback needs iOS 18.4, an installed app, and an https URL")
  func developmentRefusals() async throws {
    let device = try await DeviceScene()
    await #expect(throws: BrowserError.self, "not installed") { try await device.browser.perform(developmentPostback()) }
    try await device.install()
    for change in [
      { $0.url = "http://a.example/" }, { $0.conversionType = "install" }, { $0.coarseValue = "none" }, { $0.country = "de" },
      { ($0.conversionType, $0.interactionType) = ("re-engagement", .view) },
    ] as [(inout DevelopmentPostbackInput) -> Void] {
      var input = developmentPostback()
      change(&input)
      await #expect(throws: BrowserError.self) { try await device.browser.perform(input) }
    }
    var system = DeviceChange()
    system.systemVersion = "18.3"
    try await device.browser.change(device: system)
    await #expect(throws: BrowserError.self, "the system") { try await device.browser.perform(developmentPostback()) }
    #expect(try await device.postbacks().isEmpty)
  }

  @Test("Postbacks leave while measurement of clicks is switched off")
  func measurementDisabled() async throws {
    let device = try await DeviceScene()
    try await device.browser.change(SettingsChange(measurementEnabled: false))
    try await device.converted()
    let end = try await device.scene.browser.advance(.untilIdle())
    #expect(end.isIdle)
    #expect(try await device.postbacks().allSatisfy { $0.state == .delivered })
  }

  @Test("A postback that was in flight when the process stopped is sent again")
  func crash() async throws {
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    try await device.converted()
    try await device.scene.advance(.days(2))
    let waiting = try await device.postbacks()
    try #require(waiting.count == 2)
    try await store.write(device.browser.record.id) { writer in
      var postback = waiting[0]
      _ = postback.message.handle(.due, at: postback.dueAt)
      try writer.save(postback)
    }
    let transport = ScriptedTransport()
    let restarted = try await Scene(restarting: store, transport: transport)
    try await restarted.browser.recover()
    let kept = try await restarted.browser.postback(named: RecordName.postback(waiting[0].id))
    #expect(kept.state == .scheduled && kept.attemptCount == 1)
    _ = try await restarted.browser.advance(.untilIdle())
    let again = await transport.requests.filter { $0.url == waiting[0].url }
    #expect(again.map(\.body) == [Array(waiting[0].body.utf8)])
    #expect(try await restarted.browser.postback(named: RecordName.postback(waiting[0].id)).state == .delivered)
  }

  @Test("Cleared data leaves no ad, no installed app, and no postback that waits")
  func clear() async throws {
    let device = try await DeviceScene()
    try await device.converted()
    let conversion = try #require(
      try await device.browser.installedApps(after: "", limit: 1).first?.conversions.conversions.first
    )
    .id
    try await device.display(device.ad(fidelity: .viewThrough))
    try await device.scene.advance(.days(2))
    try await device.browser.clear(nil)
    #expect(try await device.postbacks().map(\.state) == [.cleared, .cleared])
    let cleared = try #require(try await device.browser.events(after: 0, limit: 1_000).last { $0.kind == .dataCleared })
    #expect(cleared.detail.text.contains(#""impressionCount":1,"installedAppCount":1,"postbackCount":2"#))
    for record in try await device.postbacks().map({ RecordName.postback($0.id) }) + [RecordName.conversion(conversion)] {
      #expect(try await device.reasons(about: record).contains("The device's data was cleared afterward."))
    }
    #expect(try await device.browser.installedApps(after: "", limit: 9).isEmpty)
    let table = try await device.browser.impressions()
    #expect(table.kept.isEmpty && table.open.isEmpty)
    try await device.scene.advance(.days(60))
    #expect(await device.scene.transport.requests.isEmpty)
    #expect(try await device.browser.adNetworks(after: "", limit: 9).map(\.identifier) == [DeviceScene.network])
  }

  @Test("A restarted device has its properties, networks, ads, and conversions")
  func restart() async throws {
    let store = MemoryStore()
    var change = DeviceChange()
    (change.systemVersion, change.country) = ("17.5", "DE")
    let device = try await DeviceScene(device: change, store: store)
    try await device.display(device.ad())
    let transport = ScriptedTransport()
    let restarted = try await Scene(restarting: store, transport: transport)
    let properties = try await restarted.browser.device()
    #expect(properties.system == OSVersion(17, 5) && properties.country == "DE")
    var install = InstallInput()
    install.bundleIdentifier = DeviceScene.advertisedApp
    let outcome = try await restarted.browser.perform(install)
    #expect(outcome.kind == .attributed)
    var value = ConversionValueInput()
    (value.bundleIdentifier, value.fineValue) = (DeviceScene.advertisedApp, 3)
    #expect(try await restarted.browser.perform(value).kind == .accepted)
    _ = try await restarted.browser.advance(.untilIdle())
    #expect(await transport.requests.count == 2)
  }

  @Test("An explanation says why a postback has no conversion value, and names the remedy")
  func valueExplained() async throws {
    let device = try await DeviceScene()
    try await device.display(device.ad())
    var tiers = CrowdTiers()
    (tiers.twoDigits, tiers.threeDigits, tiers.fourDigits) = (1, 0, 0)
    let install = try await device.install(tiers)
    try await device.report(fine: 42)
    let pending = try #require(try await device.browser.installedApps(after: "", limit: 1).first)
    let conversion = try #require(install.conversion)
    #expect(pending.conversions[conversion]?.crowd.twoDigits == 1)
    let started = try #require(try await device.browser.events(after: 0, limit: 100).last { $0.kind == .conversionStarted })
    #expect(started.detail.text.contains(#""crowdTiers":{"twoDigits":1,"threeDigits":0"#))
    try await device.scene.advance(.days(2))
    let winner = try #require(try await device.postbacks().first)
    #expect(JSON(parsing: Array(winner.body.utf8))?["conversion-value"] == nil)
    let name = RecordName.postback(winner.id)
    let explanation = try await device.browser.explain(name)
    #expect(explanation.firstFailure?.verdict.rule == "value-not-reported")
    #expect(
      explanation.firstFailure?.verdict.change == "report a coarse value, or set a tier of 2 or 3 with crowdTiers")
    #expect(explanation.summary.contains("It has no conversion value: the app reported no coarse value in time"))
    #expect(explanation.steps.first?.rules.map(\.rule) == ["value-not-reported", "tier-too-low"])
    #expect(explanation.steps.first?.rules.map { $0.inputs?["field"]?.string } == ["conversion-value", "source"])
    let whole = try await device.browser.explain(RecordName.conversion(conversion))
    #expect(whole.summary.contains("It has no conversion value"))
    try await device.scene.advance(.days(6))
    let dropped = try await device.browser.explain(RecordName.conversion(conversion)).steps.last
    #expect(dropped?.outcome == "dropped" && dropped?.rules.first?.change == "report a value in this window")
  }

  @Test("An explanation names each value of a window, and its call")
  func overwritten() async throws {
    let device = try await DeviceScene()
    try await device.display(device.ad())
    let install = try await device.install()
    try await device.launch()
    try await device.report(fine: 42, coarse: "high")
    try await device.scene.advance(.hours(1))
    try await device.report(fine: 0)
    let conversion = RecordName.conversion(try #require(install.conversion))
    let (first, second) = ("fine value 42 and coarse value high with SKAdNetwork at 2026-11-20T10:00:00.000Z", "fine value 0")
    let summary = try await device.browser.explain(conversion).summary
    #expect(summary.contains("A call set window 1 to \(first). A call set window 1 to \(second)"), "\(summary)")
    #expect(summary.contains(" at 2026-11-20T11:00:00.000Z, in place of \(first)."), "\(summary)")
    try await device.scene.advance(.days(5))
    let postback = try #require(try await device.postbacks().first)
    let text = try await device.browser.explain(RecordName.postback(postback.id)).summary
    #expect(
      text.contains("Several calls set the values of window 1, and the last one counts: \(first), then \(second)"), "\(text)")
  }

  @Test("An explanation says why there is no copy for the developer")
  func copyExplained() async throws {
    let device = try await DeviceScene()
    try await device.register(DeviceScene.advertisedApp, item: DeviceScene.advertisedItem, [:])
    try await device.converted()
    try await device.scene.advance(.days(2))
    let postbacks = try await device.postbacks()
    try #require(postbacks.map(\.recipient) == [.adNetwork])
    let text = try await device.reasons(about: RecordName.postback(postbacks[0].id))
    #expect(text.contains("It has no copy for the developer"))
    #expect(text.contains("add NSAdvertisingAttributionReportEndpoint to the Info.plist"))
  }

  @Test("A delivered postback that lacks nothing has no failure, and a runner-up is none")
  func nothingLacks() async throws {
    let device = try await DeviceScene()
    try await device.register("other.skadnetwork")
    try await device.display(device.ad(network: "other.skadnetwork"))
    try await device.converted()
    _ = try await device.browser.advance(.untilIdle())
    let postbacks = try await device.postbacks()
    try #require(postbacks.map(\.didWin) == [true, true, false])
    for postback in postbacks {
      let explanation = try await device.browser.explain(RecordName.postback(postback.id))
      #expect(explanation.firstFailure == nil)
      #expect(explanation.summary.contains("only the winner's postback has a conversion value") == !postback.didWin)
    }
  }

  @Test(
    "A device signs with the keys that its setting names",
    arguments: [
      (nil, false, "test-cas-identifier/0"), (nil, true, "test-development-identifier/0"),
      (.secondDevelopment, false, "test-cas-identifier/0"), (.secondDevelopment, true, "test-development-identifier/1"),
      (.appleIdentifiers, false, "apple-cas-identifier/0"), (.appleIdentifiers, true, "apple-development-identifier/0"),
    ] as [(PostbackKeyChoice?, Bool, String)])
  func keys(_ choice: PostbackKeyChoice?, isDevelopment: Bool, identifier: String) async throws {
    var change = DeviceChange()
    (change.postbackKeys, change.developerMode) = (choice, isDevelopment)
    let device = try await DeviceScene(device: change)
    let ad = try await device.display(device.jws(publisher: isDevelopment ? 0 : DeviceScene.sourceItem))
    _ = try await device.browser.perform(ImpressionTapInput(), on: RecordName.impression(ad.impression))
    try await device.install()
    try await device.report(.adattributionkit, fine: 7)
    try await device.scene.advance(.days(4))
    let body = try #require(try await device.postbacks().first?.body)
    let jws = try CompactJWS(try #require(JSON(parsing: Array(body.utf8))?["jws-string"]?.string))
    #expect(jws.keyIdentifier == identifier)
    let isFaulty = choice == .appleIdentifiers
    #expect(try SignatureVerifier(.test).verdict(on: Array(body.utf8)).outcome == (isFaulty ? .invalid : .valid))
    #expect(try SignatureVerifier(.apple).verdict(on: Array(body.utf8)).outcome == (isFaulty ? .invalid : .unverifiable))
  }

  @Test("A device writes slashes as its setting says", arguments: [nil, true, false] as [Bool?])
  func slashes(_ isEscaped: Bool?) async throws {
    var change = DeviceChange()
    change.escapedSlashes = isEscaped
    let device = try await DeviceScene(device: change)
    #expect(try await device.browser.device().json["escapedSlashes"] == .bool(isEscaped ?? true))
    let ad = try await device.display(device.jws())
    _ = try await device.browser.perform(ImpressionTapInput(), on: RecordName.impression(ad.impression))
    try await device.install()
    try await device.report(.adattributionkit, fine: 7)
    try await device.scene.advance(.days(4))
    let body = try #require(try await device.postbacks().first?.body)
    #expect(try SignatureVerifier(.test).verdict(on: Array(body.utf8)).outcome == .valid)
    let jws = try #require(JSON(parsing: Array(body.utf8))?["jws-string"]?.string)
    let header = try #require(Base64URL.decodeUnpadded(jws.prefix { $0 != "." }))
    let identifier = isEscaped == false ? "test-cas-identifier/0" : #"test-cas-identifier\/0"#
    #expect(String(decoding: header, as: UTF8.self) == #"{"kid":"\#(identifier)","alg":"ES256"}"#)
  }

  @Test("A mode that ended by itself is off in the properties")
  func endedMode() async throws {
    var change = DeviceChange()
    change.developerMode = true
    let device = try await DeviceScene(device: change)
    #expect(try await device.browser.device().json(at: Scene.start)["developerMode"] == JSON.bool(true))
    let end = Scene.start + .days(14)
    #expect(try await device.browser.device().json(at: end - Interval(milliseconds: 1))["developerMode"] == JSON.bool(true))
    let after = try await device.browser.device().json(at: end)
    #expect(after["developerMode"] == JSON.bool(false) && after["developerModeSince"] == JSON.null)
  }
}
