import BrowserSupport
import Foundation
import HTTPTypes
import PCMCore
package import PCMCrypto
import Testing

/// The bodies of requests about a device: an ad network with the published test key, an app that displays its signed ads, and
/// an advertised app.
package enum DeviceAds {
  /// The ad network with the published test key.
  package static let network = "example123.skadnetwork"
  /// A second ad network, with the same key.
  package static let otherNetwork = "second456.skadnetwork"
  /// The app that displays ads.
  package static let sourceApp = "com.example.news"
  /// Its identifier in the App Store.
  package static let sourceItem: Int64 = 1_234_567_891
  /// The advertised app.
  package static let app = "com.example.shop"
  /// Its identifier in the App Store.
  package static let item: Int64 = 525_463_029
  /// An app without an identifier in the App Store.
  package static let silentApp = "com.example.silent"
  private static let nonce = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"

  /// The apps by their bundle identifiers. The last one has no identifier in the App Store.
  package static let apps: [(bundleIdentifier: String, registration: String)] = [
    (
      sourceApp,
      registration(
        sourceItem,
        [
          "SKAdNetworkItems": .array([network, otherNetwork].map { ["SKAdNetworkIdentifier": .string($0)] }),
          "AdNetworkIdentifiers": .array([network, otherNetwork].map { .string($0) }),
        ])
    ),
    (
      app,
      registration(
        item,
        [
          "NSAdvertisingAttributionReportEndpoint": "https://shop.example", "AttributionCopyEndpoint": "https://shop.example",
        ])
    ), (silentApp, registration(nil, [:])),
  ]

  private static func registration(_ item: Int64?, _ infoPlist: JSON) -> String {
    let item = item.map { [JSON.Member("itemIdentifier", .number($0))] } ?? []
    return JSON.object([.init("infoPlist", infoPlist)] + item).text
  }

  /// The registration of an ad network that receives its postbacks at a URL.
  package static func registration(at url: String) -> String {
    let body: JSON = ["publicKey": .string(TestKeyPair.adNetwork.publicKey), "postbackURL": .string(url)]
    return body.text
  }

  /// The installation of the advertised app.
  package static let install = #"{"bundleIdentifier":"\#(app)"}"#

  /// An update of the conversion value.
  package static func value(_ members: String = #""fineValue":12,"coarseValue":"medium""#, app: String = app) -> String {
    #"{"bundleIdentifier":"\#(app)"\#(members.isEmpty ? "" : "," + members)}"#
  }

  /// An ad of SKAdNetwork 4.0.
  package static func ad(_ network: String = network, fidelity: Fidelity = .storeKitRendered) throws -> String {
    let impression = SKAdNetworkImpression(
      version: .v4, adNetworkIdentifier: network, campaign: .source("4239"), itemIdentifier: item, nonce: nonce,
      source: .app(sourceItem), fidelity: fidelity, timestamp: Scene.start.milliseconds)
    let body: JSON = [
      "bundleIdentifier": .string(sourceApp), "presentation": fidelity == .viewThrough ? "view-through" : "storekit-rendered",
      "version": "4.0", "adNetworkIdentifier": .string(network), "sourceIdentifier": 4_239,
      "advertisedAppStoreItemIdentifier": .number(item), "adImpressionIdentifier": .string(nonce),
      "sourceAppStoreItemIdentifier": .number(sourceItem),
      "timestamp": .number(Scene.start.milliseconds),
      "signature": .string(try impression.signature(by: TestKeys().adNetwork)),
    ]
    return body.text
  }

  /// An ad of AdAttributionKit.
  package static func jws(reengagement: Bool? = nil) throws -> String {
    let impression = AdAttributionKitImpression(
      impressionIdentifier: nonce, publisherItemIdentifier: sourceItem, adNetworkIdentifier: network, sourceIdentifier: 4_239,
      advertisedItemIdentifier: item, timestamp: Scene.start.milliseconds, isEligibleForReengagement: reengagement)
    let body: JSON = [
      "bundleIdentifier": .string(sourceApp), "jws": .string(try impression.jws(signedBy: TestKeys().adNetwork)),
    ]
    return body.text
  }

  /// The nonce of a web ad, as the link and as the ad network write it.
  private static let webNonce = (base64URL: "t8naKxXHTzuTJhNfljADPQ", uuid: "b7c9da2b-15c7-4f3b-9326-135f9630033d")

  /// A click on a link to the App Store.
  package static let webAd = """
    {"pageURL":"https://blog.example/","attributionDestination":"https://ads.example",\
    "attributionSourceNonce":"\(webNonce.base64URL)","href":"https://apps.apple.com/app/id\(item)"}
    """

  /// The signed values of a web ad.
  package static func signedPayload() throws -> [UInt8] {
    let impression = SKAdNetworkImpression(
      version: .v4, adNetworkIdentifier: network, campaign: .source("3120"), itemIdentifier: item, nonce: webNonce.uuid,
      source: .site("blog.example"), fidelity: .storeKitRendered, timestamp: Scene.start.milliseconds)
    return impression.webAdResponse(signature: try impression.signature(by: TestKeys().adNetwork)).bytes
  }
}

extension API {
  /// Registers the ad networks and the apps with a device, and installs the advertised app.
  ///
  /// - Returns: The name of an ad that the app displays.
  package func prepareDevice(_ device: String = "/v1/devices/test") async throws -> String {
    for (identifier, registration) in DeviceAds.apps {
      #expect(try await call(.put, "\(device)/apps/\(identifier)", registration).status == 200)
    }
    for network in [DeviceAds.network, DeviceAds.otherNetwork] {
      let body = DeviceAds.registration(at: "https://ads.example/postbacks")
      #expect(try await call(.put, "\(device)/ad-networks/\(network)", body).status == 200)
    }
    #expect(try await call(.post, "\(device)/installs", DeviceAds.install).status == 201)
    let displayed = try await call(.post, "\(device)/impressions", try DeviceAds.jws(reengagement: true))
    #expect(try displayed.member("outcome") == "started", "\(displayed.text)")
    return try displayed.member("id")
  }
}
