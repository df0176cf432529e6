import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

@Suite struct SKAdNetworkDisplayTests {
  private func display(
    _ ad: ImpressionInput, as presentation: ImpressionPresentation = .storeKitRendered,
    in app: DeviceApp = Sample.sourceApp,
    device: Device = Device(), at now: Instant = Sample.now
  ) throws -> (decision: ImpressionDecision, evaluation: RuleEvaluation) {
    var evaluation = RuleEvaluation(of: DeviceRuleBook.skAdNetworkAd)
    let display = SKAdNetworkDisplay(
      ad, as: presentation, in: app, networks: try Sample.registry(), device: device, at: now)
    let decision = display.decide(&evaluation)
    #expect(evaluation.isBounded, "\(evaluation.inputs.map { "\($0.name): \($0.value.bytes.count)" })")
    return (decision, evaluation)
  }

  /// The code, Apple's error, and the change of a refused ad.
  private func rejection(
    _ ad: ImpressionInput, as presentation: ImpressionPresentation = .storeKitRendered,
    in app: DeviceApp = Sample.sourceApp,
    device: Device = Device()
  ) throws -> Violation? {
    let (decision, evaluation) = try display(ad, as: presentation, in: app, device: device)
    guard case .reject(let rejection) = decision else { return nil }
    #expect(evaluation.failed?.reason == rejection.reason)
    #expect(evaluation.failed?.change == rejection.change)
    return rejection
  }

  private func expect(
    _ rejection: Violation?, _ code: String, _ error: SKANErrorCode, at location: SourceLocation = #_sourceLocation
  ) {
    #expect(rejection?.reason.code == code, sourceLocation: location)
    #expect(rejection?.appleError == .skan(error), sourceLocation: location)
  }

  @Test("A signed ad of each version is recorded as a click", arguments: SKAdNetworkVersion.allCases.dropFirst())
  func eachVersion(version: SKAdNetworkVersion) throws {
    let (decision, evaluation) = try display(Sample.ad(version))
    let impression = try #require(decision.recorded)
    #expect(impression.signed == .skAdNetwork(Sample.impression(version)))
    #expect(impression.interaction == .click)
    #expect(impression.recordedAt == Sample.now)
    #expect(impression.sourceApp == "com.example.news")
    #expect(!impression.isDevelopment)
    #expect(decision.notes == [])
    #expect(evaluation.failed == nil)
  }

  @Test("A signed ad of version 1.0 is recorded in an app of an old SDK")
  func version1() throws {
    var app = Sample.sourceApp
    app.sdk = OSVersion(13, 7)
    let (decision, _) = try display(Sample.ad(.v1), in: app)
    let impression = try #require(decision.recorded)
    #expect(impression.source == nil)
  }

  @Test("A view-through ad begins a view, from version 2.2 on", arguments: SKAdNetworkVersion.allCases.dropFirst())
  func viewThrough(version: SKAdNetworkVersion) throws {
    let ad = try Sample.ad(version, fidelity: .viewThrough)
    if version < .v22 {
      expect(try rejection(ad, as: .viewThrough), "view-through-too-old", .invalidVersion)
      return
    }
    let (decision, _) = try display(ad, as: .viewThrough)
    let view = try #require(decision.view)
    #expect(view.recordedAt == Sample.now)
    #expect(view.signed == .skAdNetwork(Sample.impression(version, fidelity: .viewThrough)))
  }

  @Test("An ad with the other fidelity type does not verify")
  func otherFidelity() throws {
    let rejection = try rejection(Sample.ad(.v4, fidelity: .viewThrough))
    expect(rejection, "signature-invalid", .unknown)
    #expect(rejection?.reason.detail.hasSuffix(": the signed text has fidelity type 0") == true)
    #expect(rejection?.change == "use fidelity type 1 for StoreKit-rendered and web ads, 0 for view-through ads")
  }

