import Logging
import PCMBrowser
import PCMCore
import PCMDelivery
import PCMHTTP
import PCMManifest
import PCMScenario
import PCMSites
import PCMStore
import Testing

/// Sessions that are written down, and what comes of them when they are played.
@Suite struct RecordingTests {
  @Test func aRecordedSessionReplaysToTheSameEventLog() async throws {
    let session = try await Session(network: ["news.example": SiteBehaviour(report: [.status(503)], loads: Self.loads)])
    try await session.call(
      "PUT", "", #"{"clock":{"mode":"manual","now":"2026-11-20T10:00:00Z"},"seed":"s","storage":"memory"}"#)
    try await session.call("PUT", "/apps", Self.plist, mediaType: "application/x-plist")
    try await session.call("POST", "/event-attributions", Self.tap(#","tapVerified":false"#))
    try await session.call("POST", "/event-attributions", Self.tap(#","sourceNonce":"ABEiM0RVZneImaq7zN3u_w""#))
    try await session.call("POST", "/clock/advance", #"{"by":"PT3H"}"#)
    try await session.call("POST", "/loads", #"{"firstPartyURL":"https://shop.example/","url":"https://news.example/p"}"#)
    try await session.call("PUT", "", #"{"settings":{"deliveryPolicy":"reliable"}}"#)
    await session.sites.apply(["news.example": SiteBehaviour(report: [Self.failing, .good])])
    try await session.call("POST", "/clock/advance", #"{"untilIdle":true}"#)
    try await session.call("DELETE", "/data?site=shop.example")
    try await session.call("DELETE", "/apps/com.example.news")
    #expect(try await session.replayedLog() == session.log())
    let failure = #""failure":{"code":"timed-out","detail":"too slow"}"#
    #expect(session.file.contains(failure), "\(session.file)")
  }

  @Test func aChangedKeyAndAForgedSignatureAreReplayed() async throws {
    let session = try await Session(network: [:])
    try await session.call(
      "PUT", "", #"{"clock":{"mode":"manual","now":"2026-11-20T10:00:00Z"},"seed":"s","storage":"memory"}"#)
    try await session.call("PUT", "/apps", Self.plist, mediaType: "application/x-plist")
    let nonce = #","sourceNonce":"ABEiM0RVZneImaq7zN3u_w""#
    try await session.call("POST", "/event-attributions", Self.tap(nonce))
    try await session.call("POST", "/triggering-events", Self.trigger)
    await session.sites.apply(["news.example": SiteBehaviour(key: .second)])
    try await session.call("POST", "/clock/advance", #"{"by":"PT48H"}"#)
    var forged = SiteBehaviour.Answer()
    forged.forged = true
    await session.sites.apply(["news.example": SiteBehaviour(sign: [forged])])
    try await session.call("POST", "/event-attributions", Self.tap(nonce))
    let log = try await session.log()
    #expect(log.contains("token-key-changed") && log.contains("token-signature-invalid"), "\(log)")
    #expect(try await session.replayedLog() == log)
  }

  @Test func whatChangesNothingAndWhatCannotBeReplayedIsNotWrittenDown() async throws {
    let session = try await Session(network: [:])
    try await session.call("PUT", "", #"{"clock":{"mode":"real"},"storage":"memory"}"#)
    #expect(session.file.isEmpty)
    try await session.call("DELETE", "")
    try await session.call(
      "PUT", "", #"{"clock":{"mode":"manual","now":"2026-11-20T10:00:00Z"},"seed":"s","storage":"memory"}"#)
    let head = session.file
    #expect(!head.isEmpty)
    try await session.call("GET", "/events")
    try await session.call("POST", "/event-attributions", Self.tap(""), status: 422)
    #expect(session.file == head)
  }

  private static let loads = [
    "/p": [SiteBehaviour.Answer.redirect("https://news.example/.well-known/private-click-measurement/trigger-attribution/12")]
  ]
  private static var failing: SiteBehaviour.Answer {
    var answer = SiteBehaviour.Answer()
    answer.failure = .timedOut
    answer.failureDetail = "too slow"
    return answer
  }
  private static let plist = """
    <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.news</string>\
    <key>NSAdvertisingAttributionReportEndpoint</key><string>https://news.example</string></dict></plist>
    """
  private static let trigger = """
    {"firstPartyURL":"https://shop.example/","redirect":{"from":"https://news.example/p",\
    "to":"https://news.example/.well-known/private-click-measurement/trigger-attribution/12"}}
    """

  private static func tap(_ more: String) -> String {
    #"{"app":"com.example.news","sourceIdentifier":4,"destinationURL":"https://shop.example/"\#(more)}"#
  }
}

/// A service that records, called in this process, and what it wrote.
private struct Session {
  let sites: SimulatedSites
  private let api: InProcessAPI
  private let written = Locked<[String: [UInt8]]>([:])

  init(network: [String: SiteBehaviour]) async throws {
    sites = try SimulatedSites(registrableDomain: { $0 })
    await sites.apply(network)
    let (tap, written) = (ExchangeTap(sites), written)
    let recorder = SessionRecorder(
      network: tap,
      files: SessionRecorder.Files(
        create: { $0 }, write: { name, bytes in written.withLock { $0[name, default: []] += bytes } },
        fail: { browser, error in Issue.record("\(browser): \(error)") }))
    api = try await Self.service(tap, recorder: recorder)
  }

  private static func service(_ transport: any Transport, recorder: SessionRecorder?) async throws -> InProcessAPI {
    let parser = SiteParser(publicSuffixList: .builtIn())
    let start = try #require(Instant(text: "2026-11-20T10:00:00.000Z"))
    let world = World(
      transport: transport, route: NetworkRoute(), sites: parser, wallClock: { start },
      sleep: { _ in throw CancellationError() })
    let browsers = Browsers(
      world: world, durable: MemoryStore(), memory: MemoryStore(), realTime: RealTime(wallClock: { start }, sleep: world.sleep),
      newSeed: { "drawn" })
    try await browsers.load()
    let manifests = ManifestReader(parseURL: { try? parser.url($0) })
    return InProcessAPI(
      ControlAPI(browsers: browsers, manifests: manifests, recorder: recorder, checkReady: {}), logger: Logger(label: "test"))
  }

  var file: String { written.withLock { String(decoding: $0["session.yaml"] ?? [], as: UTF8.self) } }

  func call(
    _ method: String, _ path: String, _ body: String = "", mediaType: String = "application/json", status: Int? = nil
  ) async throws {
    let answer = try await api.call(
      method, "/v1/browsers/session" + path, body: Array(body.utf8), mediaType: mediaType)
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(status.map { answer.status == $0 } ?? (200..<300).contains(answer.status), "\(method) \(path): \(text)")
  }

  func log() async throws -> String { try await Self.log(of: api, browser: "session") }

  private static func log(of api: InProcessAPI, browser: String) async throws -> String {
    let answer = try await api.call("GET", "/v1/browsers/\(browser)/events?limit=1000", body: [], mediaType: "")
    return String(decoding: answer.body, as: UTF8.self)
  }

  /// Plays what was written on a new service.
  func replayedLog() async throws -> String {
    let files = written.withLock { $0 }
    let scenario = try ScenarioReader(readFile: { files[$0] ?? [] }).read(Array(file.utf8))
    let sites = try SimulatedSites(registrableDomain: { $0 })
    let record = RecordingTransport(sites, now: { scenario.browser.start })
    let api = try await Self.service(record, recorder: nil)
    let stage = ScenarioStage(
      call: { call in
        let answer = try await api.call(call.method, call.path, body: call.body, mediaType: call.mediaType)
        return ScenarioStage.Answer(status: answer.status, body: answer.body)
      }, restart: {})
    let result = try await ScenarioPlayer(stage: stage, record: record, sites: sites).play(scenario)
    #expect(result.failure == nil, "\(result.json.text)\n\(file)")
    return try await Self.log(of: api, browser: ScenarioPlayer.browser)
  }
}
