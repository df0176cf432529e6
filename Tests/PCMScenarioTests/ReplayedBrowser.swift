import Logging
import PCMBrowser
import PCMCore
import PCMHTTP
import PCMNetwork
import PCMScenario
import PCMSimulatedSites
import PCMStore
import PCMURL
import Testing

@testable import PCMApp

/// A browser in a service of this process, whose calls are replayed.
struct ReplayedBrowser {
  let sites: SimulatedSites
  private let api: InProcessAPI

  init(network: [String: SiteBehavior] = [:]) async throws {
    sites = SimulatedSites(registrableDomain: { $0 })
    await sites.apply(network)
    api = try await Self.service(sites)
  }

  static func service(_ transport: any Transport, durable: any Store = MemoryStore()) async throws -> InProcessAPI {
    let parser = SiteParser(publicSuffixList: .builtIn())
    let start = try #require(Instant(text: "2026-11-20T10:00:00.000Z"))
    let environment = BrowserEnvironment(
      transport: transport, route: NetworkRoute(), sites: parser, wallClock: { start },
      sleep: { _ in throw CancellationError() })
    let service = BrowserService(environment: environment, durable: durable, ephemeral: MemoryStore(), newSeed: { "drawn" })
    try await service.browsers.load()
    return InProcessAPI(service.api, logger: Logger(label: "test"))
  }

  /// A browser on a manual clock, with an app.
  func begin() async throws {
    try await call(
      "PUT", "", #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"seed":"s","storage":"ephemeral"}"#)
    try await call("PUT", "/apps", Self.plist, mediaType: "application/x-plist")
  }

  /// - Parameter resource: `devices` for a call of the browser's device.
  func call(
    _ method: String, _ path: String, _ body: String = "", mediaType: String = "application/json",
    of resource: String = "browsers"
  ) async throws {
    let answer = try await api.call(method, "/v1/\(resource)/session\(path)", body: Array(body.utf8), mediaType: mediaType)
    #expect(
      (200..<300).contains(answer.status), "\(method) \(path): \(String(decoding: answer.body, as: UTF8.self))")
  }

  func put(_ behavior: SiteBehavior, at host: String) async throws {
    try await call("PUT", "/sites/\(host)", behavior.json.text)
  }

  func log() async throws -> String { try await Self.log(of: api, browser: "session") }

  static func log(of api: InProcessAPI, browser: String) async throws -> String {
    var (lines, cursor): ([String], String?) = ([], nil)
    repeat {
      let path = "/v1/browsers/\(browser)/events?limit=1000" + (cursor.map { "&cursor=\($0)" } ?? "")
      let answer = try await api.call("GET", path, body: [], mediaType: "")
      let page = try #require(JSON(parsing: answer.body))
      lines += try #require(page["items"]).items.map(\.text)
      cursor = page["next"]?.string
    } while cursor != nil
    return lines.joined(separator: "\n")
  }

  /// Returns the calls as a scenario.
  func scenario(status: Int = 200) async throws -> String {
    let answer = try await api.call("GET", "/v1/browsers/session/scenario", body: [], mediaType: "")
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(answer.status == status, "\(text)")
    return text
  }

  /// Returns the log of another service that played the calls.
  func replayedLog() async throws -> String { try await Self.log(ofReplaying: try await scenario()) }

  static func log(ofReplaying file: String) async throws -> String {
    let scenario = try ScenarioReader().read(Array(file.utf8))
    let parser = SiteParser(publicSuffixList: .builtIn())
    let sites = SimulatedSites(registrableDomain: { parser.site(ofHost: $0).site.domain })
    let record = RecordingTransport(sites, now: { scenario.browser.start })
    let api = try await Self.service(record)
    let stage = ScenarioStage(
      call: { call in
        let answer = try await api.call(call.method, call.path, body: call.body, mediaType: call.mediaType)
        return ScenarioStage.Response(status: answer.status, body: answer.body)
      }, restart: {})
    let result = try await ScenarioPlayer(stage: stage, record: record, sites: sites).play(scenario)
    #expect(result.failure == nil, "\(result.json.text)\n\(file)")
    return try await Self.log(of: api, browser: ScenarioPlayer.browser)
  }

  static let plist = """
    <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.news</string>\
    <key>NSAdvertisingAttributionReportEndpoint</key><string>https://news.example</string></dict></plist>
    """
  static let trigger = """
    {"firstPartyURL":"https://shop.example/","redirect":{"from":"https://news.example/p",\
    "to":"https://news.example/.well-known/private-click-measurement/trigger-attribution/12"}}
    """

  static func tap(_ more: String) -> String {
    #"{"bundleIdentifier":"com.example.news","sourceIdentifier":4,"destinationURL":"https://shop.example/"\#(more)}"#
  }
}
