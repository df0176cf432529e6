import PCMCore
import PCMReceiver
import PCMTokens

/// The steps of the demo. Each step calls the running service and prints its response.
struct DemoStory {
  let client: DemoClient
  let manifest: String
  let nonces: Nonces
  let arrivals: AsyncStream<Entry>
  let say: @Sendable (String) throws -> Void

  private static let browser = "/v1/browsers/demo"

  /// A nonce of each site, minted for one page view.
  struct Nonces {
    let source: String
    let destination: String
  }

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
    let response = try await client.call(
      "PUT", Self.browser,
      #"{"storage":"durable","seed":"demo","clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"}}"#)
    let browser = try response.decoded(as: Browser.self)
    try say("1. A browser with its own clock, at \(browser.clock.now)")
    try say("   PUT \(Self.browser)\n")
  }

  private func registerApp() async throws -> App {
    let response = try await client.call("PUT", "\(Self.browser)/apps", manifest, mediaType: "application/x-plist")
    let app = try response.decoded(as: App.self)
    try say("2. An app registers with its Info.plist: \(app.bundleIdentifier)")
    try say("   PUT \(Self.browser)/apps")
    try say("   its reports go to \(app.reportURL ?? "nowhere")\n")
    return app
  }

  private func eventAttribution(_ app: App, nonce: String?, tapVerified: Bool) -> String {
    """
    {"bundleIdentifier":"\(app.bundleIdentifier)","sourceIdentifier":4,"destinationURL":"https://shop.example/tabletStandDeluxe.html",\
    "sourceDescription":"Banner ad for Tablet Stand Deluxe.","purchaser":"Shop Example, Inc.",\
    \(nonce.map { "\"sourceNonce\":\"\($0)\"," } ?? "")"tapVerified":\(tapVerified)}
    """
  }

  private func tapUnverified(_ app: App) async throws {
    let response = try await client.call(
      "POST", "\(Self.browser)/event-attributions", eventAttribution(app, nonce: nil, tapVerified: false))
    try say("3. The app opens an ad's URL without a verified tap")
    try say("   POST \(Self.browser)/event-attributions")
    try say("   outcome:  \(try response.decoded(as: Outcome.self).line)\n")
  }

  private func tap(_ app: App) async throws {
    let response = try await client.call(
      "POST", "\(Self.browser)/event-attributions", eventAttribution(app, nonce: nonces.source, tapVerified: true))
    let outcome = try response.decoded(as: Outcome.self)
    try say("4. The user taps the ad: sourceIdentifier 4, https://shop.example/tabletStandDeluxe.html")
    try say("   The ad has a nonce, for which news.example signs a blinded token. (An extension: the app API has no nonce.)")
    try say("   POST \(Self.browser)/event-attributions   sourceNonce \(nonces.source)")
    try say("   outcome:  \(outcome.line)")
    if let click = outcome.click {
      try say("   click:    \(click.sourceSite) -> \(click.destinationSite), until \(click.expiresAt)")
    }
    try await showToken(of: "source")
  }

  private func convert() async throws {
    _ = try await client.call("POST", "\(Self.browser)/clock/advance", #"{"by":"PT3H"}"#)
    let response = try await client.call(
      "POST", "\(Self.browser)/triggering-events",
      """
      {"firstPartyURL":"https://shop.example/thanks","redirect":{"from":"https://news.example/pixel",\
      "to":"https://news.example/.well-known/private-click-measurement/trigger-attribution/12/03\
      ?attributionDestinationNonce=\(nonces.destination)"}}
      """)
    let outcome = try response.decoded(as: Outcome.self)
    try say("5. Three hours later the user buys, and a pixel on the thank-you page is redirected")
    try say("   The redirect has a nonce of the shop, for which shop.example signs another token.")
    try say("   POST \(Self.browser)/triggering-events")
    try say("        …/trigger-attribution/12/03?attributionDestinationNonce=\(nonces.destination)")
    try say("   outcome:  \(outcome.line)")
    if let attribution = outcome.attribution {
      try say("   trigger:  data \(attribution.triggerData), priority \(attribution.priority)")
    }
    try await showToken(of: "destination")
  }

  /// Prints the logged events of the token exchange that was part of the last call.
  private func showToken(of party: String) async throws {
    let log = try await client.call("GET", "\(Self.browser)/events").decoded(as: Log.self)
    for (index, event) in log.items.filter({ $0.detail.recipient == party }).enumerated() {
      try say("   \(index == 0 ? "token: " : "       ")   \(event.tokenLine)")
    }
    try say("")
  }

  private func jump() async throws {
    let response = try await client.call("POST", "\(Self.browser)/clock/advance", #"{"by":"PT48H"}"#)
    let advanced = try response.decoded(as: Advanced.self)
    try say("6. The clock advances by two days, to \(advanced.now)")
    try say("   POST \(Self.browser)/clock/advance {\"by\":\"PT48H\"}")
    for event in advanced.events { try say("   \(event.deliveryLine)") }
    try say("")
  }

  private func showReports() async throws {
    try say("7. The requests that the two report endpoints received over TLS, and their verdicts on the tokens\n")
    var count = 0
    for await entry in arrivals where entry.received.kind == .report {
      try show(entry.received)
      for recipient in Recipient.allCases { try show(recipient, of: entry) }
      try say("")
      count += 1
      if count == 2 { break }
    }
    guard count == 2 else { throw StartError(description: "\(count) of 2 reports arrived") }
    try say("Both reports arrived: source and destination, the same bytes, hours apart, without cookies or a referrer.")
    try say("Their tokens prove that each site had such a visitor, but not which one.")
  }

  private func show(_ received: ReceivedRequest) throws {
    try say("   \(received.method) https://\(received.host)\(received.path)")
    for header in received.headers { try say("   \(header.name): \(header.value)") }
    try say("\n   \(String(decoding: received.body, as: UTF8.self))\n")
  }

  private func show(_ recipient: Recipient, of entry: Entry) throws {
    guard case .verified(let key)? = entry.verdict.tokens[recipient] else {
      throw StartError(description: "the \(recipient.rawValue) token was not verified: \(entry.json.text)")
    }
    try say("   \(recipient.rawValue) token: verified with key \(key.text)")
  }
}
