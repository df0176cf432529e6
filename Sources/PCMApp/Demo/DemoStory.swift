import PCMHTTP

/// The story that the demo tells, call by call. Each call goes to the running service; what is printed is what came back.
struct DemoStory {
  let client: DemoClient
  let manifest: String
  let arrivals: AsyncStream<ReportReceiver.Arrival>
  let say: @Sendable (String) -> Void

  private static let browser = "/v1/browsers/demo"

  func tell() async throws {
    try await createBrowser()
    let app = try await registerApp()
    try await tapUnverified(app)
    try await tap(app)
    try await convert()
    try await jump()
    try await showReports()
  }

  private struct Browser: Decodable {
    let clock: Clock

    struct Clock: Decodable {
      let now: String
    }
  }

  private struct App: Decodable {
    let bundleIdentifier: String
    let sourceSite: String?
    let reportURL: String?
  }

  private struct Outcome: Decodable {
    let outcome: String
    let reasons: [Reason]
    let click: Click?
    let attribution: Attribution?

    struct Reason: Decodable {
      let code: String
      let detail: String
    }

    struct Click: Decodable {
      let id: String
      let sourceSite: String
      let destinationSite: String
      let expiresAt: String
    }

    struct Attribution: Decodable {
      let triggerData: Int
      let priority: Int
    }

    var line: String {
      outcome + reasons.map { "\n             \($0.code): \($0.detail)" }.joined()
    }
  }

  private struct Advanced: Decodable {
    let now: String
    let events: [Event]

    struct Event: Decodable {
      let at: String
      let kind: String
      let detail: Detail

      struct Detail: Decodable {
        let recipient: String?
        let httpStatus: Int?
      }
    }
  }

  private func createBrowser() async throws {
    let answer = try await client.call(
      "PUT", Self.browser,
      #"{"storage":"durable","seed":"demo","clock":{"mode":"manual","now":"2026-11-20T10:00:00.000Z"}}"#)
    let browser = try answer.decoded(as: Browser.self)
    say("1. A browser with a clock of its own, at \(browser.clock.now)")
    say("   PUT \(Self.browser)\n")
  }

  private func registerApp() async throws -> App {
    let answer = try await client.call("PUT", "\(Self.browser)/apps", manifest, mediaType: "application/x-plist")
    let app = try answer.decoded(as: App.self)
    say("2. An app registers with its Info.plist: \(app.bundleIdentifier)")
    say("   PUT \(Self.browser)/apps")
    say("   its reports go to \(app.reportURL ?? "nowhere")\n")
    return app
  }

  private func eventAttribution(_ app: App, tapVerified: Bool) -> String {
    """
    {"app":"\(app.bundleIdentifier)","sourceIdentifier":4,"destinationURL":"https://shop.example/tabletStandDeluxe.html",\
    "sourceDescription":"Banner ad for Tablet Stand Deluxe.","purchaser":"Shop Example, Inc.","tapVerified":\(tapVerified)}
    """
  }

  private func tapUnverified(_ app: App) async throws {
    let answer = try await client.call(
      "POST", "\(Self.browser)/event-attributions", eventAttribution(app, tapVerified: false))
    say("3. The app opens an ad's URL without a verified tap")
    say("   POST \(Self.browser)/event-attributions")
    say("   outcome:  \(try answer.decoded(as: Outcome.self).line)\n")
  }

  private func tap(_ app: App) async throws {
    let answer = try await client.call(
      "POST", "\(Self.browser)/event-attributions", eventAttribution(app, tapVerified: true))
    let outcome = try answer.decoded(as: Outcome.self)
    say("4. The user taps the ad: sourceIdentifier 4, https://shop.example/tabletStandDeluxe.html")
    say("   POST \(Self.browser)/event-attributions")
    say("   outcome:  \(outcome.line)")
    if let click = outcome.click {
      say("   click:    \(click.sourceSite) -> \(click.destinationSite), until \(click.expiresAt)\n")
    }
  }

  private func convert() async throws {
    _ = try await client.call("POST", "\(Self.browser)/clock/advance", #"{"by":"PT3H"}"#)
    let answer = try await client.call(
      "POST", "\(Self.browser)/triggering-events",
      """
      {"firstPartyURL":"https://shop.example/thanks","redirect":{"from":"https://news.example/pixel",\
      "to":"https://news.example/.well-known/private-click-measurement/trigger-attribution/12/03"}}
      """)
    let outcome = try answer.decoded(as: Outcome.self)
    say("5. Three hours later the user buys, and a pixel on the thank-you page is redirected")
    say("   POST \(Self.browser)/triggering-events   …/trigger-attribution/12/03")
    say("   outcome:  \(outcome.line)")
    if let attribution = outcome.attribution {
      say("   trigger:  data \(attribution.triggerData), priority \(attribution.priority)\n")
    }
  }

  private func jump() async throws {
    let answer = try await client.call("POST", "\(Self.browser)/clock/advance", #"{"by":"PT48H"}"#)
    let advanced = try answer.decoded(as: Advanced.self)
    say("6. Two days pass in an instant; the clock stands at \(advanced.now)")
    say("   POST \(Self.browser)/clock/advance {\"by\":\"PT48H\"}")
    for event in advanced.events {
      let what = [event.detail.recipient, event.detail.httpStatus.map { "status \($0)" }].compactMap { $0 }
      say("   \(event.at)  \(event.kind)\(what.isEmpty ? "" : "  \(what.joined(separator: ", "))")")
    }
    say("")
  }

  private func showReports() async throws {
    say("7. What the two report endpoints received, over TLS, as it arrived\n")
    var count = 0
    for await arrival in arrivals {
      say("   \(arrival.method) https://\(arrival.authority)\(arrival.path)")
      for header in arrival.headers { say("   \(header.name): \(header.value)") }
      say("\n   \(arrival.body)\n")
      count += 1
      if count == 2 { break }
    }
    guard count == 2 else { throw StartFailure(description: "\(count) of 2 reports arrived") }
    say("Both reports arrived: source and destination, the same bytes, hours apart, no cookie, no referrer.")
  }
}
