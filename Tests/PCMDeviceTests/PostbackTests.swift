import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

@Suite struct PostbackTests {
  private static let registry = try? Sample.registry([Sample.network, "n2", "n3"])
  private static let windowEnd = Sample.now + .days(2)

  private static func identifier(_ place: Int) -> String { "00000000-0000-4000-8000-00000000000\(place)" }

  private typealias Decision = (planned: [PlannedPostback], dropped: [PostbackDropped])

  private func decide(
    _ conversion: Conversion, index: Int = 0, values: ReportedValues = ReportedValues(fine: 20, coarse: .high),
    crowd: CrowdTiers = .highest, app: DeviceApp = Sample.advertisedApp, device: Device = Device(), delay: Double = 0,
    networks: AdNetworkRegistry? = registry
  ) throws -> Decision {
    let order = PostbackPlan(conversion: conversion.id, index: index, windowEnd: Self.windowEnd, values: values)
    var conversion = conversion
    conversion.crowd = crowd
    return conversion.postbacks(for: order, app: app, networks: try #require(networks), device: device) {
      PostbackDraw(delay: delay, identifier: Self.identifier($0))
    }
  }

  private func skAdNetwork(_ decision: Decision, _ place: Int = 0) throws -> SKAdNetworkPostback {
    guard case .skAdNetwork(let postback) = try #require(decision.planned.dropFirst(place).first).content else {
      throw OtherFramework()
    }
    return postback
  }

  private func adAttributionKit(_ decision: Decision, _ place: Int = 0) throws -> AdAttributionKitPostback {
    guard case .adAttributionKit(let postback) = try #require(decision.planned.dropFirst(place).first).content else {
      throw OtherFramework()
    }
    return postback
  }

  private struct OtherFramework: Error {}

  @Test("A postback of 4.0 in the highest tier has everything")
  func version4() throws {
    let decision = try decide(Sample.conversion(Sample.kept(1)))
    let expected = SKAdNetworkPostback(
      version: .v4, adNetworkIdentifier: Sample.network, campaign: .source("5239"), itemIdentifier: Sample.item,
      transactionIdentifier: Self.identifier(0), isRedownload: false, source: .app(Sample.sourceItem),
      fidelity: .storeKitRendered,
      didWin: true, sequenceIndex: 0, conversionValue: .fine(20), countryCode: "US")
    #expect(try skAdNetwork(decision) == expected)
    #expect(decision.dropped.isEmpty)
  }

  @Test(
    "The versions before 4.0 have their values, above the threshold",
    arguments: [SKAdNetworkVersion.v1, .v2, .v21, .v22, .v3])
  func earlyVersions(version: SKAdNetworkVersion) throws {
    var kept = Sample.kept(1, version)
    if version == .v1 {
      let impression = kept.impression
      kept = KeptImpression(
        id: 1,
        impression: AdImpression(
          signed: impression.signed, interaction: .click, sourceApp: nil, sourceSDK: OSVersion(13, 7), isDevelopment: false,
          recordedAt: impression.recordedAt))
    }
    let conversion = Sample.conversion(kept)
    let above = try skAdNetwork(decide(conversion))
    #expect(above.campaign == .campaign(42))
    #expect(above.source == (version > .v1 ? .app(Sample.sourceItem) : nil))
    #expect(above.conversionValue == (version > .v1 ? .fine(20) : nil))
    #expect(above.fidelity == (version >= .v22 ? .storeKitRendered : nil))
    #expect(above.didWin == (version >= .v3 ? true : nil))
    #expect(above.sequenceIndex == nil && above.countryCode == nil)
    let below = try skAdNetwork(decide(conversion, crowd: CrowdTiers(meetsThreshold: false)))
    #expect(below.source == nil && below.conversionValue == nil)
  }

  @Test("Every postback can be signed", arguments: SKAdNetworkVersion.allCases.dropFirst().map(Optional.some) + [nil])
  func signing(version: SKAdNetworkVersion?) throws {
    let tiers = (0...3 as ClosedRange<Int64>).flatMap { tier in
      [true, false].map { CrowdTiers(twoDigits: tier, threeDigits: tier, fourDigits: tier, country: tier, meetsThreshold: $0) }
    }
    let conversion = Sample.conversion(
      Sample.kept(1, version), others: [Sample.kept(2, version, network: "n2", age: .hours(3))])
    for crowd in tiers {
      for index in version.map({ $0 < .v4 }) ?? false ? 0...0 : 0...2 {
        let values = ReportedValues(fine: index == 0 ? 3 : nil, coarse: .low)
        for planned in try decide(conversion, index: index, values: values, crowd: crowd).planned {
          switch planned.content {
          case .skAdNetwork(let postback):
            let key = postback.version.postbackCurve == .p192 ? "skadnetwork-p192" : "skadnetwork-p256"
            _ = try postback.body(signedBy: Sample.privateKey(key))
          case .adAttributionKit(let postback):
            _ = try postback.body(signedBy: JWSSigner(.production, with: Sample.privateKey("test-cas-identifier-0")))
          }
        }
      }
    }
  }

  @Test("Without a value, a postback has none")
  func noValue() throws {
    #expect(try skAdNetwork(decide(Sample.conversion(), values: ReportedValues())).conversionValue == nil)
    #expect(try skAdNetwork(decide(Sample.conversion(Sample.kept(1, .v3)), values: ReportedValues())).conversionValue == nil)
  }

  @Test("A tier removes values from a postback of 4.0")
  func tiers() throws {
    func postback(_ tier: Int64) throws -> SKAdNetworkPostback {
      let crowd = CrowdTiers(twoDigits: tier, threeDigits: tier, fourDigits: tier, country: 0)
      return try skAdNetwork(decide(Sample.conversion(), crowd: crowd))
    }
    #expect(try postback(3).source == .app(Sample.sourceItem))
    #expect(try postback(3).countryCode == nil)
    #expect(try postback(2).conversionValue == .fine(20))
    #expect(try postback(2).source == nil)
    #expect(try postback(1).conversionValue == .coarse(.high))
    #expect(try postback(1).campaign == .source("39"))
    #expect(try postback(0).conversionValue == nil)
    #expect(try postback(0).campaign == .source("39"))
  }

  @Test("The second postback has two digits and a coarse value; in tier 0, there is none", arguments: 1...2)
  func later(index: Int) throws {
    let conversion = Sample.conversion(Sample.kept(1), others: [Sample.kept(2, network: "n2", age: .hours(3))])
    let values = ReportedValues(coarse: .medium)
    let decision = try decide(conversion, index: index, values: values)
    let postback = try skAdNetwork(decision)
    #expect(postback.campaign == .source("39"))
    #expect(postback.conversionValue == .coarse(.medium))
    #expect(postback.source == nil)
    #expect(postback.sequenceIndex == Int64(index))
    #expect(decision.planned.map(\.party) == [Sample.network, "shop.example"])
    let lowest = CrowdTiers(twoDigits: 0, threeDigits: 0, fourDigits: 0)
    let none = try decide(conversion, index: index, values: values, crowd: lowest)
    #expect(none.planned.isEmpty)
    #expect(none.dropped.flatMap(\.reasons).map(\.code) == ["lowest-tier"])
  }

  @Test("A postback of AdAttributionKit in the highest tier has everything")
  func adAttributionKit() throws {
    let postback = try adAttributionKit(decide(Sample.conversion(Sample.kept(1, nil, .view))))
    #expect(
      postback
        == AdAttributionKitPostback(
          postbackIdentifier: Self.identifier(0), sequenceIndex: 0, adNetworkIdentifier: Sample.network,
          sourceIdentifier: "5239",
          advertisedItemIdentifier: Sample.item, conversionType: .download, didWin: true,
          publisherItemIdentifier: Sample.sourceItem, marketplaceIdentifier: "com.apple.AppStore", conversionValue: .fine(20),
          interactionType: .view, countryCode: "US"))
    let lowest = CrowdTiers(twoDigits: 0, threeDigits: 0, fourDigits: 0, country: 0)
    let low = try adAttributionKit(decide(Sample.conversion(Sample.kept(1, nil)), crowd: lowest))
    #expect(low.sourceIdentifier == "39" && low.marketplaceIdentifier == nil && low.publisherItemIdentifier == nil)
    #expect(low.conversionValue == nil && low.countryCode == nil && low.interactionType == .click)
  }

  @Test("Runners-up receive the first postback, without a value, a source, and a copy")
  func runnersUp() throws {
    let others = [Sample.kept(2, .v3, network: "n2", age: .hours(2)), Sample.kept(3, nil, network: "n3", age: .hours(3))]
    let decision = try decide(Sample.conversion(Sample.kept(1), others: others))
    #expect(
      decision.planned.map(\.party) == [
        Sample.network, "shop.example", "n2", "n3",
      ])
    let (second, third) = (try skAdNetwork(decision, 2), try adAttributionKit(decision, 3))
    #expect(second.didWin == false && second.source == nil && second.conversionValue == nil)
    #expect(second.transactionIdentifier == Self.identifier(1))
    #expect(!third.didWin && third.publisherItemIdentifier == nil && third.conversionValue == nil)
    #expect(third.postbackIdentifier == Self.identifier(2))
    #expect(third.sourceIdentifier == "5239")
  }

  @Test("A copy is the same postback at the same time, to the well-known path of the site")
  func copies() throws {
    for (version, folder) in [(.v4, "skadnetwork"), (nil, "appattribution")] as [(SKAdNetworkVersion?, String)] {
      let planned = try decide(Sample.conversion(Sample.kept(1, version)), delay: 0.3).planned
      #expect(planned.count == 2)
      #expect(planned[0].url == "https://\(Sample.network).example/postback")
      #expect(planned[1].url == "https://shop.example/.well-known/\(folder)/report-attribution/")
      #expect(planned[0].content == planned[1].content && planned[0].dueAt == planned[1].dueAt)
    }
  }

  @Test("There is no copy without a site, and none of SKAdNetwork before iOS 15")
  func noCopy() throws {
    var app = Sample.advertisedApp
    app.adAttribution.skAdNetworkCopySite = nil
    #expect(try decide(Sample.conversion(), app: app).planned.count == 1)
    #expect(try decide(Sample.conversion(Sample.kept(1, .v3)), device: Device(system: OSVersion(14, 8))).planned.count == 1)
    #expect(try decide(Sample.conversion(Sample.kept(1, .v3)), device: Device(system: OSVersion(15))).planned.count == 2)
  }

  @Test("Copies of re-engagements need a permission")
  func reengagementCopies() throws {
    var app = Sample.advertisedApp
    let tap = ReengagementTap(
      Sample.kept(1, nil, isEligible: true).impression, of: app, url: nil, tag: "a", past: PastConversions(), country: "DE",
      device: Device(), at: Sample.now)
    let conversion = Conversion(id: 5, impression: 1, tap)
    let decision = try decide(conversion, app: app)
    #expect(decision.planned.map(\.party) == [Sample.network])
    #expect(try adAttributionKit(decision).conversionType == .reengagement)
    #expect(try adAttributionKit(decision).countryCode == "DE", "the country of the install")
    app.adAttribution.copiesReengagementPostbacks = true
    #expect(try decide(conversion, app: app).planned.count == 2)
  }

  @Test("A country is in postbacks from iOS 18.4 on, in both frameworks", arguments: [SKAdNetworkVersion.v4, nil])
  func countryBySystem(version: SKAdNetworkVersion?) throws {
    let conversion = Sample.conversion(Sample.kept(1, version))
    for (system, country) in [
      (OSVersion(16, 1), nil), (OSVersion(17, 4), nil), (OSVersion(18, 3), nil), (OSVersion(18, 4), "US"),
      (OSVersion(26, 2), "US"),
    ] {
      let planned = try #require(try decide(conversion, device: Device(system: system)).planned.first)
      switch planned.content {
      case .skAdNetwork(let postback): #expect(postback.countryCode == country)
      case .adAttributionKit(let postback): #expect(postback.countryCode == country)
      }
      let absence = planned.omissions.first { $0.field == .countryCode }
      #expect(absence?.reason.code == (country == nil ? "country-not-supported" : nil))
    }
  }

  @Test("A redownload, and another marketplace, are in the postback")
  func download() throws {
    let kept = Sample.kept(1, nil)
    let install = Sample.install(marketplace: "com.example.marketplace", isRedownload: true)
    let conversion = try #require(Conversion(id: 1, install.decide(among: [kept])))
    let postback = try adAttributionKit(decide(conversion))
    #expect(postback.conversionType == .redownload)
    #expect(postback.marketplaceIdentifier == "com.example.marketplace")
    let store = Sample.install(isRedownload: true)
    let early = try #require(Conversion(id: 1, store.decide(among: [Sample.kept(1, .v3)])))
    #expect(try skAdNetwork(decide(early)).isRedownload == true)
  }

  @Test("Test ads have the highest tier, and the source app 0")
  func development() throws {
    let lowest = CrowdTiers(twoDigits: 0, threeDigits: 0, fourDigits: 0)
    let decision = try decide(Sample.conversion(Sample.kept(1, isDevelopment: true)), crowd: lowest)
    #expect(try skAdNetwork(decision).source == .app(0))
    #expect(decision.planned.map(\.isDevelopment) == [true, true])
  }

  @Test("A network that is no longer registered receives nothing")
  func unregistered() throws {
    let others = [Sample.kept(2, network: "n2", age: .hours(2))]
    let decision = try decide(Sample.conversion(Sample.kept(1), others: others), networks: Sample.registry(["n2"]))
    #expect(decision.planned.map(\.party) == ["n2"])
    #expect(
      decision.dropped.map(\.impression) == [1] && decision.dropped[0].reasons.map(\.code) == ["ad-network-not-registered"])
  }
}
