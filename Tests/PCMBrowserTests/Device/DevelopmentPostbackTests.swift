import BrowserSupport
import PCMBrowser
import PCMCore
import PCMCrypto
import PCMDevice
import PCMNetwork
import PCMStore
import Testing

/// Development postbacks with their conversion windows.
@Suite struct DevelopmentPostbackTests {
  private static func input(windows: Int64? = nil, tag: String? = nil, waits: Bool = true) -> DevelopmentPostbackInput {
    var input = DevelopmentPostbackInput()
    (input.bundleIdentifier, input.windows, input.conversionTag) = (DeviceScene.advertisedApp, windows, tag)
    (input.fineValue, input.coarseValue, input.send) = (3, "low", waits ? .later : .now)
    return input
  }

  /// An installed app, by default in developer mode.
  private static func device(
    developerMode: Bool = true, store: any Store = MemoryStore()
  ) async throws -> DeviceScene {
    var change = DeviceChange()
    change.developerMode = developerMode
    let device = try await DeviceScene(device: change, store: store)
    try await device.install()
    return device
  }

  /// Registers the advertised app again, with overlapping conversions.
  private static func allowOverlap(_ device: DeviceScene) async throws {
    try await device.register(
      DeviceScene.advertisedApp, item: DeviceScene.advertisedItem,
      [
        "AttributionCopyEndpoint": "https://shop.example",
        "EligibleForAdAttributionKitOverlappingConversions": .bool(true),
      ])
  }

  private static func report(
    _ device: DeviceScene, fine: Int64, coarse: String? = nil, tag: String? = nil, locks: Bool = false
  ) async throws -> ConversionValueOutcome {
    var input = ConversionValueInput()
    (input.bundleIdentifier, input.framework, input.conversionTag) = (DeviceScene.advertisedApp, .adattributionkit, tag)
    (input.fineValue, input.coarseValue, input.lockWindow) = (fine, coarse, locks)
    return try await device.browser.perform(input)
  }