  @Test("Only apps for iPhone and iPad measure", arguments: [AppBuild.Platform.macCatalyst, .appClip])
  func platform(platform: AppBuild.Platform) throws {
    var app = Sample.sourceApp
    app.platform = platform
    expect(try rejection(Sample.ad(), in: app), "platform-unsupported", .unsupported)
  }

  @Test("An unknown version is refused", arguments: ["", "1", "2.3", "4", "5.0", "v4.0"])
  func unknownVersion(version: String) throws {
    var ad = try Sample.ad()
    ad.version = version
    expect(try rejection(ad), "version-unknown", .invalidVersion)
  }

  @Test("A version that the system, or the source app's SDK, does not have is refused")
  func unsupportedVersion() throws {
    expect(try rejection(Sample.ad(), device: Device(system: OSVersion(16, 0))), "version-not-supported", .unsupported)
    var app = Sample.sourceApp
    app.sdk = OSVersion(16, 0)
    expect(try rejection(Sample.ad(), in: app), "version-not-supported", .unsupported)
    var old = try Sample.ad(.v3)
    old.version = nil
    expect(try rejection(old), "version-not-supported", .unsupported)
  }

  static let requiredValues: [(String, @Sendable (inout ImpressionInput) -> Void)] = [
    ("adNetworkIdentifier", { $0.adNetworkIdentifier = nil }), ("sourceIdentifier", { $0.sourceIdentifier = nil }),
    ("advertisedAppStoreItemIdentifier", { $0.advertisedAppStoreItemIdentifier = nil }),
    ("adImpressionIdentifier", { $0.adImpressionIdentifier = nil }),
    ("sourceAppStoreItemIdentifier", { $0.sourceAppStoreItemIdentifier = nil }), ("timestamp", { $0.timestamp = nil }),
    ("signature", { $0.signature = nil }),
  ]

  @Test("Each value is required", arguments: requiredValues.indices)
  func missingValue(index: Int) throws {
    let (name, remove) = Self.requiredValues[index]
    var ad = try Sample.ad()
    remove(&ad)
    let rejection = try rejection(ad)
    expect(rejection, "value-missing", .impressionMissingRequiredValue)
    #expect(rejection?.change == "pass \(name)")
  }

