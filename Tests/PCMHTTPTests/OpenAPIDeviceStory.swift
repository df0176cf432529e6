import BrowserSupport
import Foundation
import HTTPTypes
import PCMCore
import PCMCrypto
import Testing

// Calls that lead to every answer that the API has about devices.

extension Story {
  static let device = "/v1/devices/test"

  /// One call of each operation on devices.
  static let deviceCalls: [(HTTPRequest.Method, String)] = [
    (.get, "/v1/devices"), (.put, device), (.patch, device), (.get, device), (.delete, device),
    (.post, "\(device)/clock/advance"), (.put, "\(device)/apps"), (.put, "\(device)/apps/a"), (.get, "\(device)/apps"),
    (.get, "\(device)/apps/a"), (.delete, "\(device)/apps/a"), (.get, "\(device)/events"),
    (.get, "\(device)/explain?about=shop.example"), (.delete, "\(device)/data"), (.get, "\(device)/network"),
    (.put, "\(device)/network"), (.get, "\(device)/sites"), (.get, "\(device)/sites/a.example"),
    (.put, "\(device)/sites/a.example"), (.delete, "\(device)/sites/a.example"), (.get, "\(device)/ad-networks"),
    (.put, "\(device)/ad-networks/a"), (.get, "\(device)/ad-networks/a"), (.delete, "\(device)/ad-networks/a"),
    (.post, "\(device)/signed-ads"), (.post, "\(device)/impressions"), (.get, "\(device)/impressions"),
    (.post, "\(device)/impressions/impression-1/end"),
    (.post, "\(device)/impressions/impression-1/tap"), (.post, "\(device)/installs"), (.get, "\(device)/installs"),
    (.post, "\(device)/launches"), (.post, "\(device)/conversion-values"),
    (.post, "\(device)/development-postbacks"), (.post, "\(device)/development-postbacks/send"),
    (.post, "\(device)/development-postbacks/clear"), (.get, "\(device)/postbacks"),
    (.get, "\(device)/postbacks/postback-1"), (.get, "\(device)/keys"),
    (.put, "\(device)/apps/a/cards"), (.get, "\(device)/apps/a/cards"), (.post, "\(device)/apps/a/cards/b/impressions"),
    (.post, "\(device)/apps/a/cards/b/clicks"), (.post, "\(device)/apps/a/cards/b/dismissals"),
    (.post, "\(device)/tracking-requests"), (.post, "\(device)/tracking-answers"), (.post, "\(device)/tracking-settings"),
    (.post, "\(device)/sdk-events"), (.get, "\(device)/apps/a/tracking"), (.get, "\(device)/sdk-requests"),
  ]

  private static let phone = "/v1/devices/phone"
  private static let manual = #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"seed":"1"}"#

  /// A call under the device `phone`.
  @discardableResult
  private func onPhone(
    _ method: HTTPRequest.Method, _ path: String, _ body: String = "", status: Int = 200, outcome: String? = nil
  ) async throws -> API.Answer {
    try await call(method, "\(Self.phone)\(path)", body, status: status, outcome: outcome)
  }

  private func advancePhone(_ member: String) async throws { try await onPhone(.post, "/clock/advance", "{\(member)}") }

  /// Displays an ad, and returns its name.
  @discardableResult
  private func display(_ body: String, _ outcome: String = "recorded") async throws -> String {
    try await onPhone(.post, "/impressions", body, status: 201, outcome: outcome).member("id")
  }

  private func report(_ body: String, _ outcome: String = "accepted") async throws {
    try await onPhone(.post, "/conversion-values", body, status: 201, outcome: outcome)
  }

  func exerciseDevices() async throws {
    try await exerciseTheSharedResources()
    try await exerciseTheParties()
    try await exerciseAds()
    try await exerciseInstalls()
    try await exercisePostbacks()
    try await exerciseDevelopmentPostbacks()
    try await exerciseReengagement()
    try await exerciseLaterInstalls()
    try await exerciseWebAds()
    try await exerciseCards()
    try await exerciseTracking()
    try await exerciseTheLogOfTheDevice()
  }

