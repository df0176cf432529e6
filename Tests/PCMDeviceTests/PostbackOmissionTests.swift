import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

/// Why a postback lacks a field, or has no copy.
@Suite struct PostbackOmissionTests {
  private func omissions(
    _ version: SKAdNetworkVersion? = .v4, index: Int = 0, _ values: ReportedValues = ReportedValues(fine: 20, coarse: .high),
    crowd: CrowdTiers = .highest, country: String? = "US", app: DeviceApp = Sample.advertisedApp, place: Int = 0
  ) throws -> [PostbackOmission] {
    let device = Device(country: country)
    let others = [Sample.kept(2, version, network: Sample.otherNetwork, age: .hours(2))]
    var conversion = Sample.conversion(Sample.kept(1, version), app: app, device: device, others: others)
    let order = PostbackPlan(conversion: conversion.id, index: index, windowEnd: Sample.now, values: values)
    conversion.crowd = crowd
    let decision = conversion.postbacks(for: order, app: app, networks: try Sample.registry(), device: device) { _ in
      PostbackDraw(delay: 0, identifier: "00000000-0000-4000-8000-000000000000")
    }
    let recipients = decision.planned.filter { $0.recipient == .adNetwork }
    return try #require(recipients.dropFirst(place).first).omissions
  }

  private func fields(_ omissions: [PostbackOmission]) -> [String] {
    omissions.map { "\($0.field.rawValue) \($0.reason.code)" }
  }

  @Test("A complete postback lacks nothing", arguments: [.v2, .v21, .v22, .v3, .v4, nil] as [SKAdNetworkVersion?])
  func complete(version: SKAdNetworkVersion?) throws {
    #expect(try omissions(version).isEmpty)
    if version.map({ $0 >= .v4 }) ?? true { #expect(try omissions(version, index: 1, ReportedValues(coarse: .low)).isEmpty) }
  }

  @Test("A tier that is too low is the reason, with the tier that would do")
  func tiers() throws {
    func crowd(_ tier: Int64) -> CrowdTiers {
      CrowdTiers(twoDigits: tier, threeDigits: tier, fourDigits: tier, country: tier)
    }
    #expect(try fields(omissions(crowd: crowd(2))) == ["source tier-too-low", "country-code tier-too-low"])
    #expect(try fields(omissions(crowd: crowd(1))) == ["source tier-too-low", "country-code tier-too-low"])
    let lowest = try omissions(nil, crowd: crowd(0))
    #expect(
      fields(lowest) == [
        "conversion-value tier-too-low", "source tier-too-low", "country-code tier-too-low",
        "marketplace-identifier tier-too-low",
      ])
    #expect(lowest[0].reason.detail == "tier 0 has no conversion value")
    #expect(lowest.map(\.change)[...1] == ["set a tier of 1 or more with crowdTiers", "set tier 3 with crowdTiers"])
    #expect(lowest[2].change == "set crowdTiers.country to 3")
  }

  @Test("A value of the other kind is none: tier 1 has coarse values, and higher tiers have fine ones")
  func kindOfValue() throws {
    let fine = try omissions(
      .v4, index: 0, ReportedValues(fine: 3), crowd: CrowdTiers(twoDigits: 1, threeDigits: 0, fourDigits: 0))
    #expect(fields(fine)[0] == "conversion-value value-not-reported")
    #expect(fine[0].reason.detail == "the app reported no coarse value in time, and tier 1 has only coarse values")
    let coarse = try omissions(.v4, index: 0, ReportedValues(coarse: .low))
    #expect(coarse.map(\.reason.detail) == ["the app reported no fine value in time"])
    #expect(coarse.map(\.change) == ["report a fine value before the window or the timer ends"])
    #expect(try omissions(.v3, index: 0, ReportedValues()).map(\.reason.detail) == ["the app reported no value in time"])
  }

  @Test(
    "Below the privacy threshold, versions 2.0 to 3.0 have neither a value nor the source",
    arguments: [
      SKAdNetworkVersion.v2, .v21, .v22, .v3,
    ])
  func threshold(version: SKAdNetworkVersion) throws {
    let found = try omissions(version, crowd: CrowdTiers(meetsThreshold: false))
    #expect(fields(found) == ["conversion-value below-privacy-threshold", "source below-privacy-threshold"])
    #expect(found.map(\.change).allSatisfy { $0 == "set crowdTiers.meetsThreshold to true" })
  }

  @Test("Version 1.0 has no values, and a runner-up has none")
  func versionAndPlace() throws {
    let kept = Sample.kept(1, .v1)
    let impression = AdImpression(
      signed: kept.impression.signed, interaction: .click, sourceApp: nil, sourceSDK: OSVersion(13, 7), isDevelopment: false,
      recordedAt: kept.impression.recordedAt)
    let conversion = Sample.conversion(KeptImpression(id: 1, impression: impression))
    let order = PostbackPlan(conversion: 100, index: 0, windowEnd: Sample.now, values: ReportedValues(fine: 1))
    let decision = conversion.postbacks(
      for: order, app: Sample.advertisedApp, networks: try Sample.registry(), device: Device()
    ) { _ in PostbackDraw(delay: 0, identifier: "") }
    #expect(fields(try #require(decision.planned.first).omissions) == ["conversion-value version-without-values"])
    #expect(try fields(omissions(place: 1)) == ["conversion-value runner-up"])
  }

  @Test("Without a country, and without an endpoint for copies, the postback lacks both")
  func countryAndCopy() throws {
    #expect(try fields(omissions(country: nil)) == ["country-code country-unknown"])
    var app = Sample.advertisedApp
    app.adAttribution.skAdNetworkCopySite = nil
    let copy = try omissions(app: app)
    #expect(fields(copy) == ["developer-copy copy-endpoint-missing"])
    #expect(copy.map(\.change) == ["add NSAdvertisingAttributionReportEndpoint to the Info.plist"])
    app.adAttribution.adAttributionKitCopySite = nil
    #expect(try omissions(nil, app: app).map(\.change) == ["add AttributionCopyEndpoint to the Info.plist"])
  }
}
