import HTTPTypes
import PCMCore

/// All texts that callers send to a browser and that it keeps.
enum TextFields {
  static let all = specification + apps + sites + inputs + device

  static let specification =
    creation + properties(.put, in: .new, echo: "") + properties(.patch, in: .separate, echo: "")
    + properties(.post, in: .generated)

  private static let creation: [TextField] = [
    TextField(
      name: "name", browser: .new,
      request: { _, text in
        TextField.Request(method: .put, path: BrowserName(text).path, body: JSON.object([.init("name", .string(text))]).text)
      }, echo: ""),
    .member(.put, "seed", "", in: .new, echo: "") { ["seed": $0, "clock": ["mode": "manual"]] },
    .member(.post, "seed", "", in: .generated) { ["seed": $0] },
    .member(.post, "name", "", in: .generated) { ["name": $0] },
    .member(.post, "name", "/forks", in: .shared) { ["name": .string("fork" + ($0.string ?? ""))] },
  ]

  /// Members that a caller can also change after the creation.
  private static func properties(
    _ method: HTTPRequest.Method, in browser: TextField.Target, echo: String? = nil
  ) -> [TextField] {
    // POST creates a standard device, and rejects other properties.
    let isStandard = method == .post
    return [
      .member(method, "label", "", in: browser, echo: echo) { ["labels": ["job": $0]] },
      .member(method, "key of a label", "", in: browser, echo: echo) {
        ["labels": .object([.init($0.string ?? "", "x")])]
      },
      .member(method, "systemVersion", "", in: browser, echo: echo, more: isStandard ? [] : ["17.5"]) {
        ["device": ["systemVersion": $0]]
      },
      .member(method, "country", "", in: browser, echo: echo, more: isStandard ? [] : ["DE"]) {
        ["device": ["country": $0]]
      },
    ]
  }

  static let apps: [TextField] = [
    .path("bundle identifier", #"{"reportEndpoint":"https://news.example"}"#, echo: "/apps") { "\($0)/apps/" },
    app("reportEndpoint", echo: "/apps/plain") { ["reportEndpoint": $0] },
    app("path of the endpoint") { ["reportEndpoint": .string("https://news.example/" + ($0.string ?? ""))] },
    app("user of the endpoint") { ["reportEndpoint": .string("https://\($0.string ?? "")@news.example/")] },
    app("value") {
      ["infoPlist": ["NSAdvertisingAttributionReportEndpoint": $0, "UIDeviceFamily": $0, "SKAdNetworkItems": [$0]]]
    },
    app("key") { ["infoPlist": .object([.init($0.string ?? "", $0)])] },
    app("CFBundleIdentifier") { ["infoPlist": ["CFBundleIdentifier": $0]] },
    app("sdkVersion", echo: "/apps/plain", more: ["17.5"]) {
      ["reportEndpoint": "https://news.example", "sdkVersion": $0]
    },
  ]

  /// A member of an app's registration. The bundle identifier is one of the texts.
  private static func app(
    _ name: String, echo: String? = nil, more: [String] = [], _ body: @escaping @Sendable (JSON) throws -> JSON
  ) -> TextField {
    .member(.put, name, "/apps/plain", in: .separate, echo: echo, more: more, body)
  }

  static let link: JSON = [
    "pageURL": "https://news.example/", "attributionSourceID": "4", "attributionDestination": "https://shop.example",
  ]
  private static let tap: JSON = [
    "bundleIdentifier": "com.example.news", "sourceIdentifier": 4, "destinationURL": "https://shop.example/",
  ]
  private static let trigger: JSON = ["firstPartyURL": "https://shop.example/", "pixelOf": "news.example", "triggerData": 3]
  private static let load: JSON = ["firstPartyURL": "https://shop.example/", "url": "https://news.example/"]

  static let inputs = taps + links + triggers + redirects + observations + loads + notes + attachments

  private static let taps = input(
    [
      "bundleIdentifier", "destinationURL", "sourceDescription", "purchaser", "sourceNonce", "presentation", "openedURL",
      "landingURL",
    ], "/event-attributions", tap)

  private static let links = input(
    [
      "pageURL", "attributionSourceID", "attributionDestination", "attributionSourceNonce", "href", "landingURL",
      "target", "bundleIdentifier",
    ], "/link-clicks", link)

  private static let triggers = input(["firstPartyURL", "pixelOf", "bundleIdentifier"], "/triggering-events", trigger)

  private static let redirects: [TextField] = ["from", "to"].map { name in
    TextField.member(.post, name, "/triggering-events", in: .shared) { text in
      let url = JSON.string("https://news.example/\(text.string ?? "")")
      let other = JSON.Member(name == "to" ? "from" : "to", "https://news.example/")
      return ["firstPartyURL": "https://shop.example/", "redirect": .object([other, .init(name, url)])]
    }
  }

  private static let observations: [TextField] = ["frame", "load"].flatMap { name in
    [("/link-clicks", link), ("/triggering-events", trigger)].map { path, body in
      TextField.member(.post, name, path, in: .shared) { text in
        .object(body.members + [.init("observed", .object([.init(name, text)]))])
      }
    }
  }

  private static let loads = input(["firstPartyURL", "url", "kind", "method", "bundleIdentifier"], "/loads", load)

  private static let notes = input(
    ["kind", "code", "text", "href", "pageURL", "attributionDestination"], "/page-events",
    ["kind": "page-click-dropped", "code": "download", "text": "…", "href": "https://shop.example/"])

  /// No browser is at this address, and an attachment is not stored.
  private static let attachments = input(
    ["devtools", "context"], "/attachments", ["devtools": "http://192.0.2.1:9222", "context": "C"])

  private static func input(_ names: [String], _ path: String, _ body: JSON) -> [TextField] {
    TextField.replacing(names, path, in: .shared, as: TextField.Form.urls) { body }
  }
}
