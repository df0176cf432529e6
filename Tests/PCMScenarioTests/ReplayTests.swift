import PCMBrowser
import PCMCore
import PCMNetwork
import PCMScenario
import PCMSimulatedSites
import Testing

/// The scenarios of browsers, and their replays.
@Suite struct ReplayTests {
  @Test func callsReplayToTheSameEventLog() async throws {
    let browser = try await ReplayedBrowser()
    try await browser.call(
      "PUT", "", #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"seed":"s","storage":"ephemeral"}"#)
    try await browser.call("PUT", "/apps", ReplayedBrowser.plist, mediaType: "application/x-plist")
    try await browser.call("PUT", "/network", #"{"mode":"simulated"}"#)
    try await browser.put(SiteBehavior(report: [.status(503)], loads: Self.loads), at: "news.example")
    try await browser.call("POST", "/event-attributions", ReplayedBrowser.tap(#","tapVerified":false"#))
    try await browser.call("POST", "/event-attributions", ReplayedBrowser.tap(#","sourceNonce":"ABEiM0RVZneImaq7zN3u_w""#))
    try await browser.call("POST", "/clock/advance", #"{"by":"PT3H"}"#)
    try await browser.call("POST", "/loads", #"{"firstPartyURL":"https://shop.example/","url":"https://news.example/p"}"#)
    try await browser.call("PATCH", "", #"{"settings":{"deliveryPolicy":"reliable"}}"#)
    try await browser.put(SiteBehavior(report: [Self.failing, .good]), at: "news.example")
    try await browser.call("POST", "/clock/advance", #"{"untilIdle":true}"#)
    try await browser.call("DELETE", "/data?site=shop.example")
    try await browser.call("DELETE", "/apps/com.example.news")
    #expect(try await browser.replayedLog() == browser.log())
    let failure = #""failure": {"code": "timed-out", "detail": "too slow"}"#
    let scenario = try await browser.scenario()
    #expect(scenario.contains(failure), "\(scenario)")
  }

  @Test func appsInJSONAreReplayed() async throws {
    let browser = try await ReplayedBrowser()
    try await browser.call(
      "PUT", "", #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"seed":"s","storage":"ephemeral"}"#)
    let infoPlist = """
      {"infoPlist":{"CFBundleIdentifier":"com.example.other","NSAdvertisingAttributionReportEndpoint":"https://a.example/?x&y=<",\
      "UIDeviceFamily":[1,2],"LSRequiresIPhoneOS":true,"Version":1.5,"AdAttributionKit":{}},"itemIdentifier":525463029}
      """
    try await browser.call("PUT", "/apps/com.example.other", infoPlist)
    try await browser.call(
      "PUT", "/apps/com.example.news", #"{"reportEndpoint":"https://news.example","itemIdentifier":525463029}"#)
    try await browser.call("PUT", "/apps/com.example.news", ReplayedBrowser.plist, mediaType: "text/xml")
    try await browser.call("POST", "/event-attributions", ReplayedBrowser.tap(""))
    #expect(try await browser.replayedLog() == browser.log())
  }

  @Test func theUserInformationOfAnEndpointIsNotRecordedAndTheReplayIsEqual() async throws {
    let browser = try await ReplayedBrowser()
    try await browser.call(
      "PUT", "", #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"seed":"s","storage":"ephemeral"}"#)
    let endpoint = "https://user:secret@news.example"
    let file = ReplayedBrowser.plist.replacing("https://news.example", with: endpoint)
    try await browser.call("PUT", "/apps", file, mediaType: "application/x-plist")
    let duplicate = "<key>NSAdvertisingAttributionReportEndpoint</key><string>\(endpoint)</string>"
    let twice = ReplayedBrowser.plist.replacing("<dict>", with: "<dict>\(duplicate)").replacing(".news<", with: ".twice<")
    try await browser.call("PUT", "/apps/com.example.twice", twice, mediaType: "text/xml")
    try await browser.call("PUT", "/apps/com.example.short", #"{"reportEndpoint":"\#(endpoint)"}"#)
    try await browser.call(
      "PUT", "/apps/com.example.keys",
      #"{"infoPlist":{"NSAdvertisingAttributionReportEndpoint":"\#(endpoint)","AttributionCopyEndpoint":"\#(endpoint)"}}"#)
    try await browser.call("POST", "/event-attributions", ReplayedBrowser.tap(""))
    let scenario = try await browser.scenario()
    #expect(!scenario.contains("secret"), "\(scenario)")
    let log = try await browser.log()
    #expect(
      log.split(separator: #""endpoint-credentials-ignored"#).count == 4 && log.contains("copy-endpoint-credentials-ignored")
        && log.contains("duplicate-keys"), "\(log)")
    #expect(try await browser.replayedLog() == log)
  }

  @Test func theUserInformationOfURLsWithinTextsIsNotRecordedAndTheReplayIsEqual() async throws {
    let browser = try await ReplayedBrowser()
    try await browser.begin()
    let click =
      #"{"pageURL":"blob:https://u:secret@news.example/","attributionSourceID":"3","attributionDestination":"https://shop.example"}"#
    try await browser.call("POST", "/link-clicks", click)
    try await browser.call("POST", "/link-clicks", click.replacing(#":"3""#, with: #":"https://u:secret@news.example""#))
    for source in ["https://u:secret@news.example", "https%3A%2F%2Fu%3Asecret%40news.example"] {
      let target = "https://shop.example\(TriggerURL.pathPrefix)12?attributionSource=\(source)"
      try await browser.call(
        "POST", "/triggering-events",
        #"{"firstPartyURL":"https://shop.example/","redirect":{"from":"https://shop.example/","to":"\#(target)"}}"#)
    }
    let log = try await browser.log()
    for code in ["no-source-site", "source-id-not-a-number", "source-parameter-invalid"] {
      #expect(log.contains(code), "\(log)")
    }
    let scenario = try await browser.scenario()
    #expect(!log.contains("secret") && !scenario.contains("secret"), "\(scenario)")
    #expect(try await browser.replayedLog() == log)
  }

  @Test func aChangedKeyAndAForgedSignatureAreReplayed() async throws {
    let browser = try await ReplayedBrowser()
    try await browser.call(
      "PUT", "", #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"seed":"s","storage":"ephemeral"}"#)
    try await browser.call("PUT", "/apps", ReplayedBrowser.plist, mediaType: "application/x-plist")
    try await browser.call("PUT", "/network", #"{"mode":"simulated"}"#)
    let nonce = #","sourceNonce":"ABEiM0RVZneImaq7zN3u_w""#
    try await browser.call("POST", "/event-attributions", ReplayedBrowser.tap(nonce))
    try await browser.call("POST", "/triggering-events", ReplayedBrowser.trigger)
    try await browser.put(SiteBehavior(key: .second), at: "news.example")
    try await browser.call("POST", "/clock/advance", #"{"by":"PT48H"}"#)
    var forged = SiteBehavior.Response()
    forged.forged = true
    try await browser.put(SiteBehavior(sign: [forged]), at: "news.example")
    try await browser.call("POST", "/event-attributions", ReplayedBrowser.tap(nonce))
    let log = try await browser.log()
    #expect(log.contains("token-key-changed") && log.contains("token-signature-invalid"), "\(log)")
    #expect(try await browser.replayedLog() == log)
  }

  @Test(
    arguments: [
      #"{"bundleIdentifier":"com.example.news","sourceIdentifier":4.0,"destinationURL":"https://shop.example/"}"#,
      #"{"bundleIdentifier":"com.example.news","sourceIdentifier":4e0,"destinationURL":"https://shop.example/"}"#,
      "\u{FEFF}" + ReplayedBrowser.tap(""),
      ReplayedBrowser.tap(#","sourceDescription":"a\u2028b\u007f\ufeff""#),
      ReplayedBrowser.tap(#","sourceDescription":"\#(String(repeating: "[' {", count: 40))""#),
      ReplayedBrowser.tap(#","sourceDescription":"&a *a""#),
      ReplayedBrowser.tap(#","tapVerified":true"#),
    ])
  func whatTheAPITakesIsReplayed(_ body: String) async throws {
    let browser = try await ReplayedBrowser()
    try await browser.begin()
    try await browser.call("POST", "/event-attributions", body)
    try await browser.call("PATCH", "", "{}")
    #expect(try await browser.replayedLog() == browser.log())
  }

  @Test func aLongAddressIsReplayed() async throws {
    let path = "/p?" + String(repeating: "x", count: 2_000)
    let browser = try await ReplayedBrowser()
    try await browser.begin()
    try await browser.call(
      "POST", "/loads", #"{"firstPartyURL":"https://shop.example/","url":"https://news.example\#(path)"}"#)
    #expect(try await browser.replayedLog() == browser.log())
  }

  @Test func theResponsesOfARealNetworkAreNotExpected() async throws {
    let browser = try await ReplayedBrowser(network: ["news.example": SiteBehavior(report: [.status(503)])])
    try await browser.begin()
    try await browser.call("POST", "/event-attributions", ReplayedBrowser.tap(""))
    try await browser.call("POST", "/triggering-events", ReplayedBrowser.trigger)
    try await browser.call("POST", "/clock/advance", #"{"by":"PT49H"}"#)
    #expect(try await browser.log().contains("report-failed"))
    // The play passes although the site of the scenario accepts the report.
    #expect(try await browser.replayedLog().contains("report-delivered"))
    #expect(try await browser.scenario().contains("The responses of a real network are not in it"))
  }

  private static let loads = [
    "/p": [SiteBehavior.Response.redirect("https://news.example/.well-known/private-click-measurement/trigger-attribution/12")]
  ]
  private static var failing: SiteBehavior.Response {
    var answer = SiteBehavior.Response()
    answer.failure = .timedOut
    answer.failureDetail = "too slow"
    return answer
  }
}