  @Test("All missing values are named, and a campaign is required before version 4.0")
  func missingValues() throws {
    #expect(
      try rejection(ImpressionInput(version: "3.0"))?.reason.detail
        == "the ad lacks adNetworkIdentifier, adCampaignIdentifier, advertisedAppStoreItemIdentifier, adImpressionIdentifier, sourceAppStoreItemIdentifier, "
        + "timestamp, signature")
  }

  @Test("An ad network must be written in lower case, declared, and registered")
  func network() throws {
    let upper = try Sample.ad { $0.adNetworkIdentifier = "Example123.skadnetwork" }
    expect(try rejection(upper), "ad-network-id-not-lower-case", .adNetworkIdMissing)

    var app = Sample.sourceApp
    app.adAttribution.skAdNetworkIdentifiers = ["Example123.skadnetwork", Sample.otherNetwork]
    expect(try rejection(Sample.ad(), in: app), "ad-network-not-declared", .adNetworkIdMissing)

    app.adAttribution.skAdNetworkIdentifiers = ["third.skadnetwork"]
    let unregistered = try Sample.ad { $0.adNetworkIdentifier = "third.skadnetwork" }
    expect(try rejection(unregistered, in: app), "ad-network-not-registered", .unknown)
  }

  @Test("An identifier that no ad network can have is refused", arguments: ["", "a b", "a\u{0}", "é.skadnetwork"])
  func invalidNetwork(identifier: String) throws {
    expect(try rejection(Sample.ad { $0.adNetworkIdentifier = identifier }), "ad-network-id-invalid", .adNetworkIdMissing)
  }

  @Test("Of a long list of ad networks, the log has the first ones")
  func manyNetworks() throws {
    var app = Sample.sourceApp
    app.adAttribution.skAdNetworkIdentifiers = [Sample.network] + (0..<1_000).map { "network\($0).skadnetwork" }
    let (decision, evaluation) = try display(Sample.ad(), in: app)
    #expect(decision.recorded != nil)
    let listed = evaluation.inputs.first { $0.name == "skAdNetworkItems" }?.value.items ?? []
    #expect(listed.first == .string(Sample.network) && listed.last == "…" && (3...20).contains(listed.count))
  }

  @Test("Text of any size has a reason of limited size")
  func bounds() throws {
    let long = String(repeating: "a\u{301}", count: 10_000)
    let changes: [(inout ImpressionInput) -> Void] = [
      { $0.version = long }, { $0.adNetworkIdentifier = long }, { $0.adImpressionIdentifier = long }, { $0.signature = long },
    ]
    for change in changes {
      var ad = try Sample.ad()
      change(&ad)
      #expect((1...1_000).contains(try rejection(ad)?.reason.detail.utf8.count ?? 0))
    }
  }

  @Test(
    "A campaign is from 1 to 100",
    arguments: [(0, false), (1, true), (100, true), (101, false), (-1, false)] as [(Int64, Bool)])
  func campaign(number: Int64, isValid: Bool) throws {
    let rejection = try rejection(Sample.ad(.v3) { $0.campaign = .campaign(number) })
    #expect(rejection?.reason.code == (isValid ? nil : "campaign-out-of-range"))
    if !isValid { #expect(rejection?.appleError == .skan(.invalidCampaignId)) }
  }

  @Test(
    "A source identifier has up to four digits",
    arguments: [(-1, false), (0, true), (7, true), (9_999, true), (10_000, false)] as [(Int64, Bool)])
  func sourceIdentifier(number: Int64, isValid: Bool) throws {
    let rejection = try rejection(Sample.ad { $0.campaign = .source(String(number)) })
    #expect(rejection?.reason.code == (isValid ? nil : "source-identifier-out-of-range"))
    if !isValid { #expect(rejection?.appleError == .skan(.invalidCampaignId)) }
  }

  @Test("The advertised app has a positive identifier", arguments: [0, -1] as [Int64])
  func advertisedApp(item: Int64) throws {
    expect(try rejection(Sample.ad { $0.itemIdentifier = item }), "advertised-app-invalid", .invalidAdvertisedAppId)
  }

  @Test("The source app is the app itself, or 0 for an app that is signed for development")
  func sourceApp() throws {
    expect(try rejection(Sample.ad(source: -1)), "source-app-invalid", .invalidSourceAppId)
    let other = try rejection(Sample.ad(source: 5))
    expect(other, "source-app-mismatch", .mismatchedSourceAppId)
    #expect(other?.change == "sign and pass \(Sample.sourceItem) as the source app")
    expect(try rejection(Sample.ad(source: 0)), "source-app-mismatch", .mismatchedSourceAppId)

    var development = Sample.sourceApp
    development.signing = .development
    let own = try rejection(Sample.ad(), in: development)
    expect(own, "source-app-mismatch", .mismatchedSourceAppId)
    #expect(own?.change == "sign and pass 0 as the source app")
    let decision = try display(Sample.ad(source: 0), in: development).decision
    #expect(decision.recorded?.isDevelopment == true)
    #expect(decision.notes == [AdImpression.developmentNote])
  }

  @Test("An app without an identifier has a change that its system allows")
  func noIdentifier() throws {
    var app = Sample.sourceApp
    app.itemIdentifier = nil
    func change(_ device: Device) throws -> String? { try rejection(Sample.ad(), in: app, device: device)?.change }
    #expect(try change(Device()) == "switch on developer mode, and sign and pass 0 as the source app")
    #expect(try change(Device(developerModeSince: Sample.now)) == "sign and pass 0 as the source app")
    #expect(
      try change(Device(system: OSVersion(17, 4)))
        == "register the app with its identifier in the App Store, and sign and pass it as the source app")
  }

  @Test("In developer mode, an app of a store can use the source app 0")
  func developerMode() throws {
    let device = Device(developerModeSince: Sample.now)
    #expect(try display(Sample.ad(source: 0), device: device).decision.recorded?.isDevelopment == true)
    #expect(try rejection(Sample.ad(), device: device) == nil)
  }

  @Test("A nonce is a UUID", arguments: ["", "6aafb7a5017041b5bbe4fe71dedf1e28", "6aafb7a5-0170-41b5-bbe4-fe71dedf1e2g"])
  func nonce(nonce: String) throws {
    expect(try rejection(Sample.ad { $0.nonce = nonce }), "nonce-not-a-uuid", .unknown)
  }

  @Test("A nonce may be passed in upper case, and must be signed in lower case")
  func nonceInUpperCase() throws {
    var ad = try Sample.ad()
    ad.adImpressionIdentifier = Sample.nonce.uppercased()
    #expect(try rejection(ad) == nil)
    let rejection = try rejection(Sample.ad { $0.nonce = Sample.nonce.uppercased() })
    expect(rejection, "signature-invalid", .unknown)
    #expect(rejection?.reason.detail.hasSuffix(": the nonce is signed in upper case") == true)
    #expect(rejection?.change == "sign the nonce in lower case")
  }

  @Test("A time in another unit is refused", arguments: [1_800_000_000, 1_800_000_000_000_000] as [Int64])
  func otherUnit(_ timestamp: Int64) throws {
    let rejection = try rejection(Sample.ad { $0.timestamp = timestamp })
    expect(rejection, "timestamp-not-milliseconds", .unknown)
    #expect(rejection?.change == "sign and pass 1800000000000")
    for other in [5, 99_999_999, 10_000_000_000, -1] as [Int64] {
      #expect(try self.rejection(Sample.ad { $0.timestamp = other })?.change == "sign and pass milliseconds since 1970")
    }
    #expect(try self.rejection(Sample.ad { $0.timestamp = SignedTime.range.lowerBound }) == nil)
    expect(
      try self.rejection(Sample.ad { $0.timestamp = SignedTime.range.lowerBound - 1 }), "timestamp-not-milliseconds",
      .unknown)
  }

  @Test("A time that differs from the clock by more than a day is noted")
  func timestampOff() throws {
    func notes(_ difference: Interval) throws -> [Reason]? {
      try display(Sample.ad { $0.timestamp = (Sample.now + difference).milliseconds }).decision.notes
    }
    #expect(try notes(.days(1)) == [])
    #expect(try notes(.days(-1)) == [])
    #expect(try notes(.days(1) + Sample.millisecond)?.map(\.code) == ["timestamp-off"])
    #expect(try notes(.days(-2))?.map(\.code) == ["timestamp-off"])
  }

  @Test("A signature is Base64 of DER", arguments: ["", "!", "AAAA", "MEQCIEQ"])
  func malformedSignature(signature: String) throws {
    var ad = try Sample.ad()
    ad.signature = signature
    expect(try rejection(ad), "signature-malformed", .unknown)
  }

  @Test("A signature by another key is refused, with the signed text")
  func otherKey() throws {
    let rejection = try rejection(Sample.ad(key: "skadnetwork-p256"))
    expect(rejection, "signature-invalid", .unknown)
    let text = "4.0|\(Sample.network)|5239|\(Sample.item)|\(Sample.nonce)|\(Sample.sourceItem)|1|\(Sample.now.milliseconds)"
    #expect(rejection?.reason.detail == "the signature does not verify over \(text), where | stands for U+2063")
  }

  @Test("A changed value breaks the signature")
  func changedValue() throws {
    var ad = try Sample.ad()
    ad.sourceIdentifier = 5_238
    expect(try rejection(ad), "signature-invalid", .unknown)
  }
}
