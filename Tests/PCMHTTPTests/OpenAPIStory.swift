import Foundation
import HTTPTypes
import PCMCore
import Testing

@testable import PCMHTTP

/// Calls that lead to every answer that the API has; the witness hears each.
struct Story: Sendable {
  let api: API
  let witness: OpenAPIWitness

  static let test = "/v1/browsers/test"

  /// One call of each operation.
  static let everyCall = browserCalls + deviceCalls

  private static let browserCalls: [(HTTPRequest.Method, String)] = [
    (.get, "/"), (.get, "/healthz"), (.get, "/readyz"), (.get, "/metrics"), (.get, "/openapi.json"), (.get, "/v1/browsers"),
    (.get, "/v1"), (.post, "/v1/browsers"), (.put, test), (.patch, test), (.get, test), (.delete, test),
    (.post, "\(test)/clock/advance"),
    (.put, "\(test)/apps"),
    (.put, "\(test)/apps/a"), (.get, "\(test)/apps"), (.get, "\(test)/apps/a"), (.delete, "\(test)/apps/a"),
    (.post, "\(test)/event-attributions"),
    (.post, "\(test)/link-clicks"), (.post, "\(test)/triggering-events"), (.post, "\(test)/loads"),
    (.get, "\(test)/clicks"), (.get, "\(test)/clicks/click-1"), (.get, "\(test)/triggering-events"),
    (.get, "\(test)/triggering-events/triggering-event-1"), (.get, "\(test)/attributions"),
    (.get, "\(test)/attributions/attribution-1"), (.get, "\(test)/reports"), (.get, "\(test)/reports/report-1"),
    (.get, "\(test)/events"),
    (.get, "\(test)/explain?about=shop.example"), (.get, "\(test)/scenario"), (.delete, "\(test)/data"),
    (.post, "/v1/scenarios"), (.get, "/v1/rules"),
    (.get, "\(test)/network"), (.put, "\(test)/network"), (.get, "\(test)/sites"), (.get, "\(test)/sites/a.example"),
    (.put, "\(test)/sites/a.example"), (.delete, "\(test)/sites/a.example"), (.get, "\(test)/messages"),
    (.post, "\(test)/expectations"), (.post, "\(test)/forks"), (.post, "\(test)/page-events"),
    (.get, "\(test)/attachments"), (.post, "\(test)/attachments"), (.get, attachment), (.delete, attachment),
    (.post, "\(attachment)/settle"),
  ]

