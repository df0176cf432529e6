import PCMCore
import PCMCrypto
import PCMEndpoint

/// The steps of the demo. Each step calls the running service and prints its response.
struct DemoStory {
  let client: DemoClient
  let manifest: String
  let nonces: Nonces

  static let browser = "/v1/browsers/demo"

  /// A nonce of each site, minted for one page view.
  struct Nonces {
    let source: String
    let destination: String
  }

  private func say(_ line: String) throws { try client.say(line) }

  func tell() async throws {
    try await createBrowser()
    let app = try await registerApp()
    try await tapUnverified(app)
    try await tap(app)
    try await convert()
    try await jump()
    try await showReports()
  }

  private func createBrowser() async throws {
    let browser = try await client.call(
      "PUT", "", #"{"storage":"durable","seed":"demo","clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"}}"#)
    try say("1. A browser with its own clock, at \(browser.text("clock", "now"))")
    try say("   PUT \(Self.browser)\n")
  }

  /// Returns the bundle identifier of the app.
  private func registerApp() async throws -> String {
    let app = try await client.call("PUT", "/apps", manifest, mediaType: "application/x-plist")
    try say("2. An app registers with its Info.plist: \(app.text("bundleIdentifier"))")
    try say("   PUT \(Self.browser)/apps")
    try say("   its reports go to \(app.text("reportURL"))\n")
    return app.text("bundleIdentifier")
  }

  private func eventAttribution(_ app: String, nonce: String?, tapVerified: Bool) -> String {
    """
    {"bundleIdentifier":"\(app)","sourceIdentifier":4,"destinationURL":"https://shop.example/tabletStandDeluxe.html",\
    "sourceDescription":"Banner ad for Tablet Stand Deluxe.","purchaser":"Shop Example, Inc.",\
    \(nonce.map { "\"sourceNonce\":\"\($0)\"," } ?? "")"tapVerified":\(tapVerified)}
    """
  }

  private func tapUnverified(_ app: String) async throws {
    let outcome = try await client.call(
      "POST", "/event-attributions", eventAttribution(app, nonce: nil, tapVerified: false))
    try say("3. The app opens an ad's URL without a verified tap")
    try say("   POST \(Self.browser)/event-attributions")
    try client.sayOutcome(outcome)
    try say("")
  }

  private func tap(_ app: String) async throws {
    let outcome = try await client.call(
      "POST", "/event-attributions", eventAttribution(app, nonce: nonces.source, tapVerified: true))
    try say("4. The user taps the ad: sourceIdentifier 4, https://shop.example/tabletStandDeluxe.html")
    try say("   The ad has a nonce, for which news.example signs a blinded token. (An extension: the app API has no nonce.)")
    try say("   POST \(Self.browser)/event-attributions   sourceNonce \(nonces.source)")
    try client.sayOutcome(outcome)
    if let click = outcome["click"], click != .null {
      try say("   click:    \(click.text("sourceSite")) -> \(click.text("destinationSite")), until \(click.text("expiresAt"))")
    }
    try await showToken(of: "source")
  }

  private func convert() async throws {
    _ = try await client.call("POST", "/clock/advance", #"{"by":"PT3H"}"#)
    let outcome = try await client.call(
      "POST", "/triggering-events",
      """
      {"firstPartyURL":"https://shop.example/thanks","redirect":{"from":"https://news.example/pixel",\
      "to":"https://news.example/.well-known/private-click-measurement/trigger-attribution/12/03\
      ?attributionDestinationNonce=\(nonces.destination)"}}
      """)
    try say("5. Three hours later the user buys, and a pixel on the thank-you page is redirected")
    try say("   The redirect has a nonce of the shop, for which shop.example signs another token.")
    try say("   POST \(Self.browser)/triggering-events")
    try say("        …/trigger-attribution/12/03?attributionDestinationNonce=\(nonces.destination)")
    try client.sayOutcome(outcome)
    if let attribution = outcome["attribution"], attribution != .null {
      try say("   trigger:  data \(attribution.text("triggerData")), priority \(attribution.text("priority"))")
    }
    try await showToken(of: "destination")
  }

  /// Prints the logged events of the token exchange that was part of the last call.
  private func showToken(of party: String) async throws {
    let events = try await client.call("GET", "/events")["items"] ?? []
    for (index, event) in events.items.filter({ $0.text("detail", "recipient") == party }).enumerated() {
      try say("   \(index == 0 ? "token: " : "       ")   \(event.tokenLine)")
    }
    try say("")
  }

  private func jump() async throws {
    let advanced = try await client.call("POST", "/clock/advance", #"{"by":"PT48H"}"#)
    try say("6. The clock advances by two days, to \(advanced.text("now"))")
    try say("   POST \(Self.browser)/clock/advance {\"by\":\"PT48H\"}")
    try client.sayDeliveries(advanced)
  }

  private func showReports() async throws {
    try say("7. The requests that the two report endpoints received over TLS, and their verdicts on the tokens\n")
    try await client.showArrivals(of: .report) { entry in
      try client.show(entry.received)
      for recipient in Recipient.allCases { try show(recipient, of: entry) }
      try say("")
    }
    try say("Both reports arrived: source and destination, the same bytes, hours apart, without cookies or a referrer.")
    try say("Their tokens prove that each site had such a visitor, but not which one.")
  }

  private func show(_ recipient: Recipient, of entry: Entry) throws {
    guard case .verified(let key)? = entry.verdict.tokens[recipient] else {
      throw StartError(description: "the \(recipient.rawValue) token was not verified: \(entry.json.text)")
    }
    try say("   \(recipient.rawValue) token: verified with key \(key.text)")
  }
}

extension JSON {
  /// A line about a token that is being signed.
  fileprivate var tokenLine: String {
    let detail = self["detail"] ?? .null
    let subject = detail["url"]?.string ?? detail["keyId"]?.string.map { "signed with key \($0)" }
    let reasons = (detail["reasons"] ?? []).items.map { $0.text("detail") }
    return "\(text("kind"))  \(((subject.map { [$0] } ?? []) + reasons).joined(separator: ", "))"
  }
}
