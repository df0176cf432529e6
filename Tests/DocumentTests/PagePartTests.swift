import BrowserSupport
import Foundation
import HTTPSupport
import HTTPTypes
import NIOConcurrencyHelpers
import PCMCore
import PCMNetwork
import PCMPages
import PCMSimulatedSites
import PCMStore
import Testing

/// The contents of the parts of the pages.
@Suite struct PagePartTests {
  @Test("The list of browsers shows labels, filters by them, and begins with the browser that was used last")
  func listOfBrowsers() async throws {
    let wall = NIOLockedValueBox(Scene.start)
    let wallClock: @Sendable () -> Instant = { wall.withLockedValue { $0 } }
    try await API.test(wallClock: wallClock) { api in
      func names(_ query: String = "") async throws -> [String] {
        let list = try await api.call(.get, "/browsers\(query)").text
        return list.matches(of: #/data-key="open-([^"]*)"/#).map { String($0.1) }
      }
      for (name, labels) in [("a", #"{"team":"Ads & more"}"#), ("b", #"{"team":"shop"}"#), ("c", "{}")] {
        wall.withLockedValue { $0 = $0 + .minutes(1) }
        try await api.call(.put, "/v1/browsers/\(name)", #"{"labels":\#(labels)}"#)
      }
      #expect(try await names() == ["c", "b", "a", "default", "test"])
      wall.withLockedValue { $0 = $0 + .minutes(1) }
      let used = wall.withLockedValue { $0.text }
      _ = try await api.call(.get, "/v1/browsers/a/clicks")
      #expect(try await names() == ["a", "c", "b", "default", "test"])
      #expect(try await names("?name=TEAM%3Dshop") == ["b"])
      #expect(try await names("?name=ads%20%26") == ["a"])
      let list = try await api.call(.get, "/browsers").text
      #expect(list.contains(#"href="/#filter=team%3DAds%20%26%20more""#) && list.contains(">team=Ads &amp; more</a>"))
      let items = try await api.call(.get, "/v1/browsers").member("items", as: [[String: Any]].self)
      #expect(items.first?["lastUsedAt"] as? String == used)
      #expect(items.last?["lastUsedAt"] as? String == items.last?["createdAt"] as? String)
    }
  }

  @Test("A message shows all headers of the request, the response, and the decoded signature")
  func messageDetails() async throws {
    let store = MemoryStore()
    try await API.test(store: store) { api in
      let browser = try #require(try await store.browsers().first { $0.name == "test" })
      try await store.write(browser.id) { writer in
        try writer.save(Self.report)
        try writer.save(Self.postback)
      }
      var messages = ""
      for name in [RecordName.report(Self.report.id), RecordName.postback(Self.postback.id)] {
        messages += try await api.call(.get, "/browsers/test/item?about=\(name)").text
      }
      let head =
        "POST https://news.example/report\naccept: */*\ncontent-type: application/json\ncache-control: max-age=0\nuser-agent: "
      for text in [
        head, "HTTP/2 400\ncontent-type: text/html\n\nno…", "to 127.0.0.1:8000 without TLS", "{\n  \"kid\": \"test\"\n}",
        "{\n  \"app-id\": 7\n}",
      ] {
        let escaped = text.replacing("\n", with: "&#10;").replacing("\"", with: "&quot;")
        #expect(messages.contains(escaped), "\(text): \(messages)")
      }
      #expect(messages.contains("content-length: 2\n\n{}") && messages.contains("user-agent: App Store"), "\(messages)")
    }
  }

  @Test("A story with thousands of reports begins with the newest")
  func newestReports() async throws {
    let store = MemoryStore()
    try await API.test(store: store) { api in
      let browser = try #require(try await store.browsers().first { $0.name == "test" })
      let newest = try await store.write(browser.id) { writer in
        var number: Int64 = 0
        repeat {
          number = try writer.nextSequence()
          try writer.append(ClockAdvanced(from: Scene.start, to: Scene.start), at: Scene.start)
          try writer.save(
            Report(
              id: number, attribution: 1, session: .normal, key: Self.report.key, recipient: .source, url: "", body: "{}",
              dueAt: Scene.start, state: .delivered))
        } while number < 6_000
        return number
      }
      let story = try await api.call(.get, "/browsers/test/story").text
      #expect(story.contains("#why=report-\(newest)\""), "\(story.prefix(2_000))")
    }
  }

  @Test("The page shows the prompt until the user answers it, and the status of the app, and the requests of its SDK")
  func tracking() async throws {
    try await API.test { api in
      func view() async throws -> String { try await api.call(.get, "/browsers/test/tracking").text }
      let app = #""bundleIdentifier":"com.example.shop""#
      #expect(try await view().contains("No app has an answer"))
      try await api.call(
        .put, "/v1/devices/test/apps/com.example.shop", #"{"infoPlist":{"NSUserTrackingUsageDescription":"<b>Ads</b>"}}"#)
      try await api.call(.post, "/v1/devices/test/sdk-events", #"{\#(app),"event":"<i>","consentWaitingInterval":"PT30S"}"#)
      try await api.call(.post, "/v1/devices/test/tracking-requests", "{\(app)}")
      let prompt = try await view()
      for text in ["&lt;b&gt;Ads&lt;/b&gt;", ">Ask App Not to Track<", ">Allow<", "0 notDetermined", "Waiting events: 1"] {
        #expect(prompt.contains(text), "\(text): \(prompt)")
      }
      #expect(
        prompt.contains(#"data-answer="/v1/devices/test/tracking-answers" data-app="com.example.shop" data-allow="true""#))
      try await api.call(.post, "/v1/devices/test/tracking-answers", #"{\#(app),"allow":true}"#)
      let answered = try await view()
      #expect(answered.contains("3 authorized") && answered.contains("https://consent.adjust.com/event"), "\(answered)")
      #expect(answered.contains("&lt;i&gt;") && !answered.contains("data-answer") && !answered.contains("Waiting events"))
    }
  }

  @Test("The examples of ads are signed at the browser's time")
  func examples() async throws {
    try await API.test { api in
      try await api.call(.put, "/v1/browsers/later", #"{"clock":{"mode":"manual","start":"2031-01-05T09:30:00Z"}}"#)
      let examples = try await api.call(.get, "/browsers/later/examples").object
      #expect(examples["timestamp"] as? Int == 1_925_371_800_000)
      try await api.call(
        .put, "/v1/devices/later/ad-networks/\(ExampleAds.adNetwork)",
        #"{"postbackURL":"https://network.example/","publicKey":"\#(TestAdNetwork.publicKey)"}"#)
      let info =
        #"{"SKAdNetworkItems":[{"SKAdNetworkIdentifier":"example123.skadnetwork"}],"AdNetworkIdentifiers":["example123.skadnetwork"]}"#
      try await api.call(
        .put, "/v1/devices/later/apps/com.example.news", #"{"itemIdentifier":\#(ExampleAds.sourceItem),"infoPlist":\#(info)}"#)
      let rendered = #"""
        {"bundleIdentifier":"com.example.news","version":"4.0","adNetworkIdentifier":"\#(ExampleAds.adNetwork)",\#
        "sourceIdentifier":\#(ExampleAds.sourceIdentifier),"advertisedAppStoreItemIdentifier":\#(ExampleAds.advertisedItem),\#
        "sourceAppStoreItemIdentifier":\#(ExampleAds.sourceItem),"adImpressionIdentifier":"\#(ExampleAds.renderedImpression)",\#
        "timestamp":1925371800000,"signature":"\#(try #require(examples["signature"] as? String))"}
        """#
      let displayed = #"{"bundleIdentifier":"com.example.news","jws":"\#(try #require(examples["jws"] as? String))"}"#
      for (ad, outcome) in [(rendered, "recorded"), (displayed, "started")] {
        let answer = try await api.call(.post, "/v1/devices/later/impressions", ad)
        #expect(try answer.member("outcome") == outcome, "\(answer.text)")
        #expect(!answer.text.contains("timestamp-off"))
      }
    }
  }

  private static let attempt = #"""
    {"at":"2026-11-21T10:00:00.000Z","httpStatus":400,"httpVersion":"2","error":{"code":"status","detail":"answered 400"},\#
    "response":{"contentType":"text/html","body":"no","truncated":true},"forwardedTo":"127.0.0.1:8000"}
    """#
  private static let report = Report(
    id: 4, attribution: 1, session: .normal,
    key: ClickKey(source: Site("news.example"), destination: Site("shop.example"), bundleIdentifier: "com.example.news"),
    recipient: .source, url: "https://news.example/report", body: "{}", dueAt: Scene.start,
    attempts: [KeptAttempt(text: attempt)])
  private static let jws = #"{"kid":"test"}{"app-id":7}"#.split(separator: "}").map {
    Base64URL.encode(Array("\($0)}".utf8))
  }
  private static let postback = Postback(
    id: 5, conversion: 1, impression: 1, framework: .adattributionkit, sequenceIndex: 0, didWin: true, recipient: .adNetwork,
    adNetworkIdentifier: ExampleAds.adNetwork, bundleIdentifier: "com.example.game", url: "https://network.example/",
    body: #"{"jws-string":"\#(jws.joined(separator: ".")).signature"}"#, message: OutgoingMessage(dueAt: Scene.start))
}