  /// A call under the browser `test`, unless the path begins elsewhere.
  @discardableResult
  func call(
    _ method: HTTPRequest.Method, _ path: String, _ body: String = "", type: String = "application/json", status: Int = 200,
    outcome: String? = nil, key: String? = nil
  ) async throws -> API.Answer {
    let path = path.hasPrefix("/v1") ? path : "\(Self.test)\(path)"
    let answer = try await api.call(
      method, path, bytes: Array(body.utf8), type: type, headers: key.map(HTTPFields.key) ?? [:])
    #expect(answer.status == status, "\(method) \(path): \(answer.text)")
    if let outcome { #expect(try answer.member("outcome") == outcome, "\(answer.text)") }
    try await witness.hear(answer, to: method, path)
    if path.contains("/explain?") { Self.expectKnownRules(in: JSON(parsing: Array(answer.text.utf8))) }
    return answer
  }

  /// Each rule that an explanation names is in the catalog.
  private static func expectKnownRules(in value: JSON?) {
    if let rule = value?["rule"]?.string { #expect(rules.contains(rule)) }
    let members = value?.members.map(\.value) ?? []
    for part in members + (value?.items ?? []) { expectKnownRules(in: part) }
  }

  private static let rules = Set(RuleCatalog.decisions.flatMap { $0.rules.map(\.name) })

  private func service(_ path: String, _ status: Int = 200) async throws {
    let answer = try await api.call(.get, path)
    #expect(answer.status == status, "\(path)")
    try await witness.hear(answer, to: .get, path)
  }

  private func tap(_ outcome: String, _ more: String = "", shop: String = "shop.example") async throws {
    let body = #"{"bundleIdentifier":"com.example.news","sourceIdentifier":4,"destinationURL":"https://\#(shop)/"\#(more)}"#
    try await call(.post, "/event-attributions", body, status: 201, outcome: outcome)
  }

  /// A pixel on a page of a shop.
  private func trigger(_ tail: String, _ outcome: String, shop: String = "shop.example", from: String = "news.example")
    async throws
  {
    let path = "/.well-known/private-click-measurement/trigger-attribution/"
    let body = """
      {"firstPartyURL":"https://\(shop)/","redirect":{"from":"https://\(from)/","to":"https://\(from)\(path)\(tail)"}}
      """
    try await call(.post, "/triggering-events", body, status: 201, outcome: outcome)
  }

  private func advance(_ member: String) async throws { try await call(.post, "/clock/advance", "{\(member)}") }

  private func change(_ settings: String, status: Int = 200) async throws {
    try await call(.patch, Self.test, #"{"settings":{\#(settings)}}"#, status: status)
  }

  /// The clicks, triggering events, and attributions: all, and the last of each.
  private func hearOfRecords(_ query: String = "limit=1000") async throws {
    for list in ["clicks", "triggering-events", "attributions"] {
      let items = try await call(.get, "/\(list)?\(query)").member("items", as: [[String: Any]].self)
      if let id = items.last?["id"] as? String { try await call(.get, "/\(list)/\(id)") }
    }
  }

  func exerciseBrowsersAndApps() async throws {
    let body = #"{"storage":"ephemeral","seed":"1","labels":{"job":"7"},"idleTimeout":"PT1H"}"#
    try await call(.put, "/v1/browsers/other", body, status: 201)
    try await call(.get, "/v1/browsers?label=job=7")
    try await change(#""reportURL":"manifest","debugMode":true"#)
    try await change(#""reportURL":"well-known","debugMode":false"#)
    let first = try await call(.get, "/v1/browsers?limit=1")
    try await call(.get, "/v1/browsers?cursor=\(try first.member("next", as: String.self))")
    try await call(.get, "/v1/browsers/test")
    try await call(.put, "/v1/browsers/other", #"{"storage":"ephemeral","seed":"1"}"#)
    try await call(.post, "/v1/browsers", status: 201)
    try await exerciseManyApps(at: "/v1/browsers/other")
    try await call(.delete, "/v1/browsers/other", status: 204)
    for manifest in ["subdomain-and-path", "no-endpoint", "skadnetwork", "advertiser", "advertiser-mistakes"] {
      try await witness.hear(try await api.put(manifest: manifest), to: .put, "\(Self.test)/apps")
    }
    try await call(
      .put, "/apps/com.example.quick",
      #"{"reportEndpoint":"https://quick.example","itemIdentifier":525463029,"sdkVersion":"18.2","signing":"development"}"#)
    try await call(.put, "/apps/com.example.clip", #"{"reportEndpoint":"https://quick.example","platform":"app-clip"}"#)
    try await call(.put, "/apps/com.example.vision", #"{"reportEndpoint":"https://quick.example","platform":"visionos"}"#)
    try await call(.put, "/apps/com.example.mac", #"{"infoPlist":{"UIDeviceFamily":[6]}}"#)
    let app = try await call(.get, "/apps?limit=1")
    try await call(.get, "/apps?cursor=\(try app.member("next", as: String.self))")
    try await call(.get, "/apps/com.example.news")
    try await call(.delete, "/apps/com.example.weather", status: 204)
  }

  func exerciseManyApps(at browser: String) async throws {
    let app = #"{"reportEndpoint":"https://news.example"}"#
    for number in 1...1_000 {
      #expect(try await api.call(.put, "\(browser)/apps/com.example.app\(number)", app).status == 200)
    }
    let refused = try await call(.put, "\(browser)/apps/com.example.more", app, status: 409)
    #expect(try refused.member("code") == "limit-reached")
    let manifest = Array(try Data(contentsOf: API.fixtures.appendingPathComponent("manifests/news-reader/Info.plist")))
    try await call(
      .put, "\(browser)/apps", String(decoding: manifest, as: UTF8.self), type: "application/x-plist", status: 409)
  }

  private static let observed = #"{"frame":"https://ads.example/","load":"image","inferred":true}"#

  func exerciseClicks() async throws {
    try await tap("stored")
    try await tap("stored")
    try await tap("discarded", #","tapVerified":false"#)
    try await tap("ephemeral", #","presentation":"safariViewController""#)
    try await tap("ephemeral", #","presentation":"safariViewController""#)
    try await hearOfRecords()
    try await call(
      .post, "/link-clicks", #"{"pageURL":"https://news.example/","landingURL":"https://shop.example/","observed":{}}"#,
      status: 201, outcome: "discarded")
    let link =
      #"{"pageURL":"https://news.example/","attributionSourceID":"7","attributionDestination":"https://link.example","attributionSourceNonce":"x","observed":\#(Self.observed)}"#
    try await call(.post, "/link-clicks", link, status: 201, outcome: "stored")
  }

  func exerciseTriggers() async throws {
    try await trigger("99", "rejected")
    let blank = #"{"firstPartyURL":"about:blank","pixelOf":"news.example","triggerData":1,"observed":\#(Self.observed)}"#
    try await call(.post, "/triggering-events", blank, status: 201, outcome: "rejected")
    let early = blank.replacing("about:blank", with: "https://early.example/")
    try await call(.post, "/triggering-events", early, status: 201, outcome: "unmatched")
    let elsewhere =
      #"{"firstPartyURL":"https://shop.example/","redirect":{"from":"https://a.example/","to":"https://b.example/"}}"#
    try await call(.post, "/triggering-events", elsewhere, status: 201, outcome: "not-triggering")
    try await trigger("12/03", "unmatched", shop: "nowhere.example")
    try await trigger("12/03", "attributed")
    try await hearOfRecords()
    try await trigger("12", "rejected", shop: "news.example")
    try await trigger("12x04", "attributed")
    try await trigger("12/02", "unmatched")
    try await tap("stored")
    try await trigger("01/01", "unmatched")
    try await tap("ephemeral", #","presentation":"safariViewController""#)
    let embedded =
      API.trigger.dropLast() + #","bundleIdentifier":"com.example.news","observed":\#(Self.observed)}"#
    try await call(.post, "/triggering-events", String(embedded), status: 201, outcome: "attributed")
  }

  /// Delivered, lost, retried, superseded and cleared.
  func exerciseReports() async throws {
    try await advance(#""toNextEvent":true"#)
    try await hearOfRecords()
    try await trigger("12/20", "unmatched")
    try await advance(#""toNextEvent":true"#)
    try await change(#""deliveryPolicy":"reliable""#)
    try await advance(#""toNextEvent":true"#)
    try await call(.get, "/reports?state=scheduled")
    // Which side comes first is drawn, so that among some attributions both occur.
    for number in 1...4 {
      try await tap("stored", shop: "shop\(number).example")
      try await trigger("12", "attributed", shop: "shop\(number).example")
    }
    for _ in 1...8 {
      try await advance(#""toNextEvent":true"#)
      try await hearOfRecords()
    }
    for number in 1...2 { try await tap("stored", shop: "still\(number).example") }
    try await hearOfRecords("limit=1")
    try await advance(#""untilIdle":true"#)
    try await tap("stored", shop: "later.example")
    try await trigger("01", "attributed", shop: "later.example")
    try await call(.delete, "/data?site=later.example", status: 204)
    try await call(.delete, "/data", status: 204)
    try await call(.get, "/reports?recipient=source&recipient=destination&site=www.shop.example&site=shop1.example")
    let page = try await call(.get, "/reports?limit=1")
    let cursor: String = try page.member("next")
    let rest = try await call(.get, "/reports?cursor=\(cursor)&include=body&include=response")
    let id = try #require(try rest.member("items", as: [[String: Any]].self).last?["id"] as? String)
    try await call(.get, "/reports/\(id)")
  }

  /// One that is signed, and one that its site knows nothing about.
  func exerciseTokens() async throws {
    try await call(.get, "/events?kind=token-stored&wait=PT0S")
    for source in ["signs", "news"] {
      let link = """
        {"pageURL":"https://\(source).example/","attributionSourceID":"7","attributionDestination":"https://shop.example",\
        "attributionSourceNonce":"ABCDEFabcdef0123456789"}
        """
      try await call(.post, "/link-clicks", link, status: 201, outcome: "stored")
      try await hearOfRecords()
      try await trigger("12", "attributed", from: "\(source).example")
    }
    try await trigger("12?attributionDestinationNonce=ABCDEFabcdef0123456789", "rejected")
    try await tap("stored", #","sourceNonce":"ABCDEFabcdef0123456789""#)
    let nonce = "attributionDestinationNonce=ABCDEFabcdef0123456789"
    try await tap("stored", shop: "signs.example")
    try await trigger("12?\(nonce)", "attributed", shop: "signs.example")
    try await call(.get, "/reports?state=scheduled&include=body")
    try await hearOfRecords()
    try await advance(#""untilIdle":true"#)
  }

  func exerciseLateTriggers() async throws {
    try await tap("stored")
    try await advance(#""by":"P8D""#)
    try await trigger("12", "unmatched")
    try await change(#""measurementEnabled":false"#)
    try await tap("discarded")
    try await change(#""measurementEnabled":true"#)
    try await tap("stored", shop: "suspended.example")
    try await change(#""privateBrowsing":true"#)
    try await tap("ephemeral")
    try await trigger("12", "attributed")
    try await hearOfRecords()
    try await call(.get, "/events")
    try await call(.get, "/events?limit=1&about=shop.example")
    try await call(.get, "/events?kind=data-cleared&wait=PT30S")
  }

  /// Explains every subject in the log, and subjects that are not in it.
  func exerciseExplanations() async throws {
    try await call(.get, "/events?limit=1000")
    let events = try await call(.get, "/events?limit=1000&include=decision").member("items", as: [[String: Any]].self)
    for event in events {
      let detail = try #require(event["detail"] as? [String: Any])
      switch event["kind"] as? String {
      case "click-stored", "click-held": try await call(.get, "/explain?about=\(try #require(detail["clickId"] as? String))")
      case "click-discarded", "click-handed-over":
        try await call(.get, "/explain?about=click-\(try #require(event["sequence"] as? Int))")
      case "trigger-rejected", "trigger-accepted":
        try await call(.get, "/explain?about=triggering-event-\(try #require(event["sequence"] as? Int))")
      case "report-scheduled": try await call(.get, "/explain?about=\(try #require(detail["reportId"] as? String))")
      default: break
      }
    }
    try await call(.get, "/explain?about=shop.example")
    try await call(.get, "/explain?about=nowhere-else.example")
    try await call(.get, "/scenario")
    try await call(.get, "/v1/browsers/default/scenario", status: 409)
  }

  /// - Precondition: the log is about to begin its third block.
  func exerciseALongLog() async throws {
    try await change(#""logRetention":{"maximumCount":1000,"maximumAge":"P30D"}"#)
    for _ in 1...6 { try await tap("discarded", #","tapVerified":false"#) }
    try await call(.get, "/events?kind=log-trimmed&wait=PT0S")
    try await call(.get, "/explain?about=click-1")
    try await hearOfRecords()
  }

  func exerciseTheService() async throws {
    for path in ["/", "/healthz", "/readyz", "/metrics", "/openapi.json", "/v1", "/v1/rules"] { try await service(path) }
    for url in ["https://news.example/pixel", "https://gone.example/"] {
      try await call(.post, "/loads", #"{"firstPartyURL":"https://shop.example/","url":"\#(url)"}"#)
    }
  }

  func exerciseExpectationsAndForks() async throws {
    for body in [
      #"{"report":{"recipient":"source"}}"#, #"{"report":{"sourceIdentifier":200},"wait":"PT0S"}"#,
      #"{"noReport":{"triggerData":12}}"#, #"{"noReport":{"destinationSite":"none.example"}}"#,
    ] {
      try await call(.post, "/expectations", body)
    }
    try await call(.post, "/forks", #"{"name":"fork"}"#, status: 201)
    try await call(.post, "/forks", #"{"name":"fork"}"#, status: 409)
    try await call(.post, "/forks", status: 201)
    try await call(.delete, "/v1/browsers/fork", status: 204)
  }

  func exerciseSimulatedSites() async throws {
    try await change(#""privateBrowsing":false"#)
    try await call(.get, "/network")
    try await call(.put, "/network", #"{"mode":"simulated"}"#)
    try await call(.get, "/network")
    try await call(.get, "/sites?limit=1")
    let script = """
      {"key":"first","report":{"status":204,"content-type":"text/plain","body":"ok"},\
      "token-key":{"failure":"connection-lost"},"sign":{"forged":true,"short":true},\
      "loads":{"/a":{"location":"/b"},"/b":{"failure":{"code":"timed-out","detail":"slow"}}}}
      """
    try await call(.put, "/sites/a.example", script, status: 201)
    try await call(.put, "/sites/a.example", "key: second", type: "application/x-yaml")
    try await call(.put, "/sites/a.example", script, type: "text/yaml")
    try await call(.put, "/sites/b.example", "key: second", type: "application/yaml", status: 201)
    try await call(.get, "/sites?limit=1")
    try await call(.get, "/sites/a.example")
    for url in ["https://a.example/a", "https://b.example/"] {
      try await call(.post, "/loads", #"{"firstPartyURL":"https://shop.example/","url":"\#(url)"}"#)
    }
    for (source, destination) in [("a", "b"), ("b", "a")] {
      let link = """
        {"pageURL":"https://\(source).example/","attributionSourceID":"7",\
        "attributionDestination":"https://\(destination).example","attributionSourceNonce":"ABCDEFabcdef0123456789"}
        """
      try await call(.post, "/link-clicks", link, status: 201, outcome: "stored")
    }
    try await trigger("12", "attributed", shop: "b.example", from: "a.example")
    try await advance(#""untilIdle":true"#)
    try await call(.get, "/messages")
    try await call(.get, "/messages?limit=1&host=b.example")
    for number in 1...99 { try await call(.put, "/sites/site\(number).example", "{}", status: number < 99 ? 201 : 409) }
    try await call(.delete, "/sites/b.example", status: 204)
    try await call(.put, "/network", #"{"mode":"real"}"#)
  }

  func exerciseScenarios() async throws {
    try await call(.post, "/v1/scenarios", ScenarioRouteTests.good, type: "application/yaml", outcome: "passed")
    let unlike = ScenarioRouteTests.good.replacing("rule: \"section 2\"\n", with: "").replacing(
      "{ outcome: stored }", with: "{ measurements: { unattributed: [{ id: null }], ephemeral: { sourceIdentifier: 4 } } }")
    try await call(.post, "/v1/scenarios", unlike, type: "text/yaml", outcome: "failed")
    try await call(.post, "/v1/scenarios", "steps: [", type: "application/x-yaml", status: 400)
  }

  /// What callers do wrong, at each resource where they can.
  func exerciseProblems() async throws {
    for (method, path) in Self.everyCall where path.contains("/test") && method != .put {
      let missing = path.replacing("/test", with: "/none")
      try await call(method, missing, method == .post ? "{}" : "", status: 404)
    }
    for face in ["/v1/browsers", "/v1/devices"] {
      for path in ["\(face)/none/apps", "\(face)/none/apps/a"] {
        try await call(.put, path, "<plist/>", type: "text/xml", status: 404)
      }
    }
    for face in ["/v1/browsers", "/v1/devices"] {
      try await call(.put, "\(face)/none/network", #"{"mode":"real"}"#, status: 404)
      try await call(.put, "\(face)/none/sites/a.example", "{}", status: 404)
    }
    try await call(.put, "/v1/devices/none/apps/a/cards", #"{"cards":[]}"#, status: 404)
    try await service("/nothing", 404)
    let readsJSON = [
      Self.test, "\(Self.test)/apps/a", "\(Self.test)/network", "\(Self.test)/sites/a.example", Self.device,
      "\(Self.device)/apps/a", "\(Self.device)/ad-networks/a", "\(Self.device)/network", "\(Self.device)/sites/a.example",
      "\(Self.device)/apps/a/cards",
    ]
    let tooLarge = ["/v1/scenarios": 262_145, "\(Self.device)/apps/a/cards": 1_048_577]
    for (method, path) in Self.everyCall
    where method == .post || readsJSON.contains(path) && [.put, .patch].contains(method) {
      try await call(method, path, "{", status: 400)
      try await call(method, path, "{}", type: "text/plain", status: 415)
      try await call(method, path, String(repeating: " ", count: tooLarge[path] ?? 65_537), status: 413)
      try await call(method, path, #"{"no-such-member":0}"#, status: 422)
      try await call(.trace, path, status: 405)
    }
    try await exerciseProblemsOfBothFaces()
    for path in [
      "/v1/browsers", "\(Self.test)/apps", "\(Self.test)/clicks", "\(Self.test)/triggering-events", "\(Self.test)/attributions",
      "\(Self.test)/reports",
    ] {
      try await call(.get, "\(path)?limit=0", status: 422)
    }
    for (method, path) in Self.everyCall where path.hasPrefix("/v1") && !path.contains("?") {
      try await call(method, "\(path)?no-such-parameter=1", status: 422)
    }
    for path in ["/reports?site=a/b", "/reports?recipient=app", "/reports?include=attempts"] {
      try await call(.get, path, status: 422)
    }
    try await call(
      .post, "/event-attributions", #"{"bundleIdentifier":"none","sourceIdentifier":1,"destinationURL":"https://a.example/"}"#,
      status: 422)
  }

  /// Each POST with a key, again with it, and with another body.
  func exerciseRepetitions() async throws {
    let load = #"{"firstPartyURL":"https://shop.example/","url":"https://gone.example/"}"#
    for (path, body, status) in [
      ("/v1/browsers", "{}", 201), ("/event-attributions", API.eventAttribution, 201),
      ("/link-clicks", IdempotencyTests.link, 201), ("/triggering-events", API.trigger, 201), ("/loads", load, 200),
      ("/page-events", #"{"kind":"attachment-lost","text":"gone"}"#, 201),
      ("/clock/advance", IdempotencyTests.twoDays, 200),
    ] + (try await deviceRepetitions()) {
      for _ in 1...2 { try await call(.post, path, body, status: status, key: path) }
      try await call(.post, path, body + " ", status: 409, key: path)
    }
  }

  func exerciseAStoreThatIsGone() async throws {
    try await service("/readyz", 503)
    try await call(.put, "/v1/browsers/new", status: 503)
    try await call(.post, "/v1/browsers", #"{"storage":"durable"}"#, status: 503)
    try await change(#""debugMode":true"#, status: 503)
    try await witness.hear(try await api.put(manifest: "news-reader"), to: .put, "\(Self.test)/apps")
    try await call(.put, "/apps/a", #"{"reportEndpoint":"https://news.example"}"#, status: 503)
    try await exerciseWhatCannotBeDoneNow()
  }

  private func exerciseWhatCannotBeDoneNow() async throws {
    try await call(.post, "/clock/advance", #"{"by":"PT1H"}"#, status: 503)
    try await call(.post, "/event-attributions", API.eventAttribution, status: 503)
    try await call(.post, "/triggering-events", API.trigger, status: 503)
    let load = #"{"firstPartyURL":"https://shop.example/","url":"https://news.example/pixel"}"#
    try await call(.post, "/loads", load, status: 503)
    let link = #"{"pageURL":"https://news.example/","attributionSourceID":"7","attributionDestination":"https://a.example"}"#
    try await call(.post, "/link-clicks", link, status: 503)
    for path in [
      "/apps", "/apps/com.example.news", "/clicks", "/clicks/click-1", "/triggering-events",
      "/triggering-events/triggering-event-1", "/attributions", "/attributions/attribution-1", "/reports", "/reports/report-1",
      "/events", "/scenario",
    ] {
      try await call(.get, path, status: 503)
    }
    try await call(.get, "/explain?about=shop.example", status: 503)
    try await call(.put, "/network", #"{"mode":"simulated"}"#, status: 503)
    try await call(.post, "/expectations", #"{"report":{}}"#, status: 503)
    try await call(.post, "/forks", "{}", status: 503)
    try await call(.put, "/sites/a.example", "{}", status: 503)
    try await call(.delete, "/sites/a.example", status: 503)
    try await call(.delete, "/apps/com.example.news", status: 503)
    try await call(.delete, "/data", status: 503)
    try await call(.delete, Self.test, status: 503)
    try await call(.delete, Self.device, status: 503)
  }
}