  private static func body(_ postback: Postback) throws -> JSON { try #require(JSON(parsing: Array(postback.body.utf8))) }

  @Test("Three windows have a postback each, at once, with the values and the crowd of each")
  func atOnce() async throws {
    let device = try await Self.device()
    var input = Self.input(windows: 3, waits: false)
    var (second, third) = (CrowdTiers(), CrowdTiers())
    (second.country, third.country) = (1, 0)
    (third.twoDigits, third.threeDigits, third.fourDigits) = (0, 0, 0)
    (input.country, input.secondCrowdTiers, input.thirdCrowdTiers) = ("DE", second, third)
    let created = try await device.browser.perform(input)
    #expect(created.conversions.isEmpty && created.postbacks.map(\.sequenceIndex) == [0, 1])
    #expect(created.postbacks.allSatisfy { $0.dueAt == Scene.start && $0.recipient == .developer })
    #expect(Set(created.postbacks.map(\.conversion)).count == 1)
    let (first, next) = (try Self.body(created.postbacks[0]), try Self.body(created.postbacks[1]))
    #expect(first["conversion-value"] == 3 && first["country-code"] == "DE")
    #expect(next["coarse-conversion-value"] == "low" && next["conversion-value"] == nil && next["country-code"] == nil)
    let text = try await device.reasons(about: RecordName.conversion(created.postbacks[0].conversion))
    #expect(text.contains("in tier 0, impression-"))
    try await device.scene.advance(.seconds(1))
    #expect(try await device.postbacks().allSatisfy { $0.state == .delivered })
  }

  @Test("The postbacks of a waiting conversion have the values of the app, a few minutes after each window")
  func waiting() async throws {
    let device = try await Self.device()
    let created = try await device.browser.perform(Self.input(windows: 3))
    let conversion = try #require(created.conversions.first)
    #expect(created.postbacks.isEmpty && conversion.nextChange == Scene.start + .minutes(3))
    #expect(try await Self.report(device, fine: 7).kind == .accepted)
    try await device.scene.advance(.minutes(4))
    #expect(try await Self.report(device, fine: 8, coarse: "high").kind == .accepted)
    try await device.scene.advance(.minutes(16))
    let postbacks = try await device.postbacks()
    #expect(postbacks.map(\.sequenceIndex) == [0, 1, 2] && postbacks.allSatisfy { $0.state == .delivered && $0.didWin })
    for (index, postback) in postbacks.enumerated() {
      let end = Scene.start + .minutes(Int64(index + 1) * 3)
      #expect(postback.dueAt >= end + .minutes(5) && postback.dueAt < end + .minutes(10), "window \(index + 1)")
      #expect(postback.url == "https://shop.example/.well-known/appattribution/report-attribution/")
      let jws = try CompactJWS(try #require(try Self.body(postback)["jws-string"]?.string))
      #expect(jws.header["kid"] == .string(TestKeyPair.development1.rawValue))
      #expect(jws.payload["ad-network-identifier"] == "development.adattributionkit")
    }
    let bodies = try postbacks.map(Self.body)
    #expect(bodies[0]["conversion-value"] == 7 && bodies[1]["coarse-conversion-value"] == "high")
    #expect(bodies[2]["coarse-conversion-value"] == "low")
    #expect(try await device.browser.installedApps(after: "", limit: 1).first?.conversions.pending.isEmpty == true)
  }

  @Test("A locked window is sent with the next call that sends; an open one waits")
  func locked() async throws {
    let device = try await Self.device(developerMode: false)
    _ = try await device.browser.perform(Self.input(windows: 3))
    let early = try await device.browser.perform(SendDevelopmentPostbacksInput())
    #expect(early.postbacks.isEmpty && early.conversions.map(\.nextChange) == [Scene.start + .days(2)])
    #expect(try await Self.report(device, fine: 9, locks: true).kind == .accepted)
    let waits = try #require(try await device.postbacks().first)
    #expect(waits.dueAt > Scene.start)
    let sent = try await device.browser.perform(SendDevelopmentPostbacksInput())
    #expect(sent.postbacks.map(\.id) == [waits.id] && sent.postbacks[0].dueAt == Scene.start && sent.conversions.count == 1)
    #expect(try await device.browser.perform(SendDevelopmentPostbacksInput()).postbacks.isEmpty, "it is due already")
    try await device.scene.advance(.seconds(1))
    let delivered = try #require(try await device.postbacks().first)
    #expect(delivered.state == .delivered)
    #expect(try Self.body(delivered)["conversion-value"] == 9)
    #expect(try await Self.report(device, fine: 10).reasons.map(\.code) == ["window-locked"])
  }

  @Test("A conversion tag selects one of several waiting conversions")
  func tags() async throws {
    let device = try await Self.device()
    try await Self.allowOverlap(device)
    var (one, two) = (Self.input(tag: "one"), Self.input(tag: "two"))
    // An install replaces an earlier install even when conversions may overlap.
    (one.conversionType, two.conversionType) = ("re-engagement", "re-engagement")
    let first = try #require(try await device.browser.perform(one).conversions.first)
    let second = try #require(try await device.browser.perform(two).conversions.first)
    #expect(try await Self.report(device, fine: 11, tag: "one").conversions == [first.id])
    #expect(try await Self.report(device, fine: 12).conversions == [second.id], "the most recent one")
    #expect(try await Self.report(device, fine: 13, tag: "three").reasons.map(\.code) == ["conversion-tag-unknown"])
    try await device.scene.advance(.minutes(14))
    #expect(try await device.postbacks().map { try Self.body($0)["conversion-value"] } == [11, 12])
  }

  @Test("Without overlapping conversions, the next conversion locks the waiting one")
  func replaced() async throws {
    let device = try await Self.device()
    _ = try await device.browser.perform(Self.input())
    _ = try await device.browser.perform(Self.input())
    let postback = try #require(try await device.postbacks().first)
    #expect(postback.dueAt >= Scene.start + .minutes(5) && postback.dueAt < Scene.start + .minutes(10))
    #expect(try await device.browser.installedApps(after: "", limit: 1).first?.conversions.pending.count == 1)
  }

  @Test("Clearing removes the conversions that wait and the postbacks that were not sent, and nothing else")
  func cleared() async throws {
    let device = try await Self.device()
    try await Self.allowOverlap(device)
    let conversion = try #require(try await device.browser.perform(Self.input(windows: 3)).conversions.first)
    #expect(try await Self.report(device, fine: 9, locks: true).kind == .accepted)
    _ = try await device.browser.perform(Self.input(waits: false))
    try await device.scene.advance(.seconds(1))
    let cleared = try await device.browser.perform(ClearDevelopmentPostbacksInput())
    #expect(cleared.conversions.map(\.id) == [conversion.id])
    #expect(cleared.postbacks.map(\.state) == [.cleared] && cleared.postbacks[0].conversion == conversion.id)
    #expect(try await device.postbacks().map(\.state) == [.cleared, .delivered])
    let text = try await device.reasons(about: RecordName.conversion(conversion.id))
    #expect(text.contains("Window 3 has no postback: the development postbacks were cleared in the settings."))
    let postback = try await device.reasons(about: RecordName.postback(cleared.postbacks[0].id))
    #expect(postback.contains("The development postbacks were cleared afterward."))
    #expect(try await Self.report(device, fine: 10).reasons.map(\.code) == ["nothing-pending"])
    let again = try await device.browser.perform(ClearDevelopmentPostbacksInput())
    #expect(again.conversions.isEmpty && again.postbacks.isEmpty)
    _ = try await device.browser.advance(.untilIdle())
    #expect(await device.scene.transport.requests.count == 1)
    #expect(try await device.browser.installedApps(after: "", limit: 9).map(\.bundleIdentifier) == [DeviceScene.advertisedApp])
  }

  @Test("A waiting conversion survives a restart, also with the least and the greatest values")
  func restart() async throws {
    for (source, publisher) in [(10, 0), (9_999, 9_007_199_254_740_991)] as [(Int64, Int64)] {
      let store = MemoryStore()
      let device = try await Self.device(store: store)
      var input = Self.input(windows: 1, tag: "sale")
      (input.sourceIdentifier, input.publisherItemIdentifier, input.didWin) = (source, publisher, false)
      input.url = "https://test.example/hook"
      let conversion = try #require(try await device.browser.perform(input).conversions.first)
      let transport = ScriptedTransport()
      let restarted = try await Scene(restarting: store, transport: transport)
      #expect(try await restarted.browser.installedApps(after: "", limit: 1).first?.conversions.pending == [conversion])
      _ = try await restarted.browser.advance(.untilIdle())
      let request = try #require(await transport.requests.first)
      #expect(request.url == "https://test.example/hook")
      let body = try #require(JSON(parsing: request.body ?? []))
      let jws = try CompactJWS(try #require(body["jws-string"]?.string))
      #expect(jws.payload["did-win"] == .bool(false) && body["conversion-value"] == nil, "a runner-up has no value")
    }
  }
}
