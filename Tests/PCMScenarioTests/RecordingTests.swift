import PCMBrowser
import PCMCore
import PCMDelivery
import PCMScenario
import PCMSimulation
import Testing

/// Recordings and their replays.
@Suite struct RecordingTests {
  @Test func aRecordingReplaysToTheSameEventLog() async throws {
    let recording = try await RecordedBrowser(network: ["news.example": SiteBehavior(report: [.status(503)], loads: Self.loads)]
    )
    try await recording.call(
      "PUT", "", #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"seed":"s","storage":"ephemeral"}"#)
    try await recording.call("PUT", "/apps", RecordedBrowser.plist, mediaType: "application/x-plist")
    try await recording.call("POST", "/event-attributions", RecordedBrowser.tap(#","tapVerified":false"#))
    try await recording.call("POST", "/event-attributions", RecordedBrowser.tap(#","sourceNonce":"ABEiM0RVZneImaq7zN3u_w""#))
    try await recording.call("POST", "/clock/advance", #"{"by":"PT3H"}"#)
    try await recording.call("POST", "/loads", #"{"firstPartyURL":"https://shop.example/","url":"https://news.example/p"}"#)
    try await recording.call("PATCH", "", #"{"settings":{"deliveryPolicy":"reliable"}}"#)
    await recording.sites.apply(["news.example": SiteBehavior(report: [Self.failing, .good])])
    try await recording.call("POST", "/clock/advance", #"{"untilIdle":true}"#)
    try await recording.call("DELETE", "/data?site=shop.example")
    try await recording.call("DELETE", "/apps/com.example.news")
    #expect(try await recording.replayedLog() == recording.log())
    #expect(recording.failed.isEmpty)
    let failure = #""failure": {"code": "timed-out", "detail": "too slow"}"#
    #expect(recording.file.contains(failure), "\(recording.file)")
  }

  /// As when the first browser was idle.
  @Test func aBrowserThatReplacesARemovedOneHasItsOwnRecording() async throws {
    let recording = try await RecordedBrowser(network: [:])
    try await recording.begin()
    let first = recording.file
    try await recording.browsers.delete("session")
    try await recording.call("GET", "", status: 404)
    try await recording.begin()
    #expect(!first.isEmpty && recording.file == first + first)
    #expect(recording.failed.isEmpty)
  }

  @Test func appsInJSONAreReplayed() async throws {
    let recording = try await RecordedBrowser(network: [:])
    try await recording.call(
      "PUT", "", #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"seed":"s","storage":"ephemeral"}"#)
    let infoPlist = """
      {"infoPlist":{"CFBundleIdentifier":"com.example.other","NSAdvertisingAttributionReportEndpoint":"https://a.example/?x&y=<",\
      "UIDeviceFamily":[1,2],"LSRequiresIPhoneOS":true,"Version":1.5,"AdAttributionKit":{}},"itemIdentifier":525463029}
      """
    try await recording.call("PUT", "/apps/com.example.other", infoPlist)
    try await recording.call(
      "PUT", "/apps/com.example.news", #"{"reportEndpoint":"https://news.example","itemIdentifier":525463029}"#)
    try await recording.call("PUT", "/apps/com.example.news", RecordedBrowser.plist, mediaType: "text/xml")
    try await recording.call("POST", "/event-attributions", RecordedBrowser.tap(""))
    #expect(try await recording.replayedLog() == recording.log())
    #expect(recording.failed.isEmpty)
  }

  @Test func theUserInformationOfAnEndpointIsNotRecordedAndTheReplayIsEqual() async throws {
    let recording = try await RecordedBrowser(network: [:])
    try await recording.call(
      "PUT", "", #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"seed":"s","storage":"ephemeral"}"#)
    let endpoint = "https://user:secret@news.example"
    let file = RecordedBrowser.plist.replacing("https://news.example", with: endpoint)
    try await recording.call("PUT", "/apps", file, mediaType: "application/x-plist")
    let duplicate = "<key>NSAdvertisingAttributionReportEndpoint</key><string>\(endpoint)</string>"
    let twice = RecordedBrowser.plist.replacing("<dict>", with: "<dict>\(duplicate)").replacing(".news<", with: ".twice<")
    try await recording.call("PUT", "/apps/com.example.twice", twice, mediaType: "text/xml")
    try await recording.call("PUT", "/apps/com.example.short", #"{"reportEndpoint":"\#(endpoint)"}"#)
    try await recording.call(
      "PUT", "/apps/com.example.keys",
      #"{"infoPlist":{"NSAdvertisingAttributionReportEndpoint":"\#(endpoint)","AttributionCopyEndpoint":"\#(endpoint)"}}"#)
    try await recording.call("POST", "/event-attributions", RecordedBrowser.tap(""))
    let files = recording.files
    #expect(files.count == 5 && files.values.allSatisfy { !$0.contains("secret") }, "\(files)")
    let log = try await recording.log()
    #expect(
      log.split(separator: #""endpoint-credentials-ignored"#).count == 4 && log.contains("copy-endpoint-credentials-ignored")
        && log.contains("duplicate-keys"), "\(log)")
    #expect(try await recording.replayedLog() == log)
    #expect(recording.failed.isEmpty)
  }

  @Test func theUserInformationOfURLsWithinTextsIsNotRecordedAndTheReplayIsEqual() async throws {
    let recording = try await RecordedBrowser(network: [:])
    try await recording.begin()
    let click =
      #"{"pageURL":"blob:https://u:secret@news.example/","attributionSourceID":"3","attributionDestination":"https://shop.example"}"#
    try await recording.call("POST", "/link-clicks", click)
    try await recording.call("POST", "/link-clicks", click.replacing(#":"3""#, with: #":"https://u:secret@news.example""#))
    for source in ["https://u:secret@news.example", "https%3A%2F%2Fu%3Asecret%40news.example"] {
      let target = "https://shop.example\(TriggerURL.pathPrefix)12?attributionSource=\(source)"
      try await recording.call(
        "POST", "/triggering-events",
        #"{"firstPartyURL":"https://shop.example/","redirect":{"from":"https://shop.example/","to":"\#(target)"}}"#)
    }
    let log = try await recording.log()
    for code in ["no-source-site", "source-id-not-a-number", "source-parameter-invalid"] {
      #expect(log.contains(code), "\(log)")
    }
    #expect(!log.contains("secret") && recording.files.values.allSatisfy { !$0.contains("secret") }, "\(recording.files)")
    #expect(try await recording.replayedLog() == log)
    #expect(recording.failed.isEmpty)
  }

  @Test func aSessionWithSimulatedSitesIsRecordedWithThem() async throws {
    let recording = try await RecordedBrowser(network: [:])
    try await recording.begin()
    try await recording.call("PUT", "/network", #"{"mode":"simulated"}"#)
    let site = #"{"key":"second","report":[{"failure":"timed-out"},{"status":503},{}],"loads":{"/p":{"status":410}}}"#
    try await recording.call("PUT", "/sites/news.example", site)
    try await recording.call("PATCH", "", #"{"settings":{"deliveryPolicy":"reliable"}}"#)
    try await recording.call("POST", "/event-attributions", RecordedBrowser.tap(#","sourceNonce":"ABEiM0RVZneImaq7zN3u_w""#))
    try await recording.call("POST", "/loads", #"{"firstPartyURL":"https://shop.example/","url":"https://news.example/p"}"#)
    try await recording.call("POST", "/triggering-events", RecordedBrowser.trigger)
    try await recording.call("POST", "/clock/advance", #"{"untilIdle":true}"#)
    try await recording.call("PUT", "/sites/news.example", #"{"key":"first"}"#)
    try await recording.call("POST", "/event-attributions", RecordedBrowser.tap(#","sourceNonce":"ABEiM0RVZneImaq7zN3u_w""#))
    let log = try await recording.log()
    #expect(log.contains("timed-out") && log.contains("report-retry-scheduled"), "\(log)")
    #expect(try await recording.replayedLog() == log)
    #expect(recording.failed.isEmpty)
  }

  @Test func aBrowserWithAGeneratedNameIsRecorded() async throws {
    let recording = try await RecordedBrowser(network: [:])
    try await recording.call("POST", "", #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"seed":"s"}"#, browser: "")
    try await recording.call("POST", "/clock/advance", #"{"by":"PT3H"}"#, browser: "browser-drawn")
    let file = recording.file(of: "browser-drawn")
    #expect(file.contains("PT3H"), "\(file)")
    #expect(recording.failed.isEmpty)
  }

  @Test func aChangedKeyAndAForgedSignatureAreReplayed() async throws {
    let recording = try await RecordedBrowser(network: [:])
    try await recording.call(
      "PUT", "", #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"seed":"s","storage":"ephemeral"}"#)
    try await recording.call("PUT", "/apps", RecordedBrowser.plist, mediaType: "application/x-plist")
    let nonce = #","sourceNonce":"ABEiM0RVZneImaq7zN3u_w""#
    try await recording.call("POST", "/event-attributions", RecordedBrowser.tap(nonce))
    try await recording.call("POST", "/triggering-events", RecordedBrowser.trigger)
    await recording.sites.apply(["news.example": SiteBehavior(key: .second)])
    try await recording.call("POST", "/clock/advance", #"{"by":"PT48H"}"#)
    var forged = SiteBehavior.Response()
    forged.forged = true
    await recording.sites.apply(["news.example": SiteBehavior(sign: [forged])])
    try await recording.call("POST", "/event-attributions", RecordedBrowser.tap(nonce))
    let log = try await recording.log()
    #expect(log.contains("token-key-changed") && log.contains("token-signature-invalid"), "\(log)")
    #expect(try await recording.replayedLog() == log)
  }

  @Test func callsWithoutChangesAndRealClocksAreNotRecorded() async throws {
    let recording = try await RecordedBrowser(network: [:])
    try await recording.call("PUT", "", #"{"clock":{"mode":"real"},"storage":"ephemeral"}"#)
    #expect(recording.file.isEmpty)
    try await recording.call("DELETE", "")
    try await recording.call(
      "PUT", "", #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"seed":"s","storage":"ephemeral"}"#)
    try await recording.call("POST", "/event-attributions", RecordedBrowser.tap(""), status: 422)
    #expect(recording.file.isEmpty, "a scenario without steps is none")
    try await recording.call("PUT", "/apps", RecordedBrowser.plist, mediaType: "application/x-plist")
    let head = recording.file
    #expect(!head.isEmpty)
    try await recording.call("GET", "/events")
    try await recording.call("POST", "/event-attributions", RecordedBrowser.tap(#","purchaser":7"#), status: 422)
    #expect(recording.file == head)
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