  /// What a device shares with its browser, at the device.
  private func exerciseTheSharedResources() async throws {
    let other = "/v1/devices/other-device"
    try await call(.put, other, #"{"storage":"ephemeral","labels":{"job":"8"}}"#, status: 201)
    try await call(.put, other, #"{"storage":"ephemeral"}"#)
    try await call(.get, other)
    let first = try await call(.get, "/v1/devices?limit=1")
    try await call(.get, "/v1/devices?label=job=8&cursor=\(try first.member("next", as: String.self))")
    try await exerciseManyApps(at: other)
    for number in 1...1_000 {
      let path = "\(other)/ad-networks/n\(number)"
      #expect(try await api.call(.put, path, DeviceAds.registration(at: "https://ads.example/")).status == 200)
    }
    try await call(.put, "\(other)/ad-networks/one-more", DeviceAds.registration(at: "https://ads.example/"), status: 409)
    try await call(.get, "\(other)/apps/com.example.app1")
    try await call(.delete, "\(other)/apps/com.example.app1", status: 204)
    let manifest = Array(try Data(contentsOf: API.fixtures.appendingPathComponent("manifests/news-reader/Info.plist")))
    try await call(
      .put, "\(other)/apps", String(decoding: manifest, as: UTF8.self), type: "application/x-plist")
    try await call(.get, "\(other)/apps?limit=1")
    try await call(.get, "\(other)/explain?about=shop.example")
    try await call(.get, "\(other)/network")
    try await call(.put, "\(other)/network", #"{"mode":"simulated"}"#)
    for number in 1...101 { try await call(.put, "\(other)/sites/s\(number).example", "{}", status: number < 101 ? 201 : 409) }
    try await call(.put, "\(other)/sites/s1.example", "key: second", type: "application/yaml")
    try await call(.get, "\(other)/sites?limit=1")
    try await call(.get, "\(other)/sites/s1.example")
    try await call(.delete, "\(other)/sites/s1.example", status: 204)
    try await call(.delete, "\(other)/data", status: 204)
    try await call(.delete, other, status: 204)
  }

  private func exerciseTheParties() async throws {
    try await call(.put, Self.phone, Self.manual, status: 201)
    let modes =
      #""developerMode":true,"testingProfile":true,"minimumViewTime":"PT1S","conversionWindowStart":"first-update","sourceDomain":"ad-network""#
    try await onPhone(.patch, "", #"{"device":{"systemVersion":"18.4","country":"DE",\#(modes)}}"#)
    let standard =
      #""developerMode":false,"testingProfile":false,"minimumViewTime":"PT2S","conversionWindowStart":"launch","sourceDomain":"displaying-site""#
    try await onPhone(.patch, "", #"{"device":{\#(standard)}}"#)
    for isEscaped in [false, true] { try await onPhone(.patch, "", #"{"device":{"escapedSlashes":\#(isEscaped)}}"#) }
    for keys in ["apple-identifiers", "test-second-development", "test"] {
      try await onPhone(.patch, "", #"{"device":{"postbackKeys":"\#(keys)"}}"#)
    }
    for (network, url) in [
      (DeviceAds.network, "https://ads.example/postbacks"), (DeviceAds.otherNetwork, "https://gone.example/"),
      ("third789.skadnetwork", "https://ads.example/"),
    ] {
      try await onPhone(.put, "/ad-networks/\(network)", DeviceAds.registration(at: url))
    }
    let page = try await onPhone(.get, "/ad-networks?limit=1")
    try await onPhone(.get, "/ad-networks?cursor=\(try page.member("next", as: String.self))")
    try await onPhone(.get, "/ad-networks/\(DeviceAds.network)")
    try await onPhone(.delete, "/ad-networks/third789.skadnetwork", status: 204)
    for (identifier, registration) in DeviceAds.apps { try await onPhone(.put, "/apps/\(identifier)", registration) }
    try await onPhone(.get, "/keys?limit=1")
    try await onPhone(.get, "/keys")
  }

  /// The ads that the device keeps after them: a view and two clicks of one network, and a click of another one.
  private func exerciseAds() async throws {
    let rejected = try await display(#"{"bundleIdentifier":"com.example.news"}"#, "rejected")
    for values in [
      #""version":"3.0","presentation":"storekit-rendered""#, #""presentation":"view-through""#,
      #""framework":"adattributionkit","presentation":"custom-rendered","handleView":true"#,
    ] {
      try await onPhone(.post, "/signed-ads", #"{"bundleIdentifier":"com.example.news",\#(values)}"#)
    }
    try await onPhone(.put, "/ad-networks/foo", DeviceAds.registration(at: "https://ads.example/"))
    try await onPhone(.delete, "/ad-networks/foo", status: 204)
    try await onPhone(.get, "/explain?about=\(rejected)")
    try await display(#"{"bundleIdentifier":"com.example.news","jws":"x"}"#, "rejected")
    let short = try await display(try DeviceAds.ad(fidelity: .viewThrough), "started")
    try await onPhone(.post, "/impressions/\(short)/end", outcome: "rejected")
    let view = try await display(try DeviceAds.ad(fidelity: .viewThrough), "started")
    try await onPhone(.get, "/impressions")
    try await advancePhone(#""by":"PT3S""#)
    try await onPhone(.post, "/impressions/\(view)/end", outcome: "recorded")
    try await display(try DeviceAds.ad(DeviceAds.otherNetwork))
    try await advancePhone(#""by":"PT3S""#)
    try await display(try DeviceAds.ad())
    try await advancePhone(#""by":"PT3S""#)
    let handled = try DeviceAds.jws().replacing(#""jws""#, with: #""handleView":true,"jws""#)
    try await display(handled, "rejected")
    let tapped = try await display(try DeviceAds.jws(), "started")
    let path = "/impressions/\(tapped)"
    try await onPhone(.post, "\(path)/tap", #"{"tapVerified":false}"#, outcome: "rejected")
    try await onPhone(.post, "\(path)/tap", outcome: "recorded")
    try await onPhone(.post, "\(path)/end", outcome: "rejected")
    try await onPhone(.post, "\(path)/end", outcome: "rejected")
    let page = try await onPhone(.get, "/impressions?limit=1")
    try await onPhone(.get, "/impressions?cursor=\(try page.member("next", as: String.self))")
  }

  private func exerciseInstalls() async throws {
    try await onPhone(
      .post, "/installs", #"{"bundleIdentifier":"\#(DeviceAds.silentApp)"}"#, status: 201, outcome: "unattributed")
    try await report(DeviceAds.value(app: DeviceAds.silentApp), "rejected")
    let install = try await onPhone(.post, "/installs", DeviceAds.install, status: 201, outcome: "attributed")
    let outcomes = try install.member("impressions", as: [[String: Any]].self).compactMap { $0["outcome"] as? String }
    #expect(Set(outcomes) == ["won", "runner-up", "lost"], "\(install.text)")
    let page = try await onPhone(.get, "/installs?limit=1")
    try await onPhone(.get, "/installs?cursor=\(try page.member("next", as: String.self))")
    try await report(DeviceAds.value(#""fineValue":64"#), "rejected")
    for _ in 1...2 { try await onPhone(.post, "/launches", DeviceAds.install, status: 201) }
    try await report(DeviceAds.value())
    try await onPhone(.get, "/installs")
    try await onPhone(.post, "/launches", #"{"bundleIdentifier":"com.example.none"}"#, status: 422)
    for impression in try install.member("impressions", as: [[String: Any]].self) {
      try await onPhone(.get, "/explain?about=\(try #require(impression["id"] as? String))")
    }
    try await onPhone(.get, "/explain?about=\(try install.member("id", as: String.self))")
  }

  /// Delivered ones, and one that is sent nine times in vain.
  private func exercisePostbacks() async throws {
    try await advancePhone(#""by":"PT49H""#)
    try await report(DeviceAds.value(#""fineValue":13"#), "rejected")
    try await onPhone(.get, "/postbacks?state=scheduled&include=body")
    try await advancePhone(#""by":"P2D""#)
    let page = try await onPhone(.get, "/postbacks?limit=1")
    try await onPhone(.get, "/postbacks?cursor=\(try page.member("next", as: String.self))&include=response")
    try await advancePhone(#""untilIdle":true"#)
    let failed = try await onPhone(.get, "/postbacks?state=failed&state=cleared").member("items", as: [[String: Any]].self)
    let postback = try #require(failed.first)
    try await onPhone(.get, "/postbacks/\(try #require(postback["id"] as? String))")
    for name in ["id", "conversionId", "impressionId"] {
      try await onPhone(.get, "/explain?about=\(try #require(postback[name] as? String))")
    }
  }

  private func exerciseDevelopmentPostbacks() async throws {
    let created = try await onPhone(.post, "/development-postbacks", DeviceAds.value(), status: 201)
    try await onPhone(.get, "/explain?about=\(try created.member("id", as: String.self))")
    try await onPhone(.post, "/development-postbacks", DeviceAds.value(#""fineValue":1,"windows":3"#), status: 201)
    let waiting = #""fineValue":1,"coarseValue":"low","windows":3,"conversionTag":"sale","send":"later""#
    try await onPhone(.post, "/development-postbacks", DeviceAds.value(waiting), status: 201)
    try await report(DeviceAds.value(#""framework":"adattributionkit","fineValue":2,"lockWindow":true"#))
    try await onPhone(.post, "/development-postbacks/send")
    try await onPhone(.post, "/development-postbacks/clear")
    try await onPhone(.patch, "", #"{"device":{"systemVersion":"18.3"}}"#)
    try await onPhone(.post, "/development-postbacks", DeviceAds.install, status: 409)
    try await onPhone(.patch, "", #"{"device":{"systemVersion":"18.4"}}"#)
    try await onPhone(.post, "/development-postbacks", #"{"bundleIdentifier":"com.example.none"}"#, status: 422)
  }

  private func exerciseReengagement() async throws {
    for (isEligible, outcome) in [(false, "opened"), (true, "reengaged")] {
      let ad = try await display(try DeviceAds.jws(reengagement: isEligible), "started")
      let crowd = #""crowdTiers":{"twoDigits":0,"threeDigits":0,"fourDigits":0,"country":0}"#
      let body = #"{"reengagementURL":"https://shop.example/sale","universalLink":true,\#(crowd)}"#
      try await onPhone(.post, "/impressions/\(ad)/tap", body, outcome: outcome)
    }
    try await onPhone(.get, "/installs")
    let types = #""framework":"adattributionkit","conversionTypes":["reengagement"]"#
    try await report(DeviceAds.value(#""fineValue":1,\#(types)"#))
    try await report(DeviceAds.value(#""fineValue":2,"lockWindow":true,\#(types)"#))
    let rejected = try await onPhone(
      .post, "/conversion-values", DeviceAds.value(#""fineValue":3,\#(types)"#), status: 201, outcome: "rejected")
    let effect = try #require(try rejected.member("conversions", as: [[String: Any]].self).first)
    try await onPhone(.get, "/explain?about=\(try #require(effect["id"] as? String))")
  }

  /// Installs again, by ads whose postbacks say little, and without a value in the later windows.
  private func exerciseLaterInstalls() async throws {
    for isSmall in [true, false] {
      try await display(try DeviceAds.ad())
      let tier = isSmall ? 0 : 3
      let crowd = #""crowdTiers":{"twoDigits":\#(tier),"threeDigits":\#(tier),"fourDigits":\#(tier)}"#
      let body = String(DeviceAds.install.dropLast()) + ",\(crowd)}"
      let install = try await onPhone(.post, "/installs", body, status: 201, outcome: "attributed")
      try await onPhone(.get, "/installs")
      try await report(DeviceAds.value())
      try await advancePhone(#""by":"P3D""#)
      if isSmall { try await report(DeviceAds.value(#""coarseValue":"high""#)) }
      try await advancePhone(#""untilIdle":true"#)
      for name in ["id", "conversionId"] {
        try await onPhone(.get, "/explain?about=\(try install.member(name, as: String.self))")
      }
    }
    try await display(try DeviceAds.ad())
    try await advancePhone(#""by":"P31D""#)
    try await onPhone(.post, "/installs", DeviceAds.install, status: 201, outcome: "unattributed")
  }

  private func exerciseWebAds() async throws {
    let browser = "/v1/browsers/phone"
    try await call(.post, "\(browser)/link-clicks", DeviceAds.webAd, status: 201, outcome: "handed-over")
    try await call(.patch, browser, #"{"settings":{"privateBrowsing":true}}"#)
    try await call(.post, "\(browser)/link-clicks", DeviceAds.webAd, status: 201, outcome: "handed-over")
    try await call(.patch, browser, #"{"settings":{"privateBrowsing":false}}"#)
    try await onPhone(.get, "/impressions")
  }

  private static let allowing = #"{"bundleIdentifier":"\#(DeviceAds.app)","allow":true}"#

  private static func sdkEvent(_ name: String, _ members: String = "") -> String {
    #"{"bundleIdentifier":"\#(DeviceAds.app)","event":"\#(name)"\#(members.isEmpty ? "" : ",\(members)")}"#
  }

  /// Every status, and requests of a measurement SDK with each, one of them to a host that is not mapped.
  private func exerciseTracking() async throws {
    func set(_ body: String, _ outcome: String = "changed") async throws {
      try await onPhone(.post, "/tracking-settings", body, status: 201, outcome: outcome)
    }
    func ask(_ outcome: String) async throws -> API.Answer {
      try await onPhone(.post, "/tracking-requests", DeviceAds.install, status: 201, outcome: outcome)
    }
    let app = "/apps/\(DeviceAds.app)"
    try await onPhone(.get, "\(app)/tracking")
    try await onPhone(.get, "/explain?about=\(try await ask("terminated").member("id", as: String.self))")
    try await onPhone(.put, app, #"{"infoPlist":{"NSUserTrackingUsageDescription":"To measure ads."}}"#)
    try await onPhone(.get, app)
    for number in 1...101 {
      let strategy = number == 1 ? #""urlStrategyDomains":["eu.adjust.com"]"# : #""urlStrategy":"ADJUrlStrategyCn""#
      let body = Self.sdkEvent("event \(number)", #""consentWaitingInterval":"PT30S",\#(strategy)"#)
      if number <= 100 {
        try await onPhone(.post, "/sdk-events", body, status: 201, outcome: "held")
      } else {
        try await onPhone(.post, "/sdk-events", body, status: 409)
      }
    }
    try await onPhone(.get, "\(app)/tracking")
    let request = try await ask("prompted").member("id", as: String.self)
    _ = try await ask("rejected")
    try await onPhone(.post, "/tracking-answers", Self.allowing, status: 201, outcome: "answered")
    try await onPhone(.post, "/tracking-answers", Self.allowing, status: 201, outcome: "rejected")
    _ = try await ask("answered")
    try await onPhone(.post, "/sdk-events", Self.sdkEvent("authorized"), status: 201, outcome: "recorded")
    try await set(#"{"bundleIdentifier":"\#(DeviceAds.app)","allow":false}"#)
    try await onPhone(.post, "/sdk-events", Self.sdkEvent("denied"), status: 201, outcome: "recorded")
    try await onPhone(.get, "\(app)/tracking")
    try await set(#"{"system":"restricted"}"#)
    try await onPhone(.get, "\(app)/tracking")
    try await set(#"{"bundleIdentifier":"\#(DeviceAds.app)","allow":true}"#, "rejected")
    try await onPhone(.post, "/sdk-events", Self.sdkEvent("restricted"), status: 201, outcome: "recorded")
    for setting in ["off", "allowed"] { try await set(#"{"system":"\#(setting)"}"#) }
    try await set(#"{"bundleIdentifier":"\#(DeviceAds.app)","allow":true}"#)
    try await onPhone(.get, "\(app)/tracking")
    try await onPhone(.post, "/installs", DeviceAds.install, status: 201)
    try await onPhone(.post, "/sdk-events", Self.sdkEvent("not determined"), status: 201, outcome: "recorded")
    let page = try await onPhone(.get, "/sdk-requests?limit=1")
    try await onPhone(.get, "/sdk-requests?cursor=\(try page.member("next", as: String.self))")
    try await advancePhone(#""by":"PT1S""#)
    let sent = try await onPhone(.get, "/sdk-requests?limit=1000").member("items", as: [[String: Any]].self)
    for name in [request] + [sent.first, sent.last].compactMap({ $0?["id"] as? String }) {
      try await onPhone(.get, "/explain?about=\(name)")
    }
    try await onPhone(.post, "/sdk-events", Self.sdkEvent(""), status: 422)
    for (identifier, registration) in DeviceAds.apps { try await onPhone(.put, "/apps/\(identifier)", registration) }
  }

  /// Every event of the device, with its decision.
  private func exerciseTheLogOfTheDevice() async throws {
    var path = "/events?limit=1000&include=decision"
    while let next = try await onPhone(.get, path).object["next"] as? String {
      path = "/events?limit=1000&include=decision&cursor=\(next)"
    }
    try await onPhone(.get, "/events?kind=postback-delivered&wait=PT0S")
    for name in ["impression-1000000", "install-1", "conversion-1", "postback-1", "tracking-request-1", "sdk-request-1"] {
      try await onPhone(.get, "/explain?about=\(name)", status: 404)
    }
    try await onPhone(.get, "/postbacks/postback-1", status: 404)
    try await onPhone(.delete, "/data", status: 204)
  }

  /// Cards of each kind, and what an app logs about them.
  private func exerciseCards() async throws {
    let path = "/apps/\(DeviceAds.sourceApp)/cards"
    func card(_ id: String, _ extras: JSON, _ rest: String = "") -> String {
      let extras = JSON.object([.init("class_type", "pcm_ad")] + extras.members).text
      let usual = #""created":1,"dismissible":true,"urlString":"https://shop.example/","extras":\#(extras)"#
      return #"{"idString":"\#(id)",\#(usual)\#(rest)}"#
    }
    let cards = [
      card("web", ["attribution_source_id": "4"]), card("view", try Self.extras(DeviceAds.ad(fidelity: .viewThrough))),
      card("jws", try Self.extras(DeviceAds.jws())), card("broken", ["attribution_source_id": "many"]),
      card("late", [:], #","expiresAt":4000000000,"pinned":true,"type":"banner""#), #"{"idString":"control","isControl":true}"#,
      #"{"title":"no ID"}"#, #"{"type":"CAPTIONED_IMAGE","image_url":"https://shop.example/a.png","time_to_live":60}"#,
    ]
    try await onPhone(.put, path, #"{"cards":[\#(cards.joined(separator: ","))]}"#)
    let page = try await onPhone(.get, "\(path)?limit=1")
    try await onPhone(.get, "\(path)?cursor=\(try page.member("next", as: String.self))")
    for id in ["web", "view", "jws", "broken", "late", "control"] {
      try await onPhone(.post, "\(path)/\(id)/impressions", outcome: "counted")
      try await onPhone(.post, "\(path)/\(id)/impressions", outcome: "rejected")
      try await onPhone(.post, "\(path)/\(id)/clicks", outcome: id == "control" ? "rejected" : "counted")
    }
    try await advancePhone(#""by":"PT3S""#)
    for id in ["view", "late"] { try await onPhone(.post, "\(path)/\(id)/dismissals", outcome: "counted") }
    try await onPhone(.get, path)
    for event in try await api.items("\(Self.phone)/events?kind=card-received&kind=card-counted&include=decision") {
      let name = ((event["detail"] as? [String: Any])?["cardId"] as? String) ?? ""
      try await onPhone(.get, "/explain?about=\(name)")
    }
    try await onPhone(.get, "/events?kind=card-counted&kind=card-rejected&limit=1000")
    let feed = #"{"cards":[\#(cards[0])]}"#
    for (body, status) in [(feed, 200), (feed + " ", 409)] {
      try await call(.put, Self.phone + path, body, status: status, key: "cards")
    }
    try await onPhone(.get, "/events?kind=card-removed&kind=card-received&include=decision")
    try await onPhone(.post, "\(path)/none/clicks", status: 404)
    try await onPhone(.post, "\(path)/web/clicks", #"{"landingURL":"ftp://a.example"}"#, status: 422)
  }

  /// The values of an ad as the extras of a card, which are texts.
  private static func extras(_ ad: String) throws -> JSON {
    let members = try #require(JSON(parsing: Array(ad.utf8))).members.filter { $0.name != "bundleIdentifier" }
    return .object(members.map { .init($0.name, .string($0.value.string ?? $0.value.text)) })
  }

  /// Each operation about a device with its path, its body, and its status.
  func deviceRepetitions() async throws -> [(String, String, Int)] {
    let view = try await display(try DeviceAds.ad(fidelity: .viewThrough), "started")
    let tapped = try await display(try DeviceAds.jws(), "started")
    let card = #"{"idString":"web","created":1,"dismissible":true,"extras":{"class_type":"pcm_ad"}}"#
    try await onPhone(.put, "/apps/\(DeviceAds.sourceApp)/cards", #"{"cards":[\#(card)]}"#)
    let ended = "\(Self.phone)/impressions/\(view)/end"
    for (key, body, status) in [
      (String(repeating: "k", count: 256), "", 400), ("k", String(repeating: " ", count: 65_537), 413),
    ] {
      try await call(.post, ended, body, status: status, key: key)
    }
    return [
      ("\(Self.phone)/clock/advance", #"{"by":"PT1S"}"#, 200), ("\(Self.phone)/impressions", try DeviceAds.ad(), 201),
      (ended, "", 200), ("\(Self.phone)/impressions/\(tapped)/tap", "{}", 200),
      ("\(Self.phone)/installs", DeviceAds.install, 201), ("\(Self.phone)/launches", DeviceAds.install, 201),
      ("\(Self.phone)/conversion-values", DeviceAds.value(), 201),
      ("\(Self.phone)/development-postbacks", DeviceAds.install, 201), ("\(Self.phone)/development-postbacks/send", "", 200),
      ("\(Self.phone)/development-postbacks/clear", "{}", 200),
      ("\(Self.phone)/apps/\(DeviceAds.sourceApp)/cards/web/impressions", "", 200),
      ("\(Self.phone)/apps/\(DeviceAds.sourceApp)/cards/web/clicks", "{}", 200),
      ("\(Self.phone)/apps/\(DeviceAds.sourceApp)/cards/web/dismissals", "{}", 200),
      ("\(Self.phone)/tracking-requests", DeviceAds.install, 201), ("\(Self.phone)/tracking-answers", Self.allowing, 201),
      ("\(Self.phone)/tracking-settings", #"{"system":"allowed"}"#, 201),
      ("\(Self.phone)/sdk-events", Self.sdkEvent("open"), 201),
    ]
  }

  /// What callers do wrong under both paths of a browser.
  func exerciseProblemsOfBothFaces() async throws {
    for (face, name) in [("/v1/browsers", Self.test), ("/v1/devices", Self.device)] {
      try await call(.put, "\(name)/apps", "<plist/>", type: "text/plain", status: 415)
      try await call(.put, "\(name)/apps", "<plist/>", type: "text/xml", status: 422)
      try await call(.put, "\(name)/apps", String(repeating: " ", count: 1_048_577), type: "text/xml", status: 413)
      try await call(.get, "\(name)?limit=1", status: 422)
      try await call(.get, "\(name)/events?limit=0", status: 422)
      let stranger: HTTPFields = HTTPField.Name("Last-Event-ID").map { [$0: "x"] } ?? [:]
      let resumed = try await api.call(.get, "\(name)/events", headers: stranger)
      #expect(resumed.status == 400)
      try await witness.hear(resumed, to: .get, "\(name)/events")
      try await call(.get, "\(name)/explain", status: 422)
      try await call(.delete, "\(name)/data?site=a/b", status: 422)
      try await call(.put, name, #"{"seed":"another"}"#, status: 409)
      try await call(.delete, "\(face)/default", status: 409)
      try await call(.post, "\(face)/default/clock/advance", #"{"by":"PT1H"}"#, status: 409)
    }
    for body in [#"{"device":{"systemVersion":"18.x"}}"#, #"{"device":{"country":"Germany"}}"#] {
      try await call(.patch, Self.device, body, status: 422)
      try await call(.put, "/v1/devices/no-device", body, status: 422)
      try await call(.get, "/v1/devices/no-device", status: 404)
    }
    try await call(.put, "\(Self.device)/ad-networks/none", "{}", status: 422)
    try await call(.put, "/v1/devices/none/ad-networks/a", DeviceAds.registration(at: "https://a.example/"), status: 404)
    try await call(.get, "\(Self.device)/ad-networks/none", status: 404)
    for path in ["ad-networks", "impressions", "installs", "postbacks", "keys", "apps", "sdk-requests"] {
      try await call(.get, "\(Self.device)/\(path)?limit=0", status: 422)
    }
  }
}
