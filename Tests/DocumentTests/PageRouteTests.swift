import BrowserSupport
import HTTPSupport
import HTTPTypes
import PCMCore
import PCMStore
import Testing

/// The pages, their files, and the parts that their script loads.
@Suite struct PageRouteTests {
  @Test(
    "Pages, files, and parts have the policy that allows no script but the service's",
    arguments: ["/", "/rules", "/browsers/test", "/assets/page.js", "/assets/page.css", "/browsers", "/browsers/test/log"])
  func headers(_ path: String) async throws {
    try await API.test { api in
      let answer = try await api.call(.get, path)
      #expect(answer.status == 200)
      let policy = answer.headers[.contentSecurityPolicy] ?? ""
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
      #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
      #expect(answer.headers[.xContentTypeOptions] == "nosniff")
      let referrerPolicy = try #require(HTTPField.Name("Referrer-Policy"))
      #expect(answer.headers[referrerPolicy] == "no-referrer")
      #expect(!answer.text.contains(" style=") && !answer.text.contains(" onclick="))
    }
  }

  @Test("A file that the reader has is not sent again")
  func unchangedFile() async throws {
    try await API.test { api in
      let first = try await api.call(.get, "/assets/page.css")
      let tag = try #require(first.headers[.eTag])
      let again = try await api.call(.get, "/assets/page.css", headers: [.ifNoneMatch: tag])
      #expect(again.status == 304 && again.text.isEmpty && again.headers[.eTag] == tag)
      #expect(try await api.call(.get, "/assets/page.css", headers: [.ifNoneMatch: "\"x\""]).status == 200)
    }
  }

