import BrowserSupport
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import PCMCore
import PCMStoreSQLite
import Testing

/// Text from callers is either rejected or the same, byte for byte, after a restart.
@Suite struct StoredTextTests {
  /// Texts that a layer between the request and the file could cut, normalize, trim, or misread.
  private static let texts = [
    "plain", "a\0b", "\0", "a\0", "\u{1}\u{1F}", "\u{7F}", "\r\n\t", " a ", "é", "e\u{301}", "\u{FEFF}a", "a\u{FEFF}", "👩‍💻",
    "\u{2028}\u{202E}", "\u{FFFF}", "\u{10FFFF}", "\"\\/", "\\u0000", "%00", "'; --", "null", "1e3", "",
    String(repeating: "ü", count: 100),
  ]

  /// A member of a request, a part of a path, or a header.
  struct Field: Sendable {
    let name: String
    /// The browser that the request is sent to.
    let browser: Target
    /// Performs the request with the text.
    let send: @Sendable (API, _ browser: String, _ text: String) async throws -> API.Answer
    /// Where an accepted text is read again: a resource whose JSON contains it as a string.
    var echo: String?

    enum Target: Sendable {
      /// One that the request creates.
      case new
      /// A separate one for each text, because the next text would replace this one.
      case separate
      /// One for all texts.
      case shared
    }

    /// A member of a JSON body.
    static func member(
      _ name: String, _ path: String, in browser: Target = .separate, echo: String? = nil,
      _ body: @escaping @Sendable (JSON) -> JSON
    ) -> Field {
      let method = browser == .shared ? HTTPRequest.Method.post : .put
      return Field(
        name: "\(path) \(name)", browser: browser,
        send: { api, browser, text in try await api.call(method, browser + path, body(.string(text)).text) }, echo: echo)
    }

    /// A part of a path.
    static func path(_ name: String, _ body: String, echo: String, _ path: @escaping @Sendable (String) -> String) -> Field {
      Field(
        name: name, browser: .separate,
        send: { api, browser, text in
          try await api.call(.put, path(browser) + PercentEncoding.component.encode(text), body)
        }, echo: echo)
    }
  }

  private static let specification: [Field] = [
    .member("seed", "", in: .new, echo: "") { ["seed": $0, "clock": ["mode": "manual"]] },
    .member("label", "", in: .new, echo: "") { ["labels": ["job": $0]] },
    .member("key of a label", "", in: .new, echo: "") { ["labels": .object([.init($0.string ?? "", "x")])] },
    .path("name", "{}", echo: "") { _ in "/v1/browsers/" },
    .member("name", "/forks", in: .shared) { ["name": .string("fork" + ($0.string ?? ""))] },
    Field(name: "name of a new browser", browser: .new) { api, _, text in
      let body: JSON = ["name": .string("new" + text)]
      return try await api.call(.post, "/v1/browsers", body.text)
    },
    Field(name: "changed label", browser: .separate) { api, browser, text in
      let body: JSON = ["labels": ["job": .string(text)]]
      return try await api.call(.patch, browser, body.text)
    },
  ]

