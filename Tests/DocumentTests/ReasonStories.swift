import HTTPSupport
import HTTPTypes
import Testing

/// For each list of rules the shortest sequences of calls in which one of its rules fails.
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

  static let discardedTaps = [
    ReasonStory("tap-not-verified", rule: "tap-is-verified") { try await $0.tap(["tapVerified": false]) },
    ReasonStory("measurement-disabled", rule: "measurement-is-enabled") { api in
      try await api.settings(["measurementEnabled": false])
      return try await api.tap()
    },
  ]

  static let discardedLinks = [
    ReasonStory("same-site", rule: "destination-is-another-site") {
      try await $0.link(["attributionDestination": "https://www.news.example"])
    },
    ReasonStory("app-store-link-malformed", rule: "web-ad-is-complete") {
      try await $0.link(["attributionSourceID": nil, "href": "https://apps.apple.com/us/app/tablet-stand/id525463029"])
    },
  ]

  static let notes = [
    ReasonStory("nonce-invalid", rule: nil) { try await $0.link(["attributionSourceNonce": "short"]) },
    ReasonStory("click-replaced", rule: nil) { api in
      _ = try await api.tap()
      return try await api.tap()
    },
  ]

  static let rejectedTriggers = [
    ReasonStory("mixed-content-blocked", rule: "request-is-not-mixed-content") {
      try await $0.trigger(from: "http://news.example/pixel")
    },
    ReasonStory("no-first-party-site", rule: "first-party-has-a-site") { try await $0.trigger(page: "about:blank") },
    ReasonStory("has-fragment", rule: "trigger-url-has-no-fragment") { try await $0.trigger("12#") },
    ReasonStory("redirect-not-same-site", rule: "redirect-is-same-site") {
      try await $0.trigger(from: "https://cdn.example/pixel")
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
    ReasonStory("no-held-click", rule: "private-session-holds-a-click") { api in
      try await api.settings(["privateBrowsing": true])
      return try await api.trigger()
    },
  ]
}
