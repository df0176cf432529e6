import Foundation
import PCMClient
import PCMCrypto
import TLSSupport
import Testing

/// The calls about devices, against the real service.
@Suite struct DeviceTests {
  private static let network = "example123.skadnetwork"
  private static let item = 525_463_029
  private static let sourceItem = 1_234_567_891
  private static let nonce = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
  /// The time at which a manual clock starts.
  private static let start: Int64 = 1_795_168_800_000

  /// A device with a registered ad network, an app that displays its ads, and an advertised app.
  private struct Scene {
    let device: Device
    let news: App
    let shop: App

    init(_ name: String, on service: PCMService) async throws {
      device = try await PCM.browser(name, on: service).device
      let key = try #require(try await device.keys().first { $0.id == .adNetwork })
      let network = try await device.register(
        adNetwork: DeviceTests.network, publicKey: key.publicKeyPEM, postbackURL: "https://news.example/postbacks")
      #expect(network.publicKey == key.publicKey)
      news = try await device.register(
        app: "com.example.news",
        infoPlist: [
          "SKAdNetworkItems": [["SKAdNetworkIdentifier": .string(DeviceTests.network)]],
          "AdNetworkIdentifiers": [.string(DeviceTests.network)],
        ], itemIdentifier: DeviceTests.sourceItem)
      shop = try await device.register(
        app: "com.example.shop",
        infoPlist: [
          "NSAdvertisingAttributionReportEndpoint": "https://shop.example", "AttributionCopyEndpoint": "https://shop.example",
        ], itemIdentifier: DeviceTests.item)
    }
  }

  /// An ad of SKAdNetwork 4.0, signed with the published key.
  private static func ad(_ fidelity: Fidelity = .storeKitRendered) throws -> SKAdNetworkAd {
    let impression = SKAdNetworkImpression(
      version: .v4, adNetworkIdentifier: network, campaign: .source("4239"), itemIdentifier: Int64(item), nonce: nonce,
      source: .app(Int64(sourceItem)), fidelity: fidelity, timestamp: start)
    return SKAdNetworkAd(
      version: "4.0", adNetworkIdentifier: network, sourceIdentifier: 4_239, advertisedAppStoreItemIdentifier: item,
      adImpressionIdentifier: nonce,
      sourceAppStoreItemIdentifier: sourceItem, timestamp: Int(start),
      signature: try impression.signature(by: TestKeys().adNetwork))
  }

  private static func jws() throws -> String {
    let impression = AdAttributionKitImpression(
      impressionIdentifier: nonce, publisherItemIdentifier: Int64(sourceItem), adNetworkIdentifier: network,
      sourceIdentifier: 4_239, advertisedItemIdentifier: Int64(item), timestamp: start, isEligibleForReengagement: true)
    return try impression.jws(signedBy: TestKeys().adNetwork)
  }

  @Test("a card is clicked and dismissed, and the answer has the attribution of its ad")
  func cards() async throws {
    try await Stage.withService { service in
      let scene = try await Scene("cards", on: service)
      let device = scene.device
      let card: JSONValue = [
        "idString": "stand", "created": 1, "dismissible": true, "urlString": "https://shop.example/",
        "extras": ["class_type": "pcm_ad", "attribution_source_id": "4"],
      ]
      let feed = try await device.replaceCards(of: scene.news, with: [card])
      #expect(feed.shownCount == 1 && feed.cards.map(\.idString) == ["stand"])
      #expect(try await device.displayCard("stand", in: scene.news).analytics.impressions == 1)
      let click = try await device.clickCard("stand", in: scene.news)
      #expect(click.outcome == .counted && click.openedURL == "https://shop.example/", "\(click)")
      #expect(click.attribution?.reasons.map(\.code) == [.noReportEndpoint], "\(click)")
      let explanation = try await device.browser.explain(click.subject)
      #expect(explanation.firstFailure?.rule == "manifest-names-report-endpoint")
      #expect(try await device.dismissCard("stand", in: scene.news).outcome == .counted)
      let cards = try await device.cards(of: scene.news)
      #expect(cards.map(\.outcome) == [.dropped] && cards.first?.reasons.map(\.code) == [.cardDismissed])
      #expect(cards.first?.analytics.clicks == 1)
    }
  }