  private static let apps: [Field] = [
    .path("bundle identifier", #"{"reportEndpoint":"https://news.example"}"#, echo: "/apps") { "\($0)/apps/" },
    .member("reportEndpoint", "/apps/a", echo: "/apps/a") { ["reportEndpoint": $0] },
    .member("path of the endpoint", "/apps/a") { ["reportEndpoint": .string("https://news.example/" + ($0.string ?? ""))] },
    .member("user of the endpoint", "/apps/a") { ["reportEndpoint": .string("https://\($0.string ?? "")@news.example/")] },
    .member("value", "/apps/a") {
      ["infoPlist": ["NSAdvertisingAttributionReportEndpoint": $0, "UIDeviceFamily": $0, "SKAdNetworkItems": [$0]]]
    },
    .member("key", "/apps/a") { ["infoPlist": .object([.init($0.string ?? "", $0)])] },
    .member("CFBundleIdentifier", "/apps/a") { ["infoPlist": ["CFBundleIdentifier": $0]] },
    .member("sdkVersion", "/apps/a") { ["sdkVersion": $0, "reportEndpoint": "https://news.example"] },
  ]

  private static let sites: [Field] = [
    .path("host", "{}", echo: "/sites") { "\($0)/sites/" },
    .member("body", "/sites/a.example", echo: "/sites/a.example") { ["report": ["body": $0]] },
    .member("content type", "/sites/a.example", echo: "/sites/a.example") { ["sign": ["content-type": $0]] },
    .member("location", "/sites/a.example", echo: "/sites/a.example") { ["loads": ["/": [["location": $0]]]] },
    .member("body of a postback", "/sites/a.example", echo: "/sites/a.example") { ["postback": ["body": $0]] },
    .member("body of a signed payload", "/sites/a.example", echo: "/sites/a.example") { ["signed-payload": ["body": $0]] },
    .member("path", "/sites/a.example") { ["loads": .object([.init("/" + ($0.string ?? ""), ["status": 200])])] },
    .member("failure", "/sites/a.example", echo: "/sites/a.example") {
      ["token-key": ["failure": ["code": "timed-out", "detail": $0]]]
    },
  ]

  private static let tap: [(String, JSON)] = [
    ("bundleIdentifier", "com.example.news"), ("sourceIdentifier", 4), ("destinationURL", "https://shop.example/"),
  ]
  private static let link: [(String, JSON)] = [
    ("pageURL", "https://news.example/"), ("attributionSourceID", "4"), ("attributionDestination", "https://shop.example"),
  ]
  private static let trigger: [(String, JSON)] = [
    ("firstPartyURL", "https://shop.example/"), ("pixelOf", "news.example"), ("triggerData", 3),
  ]

  /// The text alone, and as the path and the user of a URL.
  private static let forms = [("", ""), ("https://shop.example/", ""), ("https://", "@shop.example/")]

  /// A request with one member replaced or added, for each of the names and forms.
  private static func replacing(_ names: [String], in members: [(String, JSON)], _ path: String) -> [Field] {
    names.flatMap { name in
      forms.map { prefix, suffix in
        .member("\(prefix)\(name)", path, in: .shared) { text in
          let value = JSON.string(prefix + (text.string ?? "") + suffix)
          return .object((members.filter { $0.0 != name } + [(name, value)]).map { .init($0.0, $0.1) })
        }
      }
    }
  }

  /// As ``replacing(_:in:_:)``, at a device with ad networks, apps, an install, and an ad for the installed app.
  ///
  /// - Parameter path: Returns the path below the device for the name of the ad.
  private static func atDevice(
    _ names: [String], in body: @escaping @Sendable () throws -> String, _ method: HTTPRequest.Method = .post,
    at path: @escaping @Sendable (_ ad: String) -> String
  ) -> [Field] {
    let needsAd = path("1") != path("2")
    return names.flatMap { name in
      (name.hasSuffix("URL") ? forms : [("", "")]).map { prefix, suffix in
        Field(name: "\(prefix)\(name) of \(path("ad"))", browser: .shared) { api, browser, text in
          let device = browser.replacing("/v1/browsers/", with: "/v1/devices/")
          let isFirst = text == Self.texts.first
          let ad = isFirst || needsAd ? try await api.prepareDevice(device) : ""
          let members = JSON(parsing: Array(try body().utf8))?.members ?? []
          let changed = members.filter { $0.name != name } + [.init(name, .string(prefix + text + suffix))]
          return try await api.call(method, device + path(ad), JSON.object(changed).text)
        }
      }
    }
  }

  private static let devices: [Field] =
    atDevice(
      ["bundleIdentifier", "presentation", "version", "adNetworkIdentifier", "adImpressionIdentifier", "signature"],
      in: { try DeviceAds.ad() }, at: { _ in "/impressions" })
    + atDevice(["bundleIdentifier", "jws"], in: { try DeviceAds.jws() }, at: { _ in "/impressions" })
    + atDevice(["reengagementURL"], in: { "{}" }, at: { "/impressions/\($0)/tap" })
    + atDevice(["bundleIdentifier", "marketplace", "country"], in: { DeviceAds.install }, at: { _ in "/installs" })
    + atDevice(["bundleIdentifier"], in: { DeviceAds.install }, at: { _ in "/launches" })
    + atDevice(
      ["bundleIdentifier", "coarseValue", "conversionTag", "framework"], in: { DeviceAds.value() },
      at: { _ in "/conversion-values" })
    + atDevice(
      ["publicKey", "postbackURL"], in: { DeviceAds.registration(at: "https://ads.example/") }, .put,
      at: { _ in "/ad-networks/\(DeviceAds.otherNetwork)" })
    + ["systemVersion", "country"].map { name in
      Field(name: name, browser: .separate) { api, browser, text in
        try await api.call(.patch, browser, JSON.object([.init("device", .object([.init(name, .string(text))]))]).text)
      }
    }
    + [
      .path("identifier of an ad network", DeviceAds.registration(at: "https://ads.example/"), echo: "/ad-networks") {
        $0.replacing("/v1/browsers/", with: "/v1/devices/") + "/ad-networks/"
      }
    ]

  private static let inputs: [Field] =
    replacing(
      [
        "bundleIdentifier", "destinationURL", "sourceDescription", "purchaser", "sourceNonce", "presentation", "openedURL",
        "landingURL",
      ], in: tap, "/event-attributions")
    + replacing(
      [
        "pageURL", "attributionSourceID", "attributionDestination", "attributionSourceNonce", "href", "landingURL",
        "bundleIdentifier",
      ], in: link, "/link-clicks")
    + replacing(["firstPartyURL", "pixelOf", "bundleIdentifier"], in: trigger, "/triggering-events")
    + ["from", "to"].map { name in
      .member(name, "/triggering-events", in: .shared) { text in
        let url = JSON.string("https://news.example/\(text.string ?? "")")
        let other = JSON.Member(name == "to" ? "from" : "to", "https://news.example/")
        return ["firstPartyURL": "https://shop.example/", "redirect": .object([other, .init(name, url)])]
      }
    }
    + replacing(
      ["firstPartyURL", "url", "kind", "method"],
      in: [("firstPartyURL", "https://shop.example/"), ("url", "https://news.example/")], "/loads")

  @Test func specificationsComeBackAfterARestart() async throws { try await expectSameAfterRestart(Self.specification) }

  @Test func appsComeBackAfterARestart() async throws { try await expectSameAfterRestart(Self.apps) }

  @Test func sitesComeBackAfterARestart() async throws { try await expectSameAfterRestart(Self.sites) }

  @Test func inputsComeBackAfterARestart() async throws { try await expectSameAfterRestart(Self.inputs) }

  @Test func devicesComeBackAfterARestart() async throws { try await expectSameAfterRestart(Self.devices) }

  @Test func keptAnswersComeBackAfterARestart() async throws {
    let file = TemporaryDatabase()
    let answers: @Sendable (API) async throws -> [API.Answer] = { api in
      var answers: [API.Answer] = []
      for (number, text) in Self.texts.enumerated() {
        let body = JSON.object(Self.link.map { .init($0.0, $0.1) } + [.init("attributionSourceNonce", .string(text))])
        let path = "/v1/browsers/default/link-clicks"
        let key = HTTPFields.key("\(number) ~!\"'\\;")
        answers.append(try await api.call(.post, path, bytes: body.bytes, type: "application/json", headers: key))
      }
      return answers
    }
    let before = try await file.serve(answers)
    let after = try await file.serve(answers)
    let replayed = try #require(HTTPField.Name("Idempotent-Replayed"))
    for (first, second) in zip(before, after) {
      #expect(first.status == 201 && second.status == 201 && first.bytes == second.bytes, "\(first.text)")
      #expect(first.headers[replayed] == nil && second.headers[replayed] == "true")
      #expect(first.headers[.location] == second.headers[.location])
    }
  }

  private func expectSameAfterRestart(_ fields: [Field]) async throws {
    let file = TemporaryDatabase()
    let before = try await file.serve { api in
      for (index, field) in fields.enumerated() {
        for (number, text) in Self.texts.enumerated() {
          let name = field.browser == .shared ? "\(index)" : "\(index)-\(number)"
          try await Self.send(field, text, to: BrowserName(name).path, api)
        }
      }
      return try await Self.resources(api)
    }
    let after = try await file.serve(Self.resources)
    #expect(before.keys.sorted() == after.keys.sorted())
    for (path, bytes) in before where after[path] != bytes {
      let (old, new) = (String(decoding: bytes, as: UTF8.self), String(decoding: after[path] ?? [], as: UTF8.self))
      Issue.record("\(path)\nbefore \(old)\nafter \(new)")
    }
  }

  /// Sends a text, and reads it again when it was accepted.
  private static func send(_ field: Field, _ text: String, to browser: String, _ api: API) async throws {
    if field.browser != .new {
      #expect([200, 201].contains(try await api.call(.put, browser, #"{"seed":"1","clock":{"mode":"manual"}}"#).status))
      let app = #"{"reportEndpoint":"https://news.example"}"#
      #expect(try await api.call(.put, "\(browser)/apps/com.example.news", app).status == 200)
      if field.browser == .shared {
        #expect(try await api.call(.put, "\(browser)/network", #"{"mode":"simulated"}"#).status == 200)
      }
    }
    let answer = try await field.send(api, browser, text)
    let allowed = [200, 201, 400, 404, 405, 415, 422]
    #expect(allowed.contains(answer.status), "\(field.name) \(text.debugDescription): \(answer.text)")
    guard answer.status <= 201, let echo = field.echo else { return }
    var path = field.name == "name" ? BrowserName(text).path : browser + echo
    if echo == "/ad-networks" { path = path.replacing("/v1/browsers/", with: "/v1/devices/") }
    let found = try await api.call(.get, path)
    let isFound = Data(found.bytes).range(of: Data(JSON.string(text).bytes)) != nil
    #expect(isFound, "\(field.name) \(text.debugDescription): \(found.text)")
  }

  /// All that the service returns about its browsers, by path.
  private static func resources(_ api: API) async throws -> [String: [UInt8]] {
    var resources: [String: [UInt8]] = [:]
    // Foundation's decoder would remove byte order marks.
    let browsers = try #require(JSON(parsing: try await api.call(.get, "/v1/browsers?limit=1000").bytes))
    #expect(browsers["next"] == .null)
    for browser in browsers["items"]?.items ?? [] {
      let path = BrowserName(browser["name"]?.string ?? "").path
      for tail in [
        "", "/apps", "/network", "/sites", "/clicks", "/triggering-events", "/attributions", "/reports?include=body",
        "/events?include=decision", "/scenario",
      ] {
        let answer = try await api.call(.get, path + tail)
        // Not every history is a scenario. A problem has the identifier of its request.
        #expect(answer.status == 200 || tail == "/scenario", "\(answer.text)")
        resources[path + tail] = answer.status == 200 ? answer.bytes : []
      }
      let device = path.replacing("/v1/browsers/", with: "/v1/devices/")
      for tail in ["", "/ad-networks", "/impressions", "/installs", "/postbacks?include=body"] {
        let answer = try await api.call(.get, device + tail)
        #expect(answer.status == 200, "\(answer.text)")
        resources[device + tail] = answer.bytes
      }
    }
    return resources
  }
}

/// A database that is opened several times, and removed in the end.
private final class TemporaryDatabase: Sendable {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pcm-texts-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Serves the API on the database until the body returns.
  func serve<Result: Sendable>(_ body: @escaping @Sendable (API) async throws -> Result) async throws -> Result {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = try SQLiteStore(path: folder.appendingPathComponent("browsers.sqlite").path)
    let router = try await API.router(store: store)
    let result = try await Application(router: router).test(.router) { try await body(API(client: $0)) }
    try await store.close()
    return result
  }
}
