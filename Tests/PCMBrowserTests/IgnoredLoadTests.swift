import BrowserSupport
import PCMBrowser
import PCMCore
import PCMNetwork
import PCMStore
import Testing

/// Loads that trigger nothing: similar requests are in the answer, in the log, and in explanations.
@Suite struct IgnoredLoadTests {
  private static let path = TriggerURL.pathPrefix
  private static let trigger = "https://news.example\(path)"
  private static let pixel = "https://news.example/pixel"

  private struct Result {
    let outcome: LoadOutcome
    let scene: Scene
    let requests: [String]

    var ignored: [String] { outcome.ignored.flatMap { $0.reasons.map(\.code) } }
    var triggers: [String] { outcome.triggeringEvents.flatMap { [$0.kind.rawValue] + $0.reasons.map(\.code) } }
  }

  /// Loads a URL after a click from news.example to shop.example.
  private func load(
    _ url: String = pixel, _ pages: [String: Web.Page] = [:], kind: LoadKind = .image, page: String = "https://shop.example/"
  ) async throws -> Result {
    let scene = try await Scene(transport: Web(pages).transport)
    try await scene.click(4)
    let outcome = try await scene.browser.load(LoadInput(firstPartyURL: page, url: url, kind: kind.rawValue))
    return Result(outcome: outcome, scene: scene, requests: await scene.transport.requests.map(\.url))
  }

  private func load(_ answer: Web.Page, kind: LoadKind = .image) async throws -> Result {
    try await load(Self.pixel, [Self.pixel: answer], kind: kind)
  }

  @Test(
    "A page that requests the trigger URL itself gets the reason that only redirects count",
    arguments: [
      "https://news.example\(path)12/03", "https://news.example/\(path)12", "http://news.example\(path)12",
      "https://news.example/.well-known/private-click-measurment/trigger-attribution/12",
      "https://news.example/.Well-Known/Private-Click-Measurement/Trigger-Attribution/12",
      "https://news.example/private-click-measurement/trigger-attribution/12",
      "https://news.example/.well-known/trigger-attribution/12", "https://news.example/.well-known/ad-click-attribution/12",
      "https://news.example/.well-known%2Fprivate-click-measurement%2Ftrigger-attribution%2F12",
    ])
  func requested(_ url: String) async throws {
    for status in [200, 404] {
      let result = try await load(url, [url: Web.Page(status: status)])
      #expect(result.ignored == ["not-a-redirect"])
      #expect(result.outcome.reason?.detail.contains("browsers evaluate only redirects to ") == true)
      #expect(result.triggers == [] && result.outcome.hops.count == 1)
      #expect(try await result.scene.kinds().last == .triggerIgnored)
      #expect(try await result.scene.measurements().unattributed.count == 1)
    }
  }

  @Test("A long URL is shortened in the log")
  func long() async throws {
    let target = Self.trigger + String(repeating: "1", count: 5_000)
    let result = try await load(Web.Page(status: 200, location: target))
    #expect(try #require(result.outcome.reason).detail.count < 1_000)
  }

  @Test("The explanations of the record and of the page's site name the reason and the remedy")
  func explained() async throws {
    let result = try await load("\(Self.trigger)12")
    let ignored = try #require(result.outcome.ignored.first)
    let explanation = try await result.scene.browser.explain(RecordName.triggeringEvent(ignored.sequence))
    #expect(explanation.summary.contains("browsers evaluate only redirects to this path"))
    #expect(explanation.firstFailure?.verdict.rule == "url-is-reached-by-a-redirect")
    #expect(explanation.firstFailure?.verdict.change?.contains("that redirects to this URL") == true)
    let site = try await result.scene.browser.explain("shop.example")
    #expect(site.summary.contains("the page requested \(Self.trigger)12 itself"))
    #expect(try await result.scene.browser.triggeringEvents(limit: 10).items.map(\.outcome) == [.notTriggering])
  }

  @Test("A request without a response resembles a trigger, too, and so does mixed content")
  func noResponse() async throws {
    let failure = Web.Page(failure: TransportFailure(.connectionFailed, "refused"))
    #expect(try await load("\(Self.trigger)12", ["\(Self.trigger)12": failure]).ignored == ["not-a-redirect"])
    let blocked = try await load("http://news.example\(Self.path)12", kind: .script)
    #expect(blocked.ignored == ["not-a-redirect"] && blocked.requests == [])
    #expect(blocked.outcome.error?.code == "mixed-content-blocked")
  }

  @Test("A pixel may have a path that resembles the trigger path, if it redirects there")
  func pixelPath() async throws {
    let url = "https://news.example/trigger-attribution?event=purchase"
    let result = try await load(url, [url: .redirect("\(Self.trigger)12")])
    #expect(result.triggers == ["attributed"] && result.ignored == [] && result.outcome.reason == nil)
  }