  @Test("an ad leads to an install, and its postback arrives with its copy")
  func story() async throws {
    try await Stage.withEndpoint { service, server in
      let scene = try await Scene("phone", on: service)
      let device = scene.device
      let ad = try await device.display(try Self.ad(), in: scene.news)
      #expect(ad.outcome == .recorded && ad.interaction == .click, "\(ad)")
      #expect(ad.signedText?.hasPrefix("4.0|\(Self.network)|4239|") == true)
      #expect(try await device.impressions().map(\.id) == [ad.id])
      let install = try await device.install(scene.shop)
      #expect(install.outcome == .attributed && install.winnerID == ad.id && !install.redownload)
      #expect(install.impressions.map(\.outcome) == [.won] && install.impressions.map(\.place) == [1])
      #expect(try await device.launch(scene.shop).first)
      #expect(try await !device.launch(scene.shop).first)
      let value = try await device.report(.skadnetwork(42, coarse: .high), by: scene.shop)
      #expect(value.outcome == .accepted, "\(value)")
      #expect(value.conversions.map(\.id) == [install.conversionID] && value.conversions.map(\.fineValue) == [42])
      let conversion = try #require(try await device.installedApps().first?.conversions.first)
      #expect(conversion.winnerID == ad.id && conversion.type == .download && conversion.firstLaunchAt != nil)
      let events = try await device.browser.advanceUntilIdle().events
      #expect(events.filter { $0.kind == .postbackDelivered }.count == 2)
      let postbacks = try await device.postbacks(in: [.delivered, .failed])
      #expect(postbacks.map(\.recipient) == [.adNetwork, .developer] && postbacks.map(\.didWin) == [true, true])
      let first = try #require(postbacks.first)
      #expect(first.body["conversion-value"]?.integer == 42 && first.conversionID == install.conversionID)
      #expect(first.attempts.map(\.httpStatus) == [200])
      #expect(try await device.postback(first.id) == first)
      #expect(try await device.waitForPostback() == first)
      #expect(try await device.postbacks(in: [.scheduled]).isEmpty)
      #expect(await server.requests.map(\.target) == ["/postbacks", "/.well-known/skadnetwork/report-attribution/"])
      let explanation = try await device.browser.explain(first.subject)
      #expect(explanation.subject.kind == .postback && explanation.steps.map(\.outcome) == ["delivered"])
    }
  }

  @Test("a rejected ad has its reasons, Apple's error, and the change that helps")
  func rejection() async throws {
    try await Stage.withService { service in
      let scene = try await Scene("rejected", on: service)
      let ad = try await scene.device.display(try Self.ad(), in: scene.shop)
      #expect(ad.outcome == .rejected && ad.reasons.map(\.code) == [.adNetworkNotDeclared])
      #expect(ad.appleError?.name == "adNetworkIdMissing" && ad.appleError?.number == 2)
      #expect(ad.signedText?.hasPrefix("4.0|") == true)
      #expect(ad.change?.contains(Self.network) == true && ad.description.hasPrefix("rejected; ad-network-not-declared"))
      #expect(try await scene.device.browser.explain(ad.subject).firstFailure?.rule == "ad-network-is-declared")
      let install = try await scene.device.install(scene.shop)
      #expect(install.outcome == .unattributed && install.winnerID == nil && install.impressions.isEmpty)
      let value = try await scene.device.report(.skadnetwork(1), by: scene.shop)
      #expect(value.outcome == .rejected && value.reasons.map(\.code) == [.nothingPending])
      #expect(value.conversions.map(\.id) == [nil])
    }
  }

