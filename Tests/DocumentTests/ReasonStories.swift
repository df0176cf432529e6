import HTTPSupport
import HTTPTypes
import Testing

/// For each reason code the shortest sequence of calls in which the service gives it.
struct ReasonStory: Sendable, CustomTestStringConvertible {
  let code: String
  /// The deciding rule, by its name in an explanation; nil for a note, which stops nothing.
  let rule: String?
  /// Ends with the answer that carries the code.
  let tell: @Sendable (API) async throws -> API.Answer

  var testDescription: String { code }

  init(_ code: String, rule: String?, _ tell: @escaping @Sendable (API) async throws -> API.Answer) {
    self.code = code
    self.rule = rule
    self.tell = tell
  }
}

extension ReasonStory {
  private static let embedded = ["presentation": "safariViewController"]
  private static let endpoint = "<key>NSAdvertisingAttributionReportEndpoint</key>"

  static let discardedTaps = [
    ReasonStory("tap-not-verified", rule: "tap-is-verified") { try await $0.tap(["tapVerified": false]) },
    ReasonStory("no-report-endpoint", rule: "manifest-names-report-endpoint") { api in
      try await api.register("")
      return try await api.tap(["bundleIdentifier": "com.example.other"])
    },
    ReasonStory("report-endpoint-invalid", rule: "report-endpoint-is-usable") { api in
      try await api.register("\(endpoint)<string>http://news.example</string>")
      return try await api.tap(["bundleIdentifier": "com.example.other"])
    },
    ReasonStory("destination-not-opened", rule: "destination-is-opened") {
      try await $0.tap(["openedURL": "https://elsewhere.example/"])
    },
    ReasonStory("landing-site-mismatch", rule: "landing-is-on-destination") {
      try await $0.tap(["landingURL": "https://elsewhere.example/"])
    },
    ReasonStory("safari-view-controller-http", rule: "safari-view-controller-opens-https") {
      try await $0.tap(["presentation": "safariViewController", "openedURL": "http://shop.example/"])
    },
    ReasonStory("mac-catalyst", rule: "app-runs-on-iphone-or-ipad") { api in
      try await api.register(
        "\(endpoint)<string>https://news.example</string><key>UIDeviceFamily</key><array><integer>6</integer></array>")
      return try await api.tap(["bundleIdentifier": "com.example.other"])
    },
    ReasonStory("measurement-disabled", rule: "measurement-is-enabled") { api in
      try await api.settings(["measurementEnabled": false])
      return try await api.tap()
    },
  ]

  static let discardedLinks = [
    ReasonStory("same-site", rule: "destination-is-another-site") {
      try await $0.link(["attributionDestination": "https://www.news.example"])
    },
    ReasonStory("attribute-missing", rule: "both-attributes") { try await $0.link(["attributionSourceID": nil]) },
    ReasonStory("source-id-not-a-number", rule: "source-id-is-a-number") {
      try await $0.link(["attributionSourceID": "seven"])
    },
    ReasonStory("source-id-too-large", rule: "source-id-at-most-255") { try await $0.link(["attributionSourceID": "256"]) },
    ReasonStory("destination-not-http", rule: "destination-is-http") {
      try await $0.link(["attributionDestination": "ftp://shop.example"])
    },
    ReasonStory("no-user-gesture", rule: "user-gesture") { try await $0.link(["userGesture": false]) },
    ReasonStory("app-store-link-malformed", rule: "web-ad-is-complete") {
      try await $0.link(["attributionSourceID": nil, "href": "https://apps.apple.com/us/app/tablet-stand/id525463029"])
    },
    ReasonStory("not-main-frame", rule: "link-navigates-main-frame") {
      try await $0.link(["inFrame": true, "target": "_blank"])
    },
    ReasonStory("navigation-did-not-commit", rule: "navigation-commits") { try await $0.link(["landed": false]) },
    ReasonStory("no-source-site", rule: "page-has-a-site") { try await $0.link(["pageURL": ""]) },
  ]

  static let notes = [
    ReasonStory("nonce-invalid", rule: nil) { try await $0.link(["attributionSourceNonce": "short"]) },
    ReasonStory("text-truncated", rule: nil) { try await $0.tap(["purchaser": String(repeating: "p", count: 101)]) },
    ReasonStory("visionos", rule: nil) { api in
      try await api.register(
        "\(endpoint)<string>https://news.example</string><key>UIDeviceFamily</key><array><integer>7</integer></array>")
      return try await api.tap(["bundleIdentifier": "com.example.other"])
    },
    ReasonStory("held-click-replaced", rule: nil) { api in
      _ = try await api.tap(embedded)
      return try await api.tap(embedded)
    },
    ReasonStory("click-replaced", rule: nil) { api in
      _ = try await api.tap()
      return try await api.tap()
    },
  ]

