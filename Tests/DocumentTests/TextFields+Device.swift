import BrowserSupport
import HTTPSupport
import HTTPTypes
import PCMCore
import PCMCrypto
import Testing

// Texts in requests about ads that lead to apps.

extension TextFields {
  static let device =
    adNetworks + postbackURLs + ads + signedAds + tapsOnAds + installs + conversionValues + developmentPostbacks + cards
    + tracking

  private static let adNetworks: [TextField] = [
    .path(
      "ad network", DeviceAds.registration(at: "https://ads.example/"), in: .device, echo: "/ad-networks?limit=1000"
    ) { "\($0)/ad-networks/" },
    .member(.put, "publicKey", "/ad-networks/n{number}", in: .device, more: [TestKeyPair.adNetwork.publicKey]) {
      ["publicKey": $0, "postbackURL": "https://ads.example/"]
    },
  ]

  private static let postbackURLs: [TextField] = TextField.Form.urls.map { form in
    TextField.member(.put, "\(form.prefix)postbackURL", "/ad-networks/n{number}", in: .device) {
      ["publicKey": .string(TestKeyPair.adNetwork.publicKey), "postbackURL": form.value($0)]
    }
  }

  private static let ads: [TextField] =
    TextField.replacing(
      [
        "bundleIdentifier", "presentation", "version", "adNetworkIdentifier", "adImpressionIdentifier", "signature",
      ], "/impressions", in: .device, as: [.text]
    ) { try json(DeviceAds.ad()) }
    + TextField.replacing(["jws"], "/impressions", in: .device, as: [.text]) { try json(DeviceAds.jws()) }
    + TextField.replacing(
      ["bundleIdentifier", "framework", "presentation", "version", "adNetworkIdentifier", "adImpressionIdentifier"],
      "/signed-ads", in: .device, as: [.text]
    ) { ["bundleIdentifier": .string(DeviceAds.sourceApp)] }

  private static let payload: JSON = [
    "advertised-item-identifier": .number(DeviceAds.item), "ad-network-identifier": .string(DeviceAds.network),
    "impression-type": "app-impression", "timestamp": .number(Scene.start.milliseconds),
    "publisher-item-identifier": .number(DeviceAds.sourceItem),
    "impression-identifier": "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28", "source-identifier": 4_239,
  ]

  /// Ads with a valid signature of the text.
  private static let signedAds: [TextField] = ["ad-network-identifier", "impression-identifier", "impression-type"].map {
    name in
    TextField.member(.post, "\(name) in jws", "/impressions", in: .device) { text in
      let members = payload.members.filter { $0.name != name } + [JSON.Member(name, text)]
      let signer = try JWSSigner(adNetworkIdentifier: DeviceAds.network, with: TestKeys().adNetwork)
      return ["bundleIdentifier": .string(DeviceAds.sourceApp), "jws": .string(try signer.sign(.object(members)))]
    }
  }

  private static let tapsOnAds = TextField.replacing(
    ["reengagementURL"], "/impressions/{impression}/tap", in: .device,
    as: TextField.Form.urls + [TextField.Form(prefix: "shop://", suffix: "")]
  ) { [:] }

  private static let installs: [TextField] =
    install("bundleIdentifier", more: DeviceAds.app) + install("marketplace", more: DeviceAds.app)
    + install("country", more: "DE")
    + TextField.replacing(["bundleIdentifier"], "/launches", in: .device, as: [.text], more: [DeviceAds.app]) { [:] }

  private static func install(_ name: String, more: String) -> [TextField] {
    TextField.replacing([name], "/installs", in: .device, as: [.text], more: [more]) { try json(DeviceAds.install) }
  }

  private static let conversionValues = TextField.replacing(
    ["bundleIdentifier", "conversionTag"], "/conversion-values", in: .device, as: [.text], more: [DeviceAds.app]
  ) { try json(DeviceAds.value(#""framework":"adattributionkit","fineValue":12"#)) }

  private static let developmentPostbacks: [TextField] = [
    ("bundleIdentifier", DeviceAds.app), ("url", "https://shop.example/"), ("conversionType", "redownload"),
    ("interactionType", "view"), ("marketplace", DeviceAds.app), ("country", "DE"), ("coarseValue", "low"),
    ("conversionTag", "sale"), ("send", "later"),
  ].flatMap { name, more in
    TextField.replacing([name], "/development-postbacks", in: .device, as: [.text], more: [more]) {
      try json(DeviceAds.install)
    }
  }

  private static let feed = "/apps/\(DeviceAds.sourceApp)/cards"
  private static let cards: [TextField] = cardTexts + [classKey, classTypes] + landings

  /// The device keeps no ID of an invalid size.
  private static let cardTexts: [TextField] = ["idString", "title", "urlString"].map { name in
    TextField.member(.put, "cards.\(name)", feed, in: .device, echo: name == "title" ? feed : nil) { text in
      let usual: JSON = ["idString": "stand", "created": 1, "dismissible": .bool(true), "extras": ["class_type": "pcm_ad"]]
      let others = usual.members.filter { $0.name != name }
      let card = JSON.object(others + [JSON.Member(name, text)])
      return ["cards": .array([card])]
    }
  }

  private static let classKey = TextField.member(.put, "classKey", feed, in: .device) { text in
    ["cards": [["idString": "stand"]], "classKey": text]
  }

  private static let classTypes = TextField.member(.put, "classTypes", feed, in: .device) { text in
    ["cards": [["idString": "stand"]], "classTypes": .array([text])]
  }

  private static let landings = TextField.replacing(
    ["landingURL"], "\(feed)/stand/clicks", in: .device, as: TextField.Form.urls
  ) { [:] }

  private static let tracking: [TextField] =
    [
      ("/tracking-requests", "bundleIdentifier", DeviceAds.app, "{}"),
      ("/tracking-answers", "bundleIdentifier", DeviceAds.app, #"{"allow":true}"#),
      ("/tracking-settings", "bundleIdentifier", DeviceAds.app, #"{"allow":true}"#),
      ("/sdk-events", "bundleIdentifier", DeviceAds.app, #"{"event":"open"}"#),
      ("/sdk-events", "event", "open", DeviceAds.install),
    ].flatMap { path, name, more, body in
      TextField.replacing([name], path, in: .device, as: [.text], more: [more]) { try json(body) }
    } + [
      TextField.member(.post, "urlStrategyDomains", "/sdk-events", in: .device) { text in
        ["bundleIdentifier": .string(DeviceAds.app), "event": "open", "urlStrategyDomains": .array([text])]
      }
    ]

  private static func json(_ text: String) throws -> JSON { try #require(JSON(parsing: Array(text.utf8))) }
}