  @Test(
    "A redirect to a path or a URL that is nearly right is ignored with the right path",
    arguments: [
      ("https://news.example/\(path)12", "path-not-a-trigger"), ("/\(path)12/03", "location-invalid"),
      ("/.well-known/private-click-measurement/trigger-atribution/12", "path-not-a-trigger"),
      ("/.well-known/private-click-measurement/12", "path-not-a-trigger"),
      ("/.WELL-KNOWN/private-click-measurement/trigger-attribution/12", "path-not-a-trigger"),
      ("https%3A%2F%2Fnews.example%2F.well-known%2Fprivate-click-measurement%2Ftrigger-attribution%2F12", "path-not-a-trigger"),
      ("https://-.news..example\(path)12", "location-invalid"), ("ftp://news.example\(path)12", "location-not-http"),
    ])
  func redirected(_ location: String, _ code: String) async throws {
    let result = try await load(.redirect(location))
    #expect(result.ignored == [code])
    #expect(result.outcome.reason?.detail.contains("12") == true)
    #expect(result.triggers == [])
    #expect(try await result.scene.kinds().last == .triggerIgnored)
  }

  @Test("A Location counts only with the status of a redirect", arguments: [200, 201, 300, 304, 309, 404, 500])
  func status(_ status: Int) async throws {
    let result = try await load(.redirect("\(Self.trigger)12", status: status))
    #expect(result.ignored == ["not-a-redirect"])
    #expect(result.outcome.reason?.detail.contains("a response with status \(status)") == true)
    #expect(try await load(.redirect("/elsewhere", status: status)).ignored == [])
    #expect(try await load(.redirect("/\(Self.path)12", status: status)).ignored == ["not-a-redirect"])
  }

  @Test(
    "A URL that resembles a trigger is shown without credentials",
    arguments: [
      (302, "https://user:secret@news.example/\(path)12"), (302, "https://user:secret@news..example\(path)12"),
      (302, "ftp://user:secret@news.example\(path)12"), (200, "https://user:secret@news.example\(path)12"),
      (200, "https://user:secret@news..example\(path)12"),
    ])
  func credentials(_ status: Int, _ location: String) async throws {
    let result = try await load(.redirect(location, status: status))
    #expect(result.ignored.count == 1)
    let log = try await result.scene.browser.events(after: 0, limit: 10).map(\.detail.text)
    let answer = result.outcome.ignored.flatMap { $0.reasons.map(\.detail) } + result.outcome.hops.map { $0.location ?? "" }
    #expect(!(log + answer).contains { $0.contains("secret") }, "\(log) \(answer)")
    let direct = try await load(location.replacing("ftp:", with: "https:").replacing("..", with: "."))
    #expect(direct.outcome.reason?.detail.contains("secret") == false)
  }

  @Test(
    "A meta refresh is no redirect",
    arguments: [
      #"<html><head><meta http-equiv="refresh" content="0; url=\#(path)12"></head></html>"#,
      #"<META CONTENT='0;URL=https://news.example\#(path)12' HTTP-EQUIV=Refresh>"#,
    ])
  func refresh(_ body: String) async throws {
    let transport = ScriptedTransport { _, _ in Exchange(httpStatus: 200, body: Array(body.utf8)) }
    let scene = try await Scene(transport: transport)
    let outcome = try await scene.browser.load(
      LoadInput(firstPartyURL: "https://shop.example/", url: Self.pixel, kind: "frame"))
    #expect(outcome.ignored.map { $0.reasons.map(\.code) } == [["not-a-redirect"]])
    #expect(outcome.reason?.detail.contains("\(Self.trigger)12 is the target of a meta refresh") == true)
  }

  @Test(
    "A header field Refresh is no redirect, with any status",
    arguments: [
      ("0; url=\(path)12", 200), ("0;URL='https://news.example\(path)12'", 404), ("3, url = \(path)12", 302),
      ("0;\(path)12", 200),
    ])
  func refreshField(_ field: String, _ status: Int) async throws {
    let transport = ScriptedTransport { _, _ in Exchange(httpStatus: status, refresh: field) }
    let scene = try await Scene(transport: transport)
    let outcome = try await scene.browser.load(
      LoadInput(firstPartyURL: "https://shop.example/", url: Self.pixel, kind: "frame"))
    #expect(outcome.ignored.map { $0.reasons.map(\.code) } == [["not-a-redirect"]])
    #expect(outcome.reason?.detail.contains("\(Self.trigger)12 is the target of the header field Refresh") == true)
    #expect(try await scene.kinds().last == .triggerIgnored)
  }