  static let rejectedTriggers = [
    ReasonStory("not-https", rule: "trigger-url-is-https") { try await $0.trigger(at: "http://news.example") },
    ReasonStory("mixed-content-blocked", rule: "request-is-not-mixed-content") {
      try await $0.trigger(from: "http://news.example/pixel")
    },
    ReasonStory("no-first-party-site", rule: "first-party-has-a-site") { try await $0.trigger(page: "about:blank") },
    ReasonStory("has-credentials", rule: "trigger-url-has-no-credentials") {
      try await $0.trigger(at: "https://me@news.example")
    },
    ReasonStory("has-fragment", rule: "trigger-url-has-no-fragment") { try await $0.trigger("12#") },
    ReasonStory("query-empty", rule: "trigger-query-is-supported") { try await $0.trigger("12?") },
    ReasonStory("query-unsupported", rule: "trigger-query-is-supported") { try await $0.trigger("12?utm=1") },
    ReasonStory("source-parameter-empty", rule: "trigger-query-is-supported") {
      try await $0.trigger("12?attributionSource=")
    },
    ReasonStory("source-parameter-repeated", rule: "trigger-query-is-supported") {
      try await $0.trigger("12?attributionSource=https://a.example&attributionSource=https://a.example")
    },
    ReasonStory("source-parameter-invalid", rule: "trigger-query-is-supported") {
      try await $0.trigger("12?attributionSource=https://a.example/path")
    },
    ReasonStory("nonce-parameter-empty", rule: "trigger-query-is-supported") {
      try await $0.trigger("12?attributionDestinationNonce=")
    },
    ReasonStory("nonce-parameter-repeated", rule: "trigger-query-is-supported") {
      try await $0.trigger("12?attributionDestinationNonce=a&attributionDestinationNonce=b")
    },
    ReasonStory("data-invalid", rule: "trigger-data-and-priority-are-in-range") { try await $0.trigger("16") },
    ReasonStory("priority-invalid", rule: "trigger-data-and-priority-are-in-range") { try await $0.trigger("12/64") },
    ReasonStory("path-unrecognised", rule: "trigger-data-and-priority-are-in-range") { try await $0.trigger("12/3") },
    ReasonStory("redirect-not-same-site", rule: "redirect-is-same-site") {
      try await $0.trigger(from: "https://cdn.example/pixel")
    },
    ReasonStory("same-site-needs-source", rule: "same-site-pixel-names-source") {
      try await $0.trigger(at: "https://shop.example", from: "https://shop.example/pixel")
    },
    ReasonStory("cross-site-forbids-source", rule: "cross-site-pixel-names-no-source") {
      try await $0.trigger("12?attributionSource=https://news.example")
    },
    ReasonStory("destination-token-failed", rule: "destination-nonce-is-valid") {
      try await $0.trigger("12?attributionDestinationNonce=short")
    },
    ReasonStory("measurement-disabled", rule: "measurement-is-enabled") { api in
      try await api.settings(["measurementEnabled": false])
      return try await api.trigger()
    },
  ]

  static let ignoredTriggers = [
    ReasonStory("path-not-a-trigger", rule: "path-is-the-trigger-path") {
      try await $0.trigger("12", path: "/.well-known/private-click-measurement/trigger-atribution/")
    }
  ]

  static let unmatchedTriggers = [
    ReasonStory("no-click", rule: "a-click-is-stored") { try await $0.trigger() },
    ReasonStory("click-expired", rule: "a-click-is-stored") { api in
      _ = try await api.tap()
      try await api.advance("P7DT3H12M")
      return try await api.trigger()
    },
    ReasonStory("other-destination", rule: "a-click-is-stored") { api in
      _ = try await api.tap()
      return try await api.trigger(page: "https://elsewhere.example/")
    },
    ReasonStory("other-app", rule: "a-click-is-stored") { api in
      _ = try await api.tap()
      return try await api.trigger(app: "com.example.news")
    },
    ReasonStory("already-reported", rule: "no-report-has-gone-out") { api in
      _ = try await api.tap()
      _ = try await api.trigger()
      #expect(try await api.call(.post, "/v1/browsers/test/clock/advance", #"{"toNextEvent":true}"#).status == 200)
      return try await api.trigger("12/63")
    },
    ReasonStory("lower-or-equal-priority", rule: "priority-is-higher") { api in
      _ = try await api.tap()
      _ = try await api.trigger()
      return try await api.trigger()
    },
    ReasonStory("held-click-mismatch", rule: "held-click-fits-pixel") { api in
      _ = try await api.tap(embedded)
      return try await api.trigger(
        at: "https://other.example", from: "https://other.example/pixel", app: "com.example.news")
    },
    ReasonStory("held-click-expired", rule: "held-click-is-alive") { api in
      _ = try await api.tap(embedded)
      try await api.advance("P8D")
      return try await api.trigger(app: "com.example.news")
    },
    ReasonStory("no-held-click", rule: "private-session-holds-a-click") { api in
      try await api.settings(["privateBrowsing": true])
      return try await api.trigger()
    },
  ]
}