  @Test("views end, taps count, and a tap on an ad for an installed app opens it")
  func taps() async throws {
    try await Stage.withService { service in
      let scene = try await Scene("taps", on: service)
      let device = scene.device
      let view = try await device.display(try Self.ad(.viewThrough), in: scene.news, as: .viewThrough)
      #expect(view.outcome == .started)
      #expect(try await device.impressions().map(\.state) == [.displayed])
      try await device.browser.advance(by: .seconds(3))
      let ended = try await device.endView(of: view.id)
      #expect(ended.outcome == .recorded && ended.interaction == .view && ended.id == view.id)
      let ad = try await device.display(jws: try Self.jws(), in: scene.news)
      let unverified = try await device.tap(ad.id, tapVerified: false)
      #expect(unverified.reasons.map(\.code) == [.tapNotVerified] && unverified.appleError?.number == nil)
      #expect(try await device.tap(ad.id).outcome == .recorded)
      #expect(
        try await device.install(scene.shop, redownload: true, marketplace: "com.example.market", country: "FR").redownload)
      let opened = try await device.tap(ad.id, reengagementURL: "https://shop.example/sale", crowd: .all(0))
      #expect(opened.outcome == .reengaged && opened.conversionID != nil)
      #expect(opened.openedURL?.hasPrefix("https://shop.example/sale?AdAttributionKitReengagementOpen=") == true)
      let url = "https://shop.example/test"
      let postback = try await device.create(DevelopmentPostback(url: url, fineValue: 3), for: scene.shop)
      #expect(postback.url == url && postback.adNetworkIdentifier == "development.adattributionkit")
      let value = try await device.report(.adattributionkit(7, types: [.reengagement]), by: scene.shop)
      #expect(value.conversions.map(\.id) == [opened.conversionID])
      let waiting = try await device.create(
        DevelopmentPostback(url: url, secondCrowd: .all(1), thirdCrowd: .all(0), conversionTag: "sale"), windows: 3,
        for: scene.shop, isWaiting: true)
      #expect(waiting.conversions.map(\.conversionTag) == ["sale"] && waiting.postbacks.isEmpty)
      #expect(try await device.report(.adattributionkit(8, lockWindow: true), by: scene.shop).outcome == .accepted)
      let sent = try await device.sendDevelopmentPostbacks()
      #expect(sent.postbacks.map(\.sequenceIndex) == [0] && sent.conversions.map(\.id) == waiting.conversions.map(\.id))
      let cleared = try await device.clearDevelopmentPostbacks()
      #expect(cleared.postbacks.allSatisfy { $0.state == .cleared } && cleared.conversions.count == 1)
    }
  }

  @Test("ad networks are listed and removed, and errors name the call")
  func adNetworks() async throws {
    try await Stage.withService { service in
      let scene = try await Scene("networks", on: service)
      let network = try await scene.device.adNetwork(Self.network)
      #expect(try await scene.device.adNetworks() == [network])
      try await scene.device.remove(network)
      #expect(try await scene.device.adNetworks().isEmpty)
      let error = try await #require(throws: ServiceError.self) {
        try await scene.device.register(adNetwork: "Upper.skadnetwork", publicKey: "", postbackURL: "")
      }
      #expect(error.status == 422)
      let missing = try await #require(throws: ServiceError.self) { try await scene.device.endView(of: "impression-99") }
      #expect(missing.status == 404)
    }
  }

  @Test("a device has properties, and a mode that is on stays on as long as before")
  func properties() async throws {
    try await Stage.withService { service in
      _ = try await PCM.browser("phone", on: service)
      let device = try await service.device("phone")
      #expect(try await device.properties() == DeviceProperties())
      #expect(try await device.browser.state().device == DeviceProperties())
      let changed = try await device.change {
        $0.developerMode = true
        $0.country = "DE"
        $0.minimumViewTime = .milliseconds(1_500)
        $0.conversionWindowStart = .firstUpdate
        $0.sourceDomain = .adNetwork
      }
      #expect(changed.country == "DE" && changed.minimumViewTime == .milliseconds(1_500) && changed.sourceDomain == .adNetwork)
      #expect(changed.conversionWindowStart == .firstUpdate)
      let since = try #require(changed.developerModeSince)
      try await device.browser.advance(by: .days(1))
      let again = try await device.change { $0.systemVersion = "18.4" }
      #expect(again.systemVersion == "18.4" && again.developerModeSince == since)
      #expect(try await device.change { $0.developerMode = false }.developerModeSince == nil)
      #expect(try await device.browser.events().filter { $0.kind == .deviceChanged }.count == 3)
      await #expect(throws: ServiceError.self) { try await service.device("none") }
    }
  }
}