  @Test("A header field Refresh to another URL has no effect", arguments: ["0; url=/elsewhere", "5", "", "url="])
  func otherRefresh(_ field: String) async throws {
    let transport = ScriptedTransport { _, _ in Exchange(httpStatus: 200, refresh: field) }
    let scene = try await Scene(transport: transport)
    let outcome = try await scene.browser.load(LoadInput(firstPartyURL: "https://shop.example/", url: Self.pixel))
    #expect(outcome.ignored == [] && outcome.reason?.code == "no-redirect")
  }

  @Test("The body of a trigger URL's response may contain its path")
  func echo() async throws {
    let transport = ScriptedTransport { request, _ in
      request.url == Self.pixel
        ? Exchange(httpStatus: 302, location: "\(Self.trigger)12")
        : Exchange(httpStatus: 404, body: Array("<pre>Cannot GET \(Self.path)12</pre>".utf8))
    }
    let scene = try await Scene(transport: transport)
    let outcome = try await scene.browser.load(LoadInput(firstPartyURL: "https://shop.example/", url: Self.pixel))
    #expect(outcome.triggeringEvents.count == 1 && outcome.ignored == [])
  }

  @Test("Any other load has a reason, leaves no event, and is in the explanation of its page's site", arguments: [200, 404])
  func ordinary(_ status: Int) async throws {
    let result = try await load(Web.Page(status: status))
    #expect(result.outcome.reason?.code == "no-redirect")
    #expect(result.outcome.reason?.detail.contains("\(Self.pixel) responded with \(status)") == true)
    #expect(result.ignored == [])
    #expect(try await result.scene.kinds().last == .clickStored)
    let browser = result.scene.browser
    let summary = try await browser.explain("shop.example").summary
    #expect(summary.contains("The load of \(Self.pixel) at "))
    #expect(summary.contains("triggered nothing: no response redirected to \(Self.path)DD"))
    // The next load of the site replaces it.
    _ = try await browser.load(LoadInput(firstPartyURL: "https://www.shop.example/", url: "\(Self.trigger)12"))
    #expect(try await !browser.explain("shop.example").summary.contains("triggered nothing"))
  }

  @Test(
    "An observed redirect has the reason of a load",
    arguments: [
      (
        ReachedBy.request, "\(trigger)12",
        "the page requested \(trigger)12 itself; browsers evaluate only redirects to this path"
      ),
      (
        .request, "https://news.example/.Well-Known/private-click-measurement/trigger-attribution/12",
        "only redirects to \(path)12"
      ),
      (.script, "\(trigger)12", "a script navigated to \(trigger)12"), (.metaRefresh, "\(trigger)12", "a meta refresh"),
      (.refreshField, "\(trigger)12", "the header field Refresh"),
      (
        .script, "https://news.example/.well-known/private-click-measurment/trigger-attribution/12",
        "correct spelling is \(path)12"
      ),
      (
        .request, "https://news.example/.well-known/attribution-reporting/report-event-attribution",
        "Chrome's Attribution Reporting"
      ),
    ])
  func observed(_ way: ReachedBy, _ url: String, _ text: String) async throws {
    let scene = try await Scene()
    try await scene.click(4)
    var input = TriggeringEventInput(firstPartyURL: "https://shop.example/", redirectFrom: nil, redirectTo: url)
    (input.reachedBy, input.observed) = (way, Provenance(load: "image"))
    let outcome = try await scene.browser.perform(input)
    #expect(outcome.kind == .notTriggering && outcome.reasons.map(\.code) == ["not-a-redirect"])
    #expect(outcome.reasons[0].detail.contains(text), "\(outcome.reasons[0].detail)")
    let explanation = try await scene.browser.explain("shop.example")
    #expect(explanation.summary.contains(text) && explanation.steps.last?.observed?.load == "image")
    #expect(try await scene.measurements().unattributed.count == 1)
  }

  @Test("A page reaches any other URL, and a pixel of a site redirects")
  func elsewhere() async throws {
    let scene = try await Scene()
    var input = TriggeringEventInput(
      firstPartyURL: "https://shop.example/", redirectFrom: nil, redirectTo: "https://news.example/thanks")
    input.reachedBy = .request
    #expect(try await scene.browser.perform(input).reasons.map(\.code) == ["path-not-a-trigger"])
    input.redirect?.to = "https://news.example/.well-known/attribution-reporting/debug/verbose"
    input.reachedBy = .redirect
    let reason = try #require(try await scene.browser.perform(input).reasons.first)
    #expect(
      reason.code == "path-not-a-trigger" && reason.detail.contains("which Safari lacks; Safari's path is \(Self.path)DD"))
    #expect(throws: BodyError.self) {
      try TriggeringEventInput(
        json: Array(#"{"firstPartyURL":"https://a.example","pixelOf":"b.example","triggerData":1,"reachedBy":"script"}"#.utf8))
    }
  }
}
