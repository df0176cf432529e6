import PCMCore
import PCMEndpoint
import PCMPages
import UnixSignals

/// The demo of an ad on a web page: a real Chromium shows the pages, and the service decides as Safari would.
struct PagesDemoStory {
  let client: DemoClient

  private func say(_ line: String) throws { try client.say(line) }

  /// Clicks through the pages in a new Chromium without a window.
  func tell(in chromium: String, sites: ChromiumSites, folder: String) async throws {
    let browser = try await createBrowser()
    let profile = folder + "/profile"
    try DataFolder.create(profile)
    try await Chromium.withRunning(
      chromium, arguments: sites.switches + ["about:blank"], isHeadless: true, folder: profile
    ) { devtools in
      let body: JSON = ["devtools": .string(devtools)]
      let attachment = try await client.call("POST", "/attachments", body.text)
      try say("1. A browser with its own clock, at \(browser.text("clock", "now")), observes \(attachment.text("product"))")
      try say("   PUT \(DemoStory.browser)")
      try say("   POST \(DemoStory.browser)/attachments \(body.text)")
      for option in sites.switches { try say("   Chromium has the switch \(option)") }
      try say("")
      let story = Journey(client: client, attachment: "/attachments/\(attachment.text("id"))")
      try await ChromiumPage.with(devtools) { try await story.tell(on: $0) }
    }
  }

  /// Serves the sites until a signal arrives, for a Chromium that people start.
  func serve(base: String, sites: ChromiumSites, folder: String, until signals: UnixSignalsSequence) async throws {
    _ = try await createBrowser()
    let chromium = (try? Chromium.find()) ?? "chromium"
    let words =
      [chromium, "--remote-debugging-port=9222", "--user-data-dir=\(folder)/profile", "--no-first-run"]
      + Chromium.sandboxSwitches()
      + sites.switches + [SitePage.article.url]
    try say("1. Start Chromium, in which these are the sites of the domain example:\n")
    try say("   \(words.map(\.asShellWord).joined(separator: " "))\n")
    try say("2. Observe it:\n")
    try say("   pcm-browser attach http://127.0.0.1:9222 --browser demo --service \(base)\n")
    try say("3. Click the ad, and buy. What Safari would measure is on \(base)/browsers/demo")
    try say("   Move the clock there by two days: both reports arrive here. Ctrl-C ends the demo.\n")
    // It ends with this function.
    async let _: Void = showReports()
    for await _ in signals { break }
  }

  private func showReports() async throws {
    for await entry in client.arrivals where entry.received.kind == .report { try client.show(entry.received) }
  }

  private func createBrowser() async throws -> JSON {
    try await client.call(
      "PUT", "", #"{"storage":"durable","seed":"demo","clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"}}"#)
  }
}

extension String {
  /// The text as one word of a shell's command.
  var asShellWord: String {
    let isPlain = utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || "-_./:=+,@%".utf8.contains($0)
    }
    return isPlain && !isEmpty ? self : "'\(replacing("'", with: "'\\''"))'"
  }
}

/// The steps of the demo in an observed Chromium.
private struct Journey {
  let client: DemoClient
  let attachment: String

  private func say(_ line: String) throws { try client.say(line) }

  func tell(on page: ChromiumPage) async throws {
    try await clickAd(on: page)
    try await buy(on: page)
    try await jump()
    try await showReports()
  }

  private func clickAd(on page: ChromiumPage) async throws {
    try await page.open(SitePage.article.url)
    let article = try await page.click(SitePage.ad)
    let outcome = try await settle()
    try say("2. The user opens \(article) and clicks its ad")
    try say("   link:     <a attributionsourceid=\"4\" attributiondestination=\"https://shop.example\">")
    try say("   landing:  \(try await page.loaded(SitePage.buyButton).text("url"))")
    try client.sayOutcome(outcome.response)
    let click = outcome.response["click"] ?? .null
    try say("   click:    \(click.text("sourceSite")) -> \(click.text("destinationSite")), until \(click.text("expiresAt"))\n")
  }

  private func buy(on page: ChromiumPage) async throws {
    _ = try await client.call("POST", "/clock/advance", #"{"by":"PT3H"}"#)
    try await page.click(SitePage.buyButton)
    let outcome = try await settle()
    try say("3. Three hours later the user buys, and Chromium follows the redirect of a pixel on the thank-you page")
    try say("   page:     \(outcome.request.text("firstPartyURL"))")
    try say("   pixel:    \(outcome.request.text("redirect", "from"))")
    try say("   to:       \(outcome.request.text("redirect", "to"))")
    try client.sayOutcome(outcome.response)
    let attribution = outcome.response["attribution"] ?? .null
    try say("   trigger:  data \(attribution.text("triggerData")), priority \(attribution.text("priority"))\n")
  }

  private func jump() async throws {
    let advanced = try await client.call("POST", "/clock/advance", #"{"by":"PT48H"}"#)
    try say("4. The clock advances by two days, to \(advanced.text("now"))")
    try say("   POST \(DemoStory.browser)/clock/advance {\"by\":\"PT48H\"}")
    try client.sayDeliveries(advanced)
  }

  private func showReports() async throws {
    try say("5. The requests that the two sites received over TLS\n")
    try await client.showArrivals(of: .report) { try client.show($0.received) }
    try say("Both reports arrived: what Safari would send for these pages and these clicks.")
  }

  /// Waits until nothing is pending in the pages, and returns the call that was made for them.
  private func settle() async throws -> (request: JSON, response: JSON) {
    let settled = try await client.call("POST", attachment + "/settle")
    guard settled["settled"]?.flag == true, let outcome = settled["outcomes"]?.items.first else {
      throw StartError(description: "Chromium did what the service did not observe: \(settled.text)")
    }
    return (outcome["request"] ?? .null, outcome["response"] ?? .null)
  }
}