  @Test("The parts show a click, and text from outside is never markup")
  func parts() async throws {
    try await API.test { api in
      let hostile = "<script>alert(1)</script>"
      let tap = #"""
        {"bundleIdentifier":"com.example.news","sourceIdentifier":4,"destinationURL":"https://shop.example/",\#
        "sourceDescription":"\#(hostile)","purchaser":"\#(hostile)"}
        """#
      try await api.call(.put, "/v1/browsers/test/apps/com.example.news", #"{"reportEndpoint":"https://news.example"}"#)
      let click = try await api.call(.post, "/v1/browsers/test/event-attributions", tap)
      #expect(click.status == 201, "\(click.text)")
      let log = try await api.call(.get, "/browsers/test/log").text
      #expect(log.contains("click-stored") && !log.contains("<script"))
      let unverified = String(tap.dropLast()) + #","tapVerified":false}"#
      _ = try await api.call(.post, "/v1/browsers/test/event-attributions", unverified)
      _ = try await api.call(.patch, "/v1/devices/test", #"{"device":{"country":"DE"},"settings":{"debugMode":true}}"#)
      let changed = try await api.call(.get, "/browsers/test/log").text
      for text in [
        "shop.example · tap-not-verified", "country DE · developerMode false", "privateBrowsing false · debugMode true",
      ] {
        #expect(changed.contains(text), "\(text)")
      }
      let other = try await api.call(.get, "/browsers/test/log?kind=clock").text
      #expect(!other.contains("click-stored"))
      #expect(try await api.call(.get, "/browsers/test/log?text=SHOP.example").text.contains("click-stored"))
      #expect(try await api.call(.get, "/browsers/test/timeline?width=700").text.contains("news.example → shop.example"))
      #expect(try await api.call(.get, "/browsers/test/answer").text.contains("1 click discarded"))
      #expect(try await api.call(.get, "/browsers/test/story?text=shop.EXAMPLE").text.contains("Tap on an ad for shop.example"))
      #expect(try await api.call(.get, "/browsers?name=TES").text.contains("/browsers/test"))
      let none = try await api.call(.get, "/browsers?name=none").text
      #expect(!none.contains("/browsers/test") && none.contains("No name or label contains “none”."))
      #expect(try await api.call(.get, "/browsers/default/log").text.contains("No events yet."))
    }
  }

  @Test("The log, the messages, and the list of browsers are at most some megabytes, and the timeline shows all events")
  func longEvents() async throws {
    let store = MemoryStore()
    try await API.test(store: store) { api in
      let browser = try #require(try await store.browsers().first { $0.name == "test" })
      let reason = Reason("no-user-gesture", String(repeating: "x", count: 50_000))
      let discarded = ClickDiscarded(origin: .linkClick, destination: nil, reasons: [reason], decision: nil)
      try await store.write(browser.id) { writer in
        for _ in 1...120 { try writer.append(discarded, at: Scene.start) }
      }
      let log = try await api.call(.get, "/browsers/test/log").text
      #expect(log.utf8.count < 2_000_000)
      #expect(log.contains("event-121") && !log.contains("\"event-2\""))
      #expect(try await api.call(.get, "/browsers/test/log?kind=app").text.contains("\"event-1\""))
      let timeline = try await api.call(.get, "/browsers/test/timeline?width=900").text
      #expect(timeline.contains("120 × rejected event") && !timeline.contains("earlier events"), "\(timeline)")
      #expect(try await api.call(.get, "/browsers/test/answer").text.contains("120 clicks discarded"))
      #expect(try await api.call(.get, "/v1/browsers/test/clicks?limit=1000").bytes.count < 1_200_000)
      #expect(try await api.items("/v1/browsers/test/clicks?limit=1000").count == 120)
    }
  }

  private static let discarded = ClickDiscarded(origin: .linkClick, destination: nil, reasons: [], decision: nil)

  @Test("The log shows 150 of the newest 5,000 events, and the timeline the newest 20,000, and both say that there are others")
  func longLog() async throws {
    let store = MemoryStore()
    try await API.test(store: store) { api in
      let browser = try #require(try await store.browsers().first { $0.name == "test" })
      try await store.write(browser.id) { writer in
        while try writer.nextSequence() <= 20_001 { try writer.append(Self.discarded, at: Scene.start) }
      }
      let log = try await api.call(.get, "/browsers/test/log").text
      #expect(log.matches(of: /<li>/).count == 150)
      #expect(log.contains("\"event-20001\"") && log.contains(">15001 earlier events are not shown"))
      #expect(try await api.call(.get, "/browsers/test/log?kind=app").text.contains("No events match."))
      #expect(try await api.call(.get, "/browsers/test/timeline?width=900").text.contains("earlier events are not shown"))
    }
  }

  @Test("The newest 300 reports are shown")
  func manyReports() async throws {
    let store = MemoryStore()
    try await API.test(store: store) { api in
      let browser = try #require(try await store.browsers().first { $0.name == "test" })
      let key = ClickKey(
        source: Site("news.example"), destination: Site("shop.example"), bundleIdentifier: "com.example.news")
      try await store.write(browser.id) { writer in
        for id in Int64(1)...301 {
          try writer.save(
            Report(
              id: id, attribution: 1, session: .normal, key: key, recipient: .source, url: "", body: "{}", dueAt: Scene.start))
        }
      }
      let story = try await api.call(.get, "/browsers/test/story?view=reports").text
      #expect(story.matches(of: /data-key="row-report-/).count == 300 && story.contains("1 earlier items match."))
      #expect(story.contains("why=report-301\"") && !story.contains("why=report-1\""))
    }
  }

  @Test("A page of the list of browsers has 50 rows, and the counts end at 100 there, and at 500 on the page of a browser")
  func counts() async throws {
    let store = MemoryStore()
    try await API.test(store: store) { api in
      let browser = try #require(try await store.browsers().first { $0.name == "test" })
      try await store.write(browser.id) { writer in
        for _ in 1...501 { try writer.append(Self.discarded, at: Scene.start) }
      }
      let row = try await api.call(.get, "/browsers?name=test").text
      #expect(row.contains("100+ clicks discarded") && !row.contains("Next"), "\(row)")
      for number in 1...51 { #expect(try await api.call(.put, "/v1/browsers/other-\(number)").status == 201) }
      for (page, rows, range) in [("0", 50, "1 to 50 of 51"), ("1", 1, "51 to 51 of 51"), ("9", 1, "51 to 51 of 51")] {
        let list = try await api.call(.get, "/browsers?name=other&page=\(page)").text
        #expect(list.matches(of: /<th scope="row">/).count == rows && list.contains(range), "\(page)")
      }
    }
  }

  @Test("Names of products and formats in the titles of rules are written as such")
  func titles() async throws {
    try await API.test { api in
      let rules = try await api.call(.get, "/rules").text
      for title in ["App runs on iPhone or iPad", "SFSafariViewController opens HTTPS", "Trigger URL is HTTPS"] {
        #expect(rules.contains(title), "\(title)")
      }
    }
  }

  @Test(
    "A click whose data was cleared is not stored any longer",
    arguments: [
      ("", "cleared"), ("?site=shop.example", "cleared"), ("?site=other.example", "stored"),
    ])
  func clearedClick(_ query: String, _ state: String) async throws {
    try await API.test { api in
      let tap = #"{"bundleIdentifier":"com.example.news","sourceIdentifier":4,"destinationURL":"https://shop.example/"}"#
      try await api.call(.put, "/v1/browsers/test/apps/com.example.news", #"{"reportEndpoint":"https://news.example"}"#)
      #expect(try await api.call(.post, "/v1/browsers/test/event-attributions", tap).status == 201)
      let tapped = "Tap on an ad for shop.example"
      #expect(try await api.call(.get, "/browsers/test/timeline").text.contains("\(tapped), stored: click-"))
      try await api.call(.delete, "/v1/browsers/test/data\(query)")
      #expect(try await api.call(.get, "/browsers/test/timeline").text.contains("\(tapped), \(state): click-"))
    }
  }

  @Test("The timeline shows an ad, its install, its windows, and its postbacks, also after they ended")
  func deviceTimeline() async throws {
    try await API.test { api in
      _ = try await api.prepareDevice()
      let device = "/v1/devices/test"
      // Items at the same time are drawn as one.
      let day = #"{"by":"P1D"}"#
      #expect(try await api.call(.post, "\(device)/clock/advance", day).status == 200)
      let shown = try await api.call(.post, "\(device)/impressions", try DeviceAds.ad())
      #expect(try shown.member("outcome") == "recorded", "\(shown.text)")
      #expect(try await api.call(.post, "\(device)/clock/advance", day).status == 200)
      #expect(try await api.call(.post, "\(device)/installs", DeviceAds.install).status == 201)
      #expect(try await api.call(.post, "\(device)/conversion-values", DeviceAds.value()).status == 201)
      let early = try await api.call(.get, "/browsers/test/timeline?width=900").text
      #expect(early.contains("example123.skadnetwork → com.example.shop"))
      for text in [
        "Ad of example123.skadnetwork, displayed", "Ad of example123.skadnetwork, recorded",
        "Install of com.example.shop, without an ad", "Install of com.example.shop, attributed",
        "Conversion window 1 of 3, until 2 d after its start", "Conversion window 3 of 3, until 35 d after its start",
        "Conversion value of com.example.shop, accepted",
      ] {
        #expect(early.contains(text), "\(text)")
      }
      #expect(!early.contains("Postback"))
      #expect(try await api.call(.post, "/v1/browsers/test/clock/advance", #"{"by":"P60D"}"#).status == 200)
      let log = try await api.call(.get, "/browsers/test/log").text
      for kind in ["impression", "install", "conversion", "postback"] {
        #expect(log.contains(try Regex("Why \(kind)-[0-9]+\\?")), "\(kind)")
      }
      #expect(try await api.call(.get, "/browsers/test/answer").text.contains("2 postbacks delivered"))
      #expect(try await api.call(.get, "/browsers/test/story").text.contains("fineValue 12 · coarseValue medium"))
      let late = try await api.call(.get, "/browsers/test/timeline?width=900").text
      #expect(late.contains("Conversion window 1 of 3") && late.contains("Postback to example123.skadnetwork, delivered"))
      #expect(late.contains("Copy for the developer of com.example.shop, delivered") && late.contains("class=\"ring\""))
    }
  }

  @Test("A timer is drawn from the first value to its end")
  func timer() async throws {
    try await API.test { api in
      _ = try await api.prepareDevice()
      let device = "/v1/devices/test"
      let profile = #"{"device":{"systemVersion":"17.5","testingProfile":true}}"#
      #expect(try await api.call(.patch, device, profile).status == 200)
      #expect(try await api.call(.post, "\(device)/impressions", try DeviceAds.ad()).status == 201)
      #expect(try await api.call(.post, "\(device)/installs", DeviceAds.install).status == 201)
      #expect(try await api.call(.get, "/browsers/test/timeline").text.contains("Timer of") == false)
      #expect(try await api.call(.post, "\(device)/conversion-values", DeviceAds.value()).status == 201)
      #expect(try await api.call(.get, "/browsers/test/timeline").text.contains("Timer of 5 min"))
      #expect(try await api.call(.post, "/v1/browsers/test/clock/advance", #"{"by":"PT1H"}"#).status == 200)
      let late = try await api.call(.get, "/browsers/test/timeline").text
      #expect(late.contains("Timer of 5 min") && late.contains("Postback to") && !late.contains("Conversion window 1"))
    }
  }

  @Test("The charts count delays, states, and latencies, and each has a table")
  func charts() async throws {
    try await API.test { api in
      let empty = try await api.call(.get, "/browsers/test/charts?width=900").text
      #expect(empty.contains("No report is scheduled yet.") && !empty.contains("<svg"))
      #expect(try await api.call(.post, "/v1/browsers/test/event-attributions", API.eventAttribution).status == 201)
      #expect(try await api.call(.post, "/v1/browsers/test/triggering-events", API.trigger).status == 201)
      let scheduled = try await api.call(.get, "/browsers/test/charts?width=900").text
      #expect(scheduled.contains("2 delays, drawn uniformly from 24 to 48 hours."))
      #expect(scheduled.contains("<td>0.2</td>") && scheduled.contains("class=\"plan\""))
      #expect(try await api.call(.post, "/v1/browsers/test/clock/advance", #"{"by":"PT48H"}"#).status == 200)
      let sent = try await api.call(.get, "/browsers/test/charts?width=900").text
      #expect(sent.contains("Delivered: 1") || sent.contains("Delivered: 2"), "\(sent)")
      #expect(sent.matches(of: /<svg[^>]*role="img"/).count == sent.matches(of: /<table>/).count)
    }
  }

  @Test("A rule in an explanation links to its text, and each rule has one")
  func rules() async throws {
    try await API.test { api in
      let tap =
        #"{"bundleIdentifier":"com.example.news","sourceIdentifier":4,"destinationURL":"https://shop.example/","tapVerified":false}"#
      let click = try await api.call(.post, "/v1/browsers/test/event-attributions", tap)
      let explanation = try await api.call(.get, "/browsers/test/item?about=\(try click.member("id") as String)").text
      #expect(
        explanation.contains(#"- {&quot;event-attribution&quot;: {"#) && explanation.contains("data-copy"), "\(explanation)")
      let rules = try await api.call(.get, "/rules").text
      let names = explanation.matches(of: /href="\/rules#([a-z0-9-]+)"/).map { String($0.1) }
      #expect(names.contains("tap-is-verified") && names.count > 5)
      for name in names + ["answer-is-200", "report-still-counts", "report-is-due"] {
        #expect(rules.contains("<details class=\"rule\" id=\"\(name)\">"), "\(name)")
      }
      #expect(!rules.contains("<p></p>"))
      #expect(rules.matches(of: /<details/).count > 100)
    }
  }

  @Test(
    "A part that cannot be shown is a problem, not an error of the service",
    arguments: [
      ("/browsers/nobody/summary", 404), ("/browsers/test/item", 422), ("/browsers/test/item?about=click-99", 404),
      ("/browsers/test/timeline?from=2&to=1", 422), ("/browsers/test/timeline?from=0&to=9999999999999999", 422),
      ("/browsers/test/timeline?width=wide", 422), ("/browsers/test/timeline?width=-9223372036854775808", 200),
      ("/browsers/test/log?kinds=x", 422),
    ])
  func problems(_ path: String, _ status: Int) async throws {
    try await API.test { api in
      let answer = try await api.call(.get, path)
      #expect(answer.status == status, "\(answer.text)")
      #expect(status == 200 || answer.headers[.contentType] == "application/problem+json")
    }
  }
}
