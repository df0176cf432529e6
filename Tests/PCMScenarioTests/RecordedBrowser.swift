import Logging
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMDelivery
import PCMHTTP
import PCMScenario
import PCMSimulation
import PCMSites
import PCMStore
import Testing

@testable import PCMApp

/// A service with a recorder, called in this process, and the files that it wrote.
struct RecordedBrowser {
  let sites: SimulatedSites
  let browsers: Browsers
  private let api: InProcessAPI
  private let written = NIOLockedValueBox<[String: [UInt8]]>([:])

  /// The browsers whose recording ended, and the errors.
  private let failures = NIOLockedValueBox<[String]>([])
  private let fileCallCount = NIOLockedValueBox(0)

  struct FullDisk: Error {}

  /// - Parameters:
  ///   - maximumWrites: The number of transactions before the store rejects further ones.
  ///   - failingFileCall: The number of the creation of a file, or of a write to one, that fails.
  ///   - maximumByteCount: The maximum size of all recordings together.
  init(
    network: [String: SiteBehavior], maximumWrites: Int? = nil, failingFileCall: Int? = nil, maximumByteCount: Int = 1 << 30
  ) async throws {
    sites = SimulatedSites(registrableDomain: { $0 })
    await sites.apply(network)
    let (exchanges, written, failures, count) = (ExchangeRecorder(sites), written, failures, fileCallCount)
    let takeFileCall: @Sendable () throws -> Void = {
      let number = count.withLockedValue { count in
        count += 1
        return count
      }
      if number == failingFileCall { throw FullDisk() }
    }
    let files = ScenarioRecorder.Files(
      create: { name in
        try takeFileCall()
        return name
      },
      write: { name, bytes in
        try takeFileCall()
        written.withLockedValue { $0[name, default: []] += bytes }
      },
      fail: { browser, error in failures.withLockedValue { $0.append("\(browser): \(error)") } })
    (api, browsers) = try await Self.service(
      exchanges,
      recorder: {
        ScenarioRecorder(browsers: $0, network: exchanges, files: files, maximumByteCount: maximumByteCount)
      }, maximumWrites: maximumWrites)
  }

  static func service(
    _ transport: any Transport, durable: any Store = MemoryStore(), recorder: (Browsers) -> (any CallRecorder)? = { _ in nil },
    maximumWrites: Int? = nil
  ) async throws -> (InProcessAPI, Browsers) {
    let parser = SiteParser(publicSuffixList: .builtIn())
    let start = try #require(Instant(text: "2026-11-20T10:00:00.000Z"))
    let world = World(
      transport: transport, route: NetworkRoute(), sites: parser, wallClock: { start },
      sleep: { _ in throw CancellationError() })
    let service = BrowserService(
      world: world, durable: durable, ephemeral: LimitedStore(MemoryStore(), WriteLimit(maximumWrites)),
      newSeed: { "drawn" }, makeRecorder: recorder)
    try await service.browsers.load()
    return (InProcessAPI(service.api, logger: Logger(label: "test")), service.browsers)
  }

  /// The number of calls of the file system.
  var fileCalls: Int { fileCallCount.withLockedValue { $0 } }

  var failed: [String] { failures.withLockedValue { $0 } }

  var file: String { file(of: "session") }

  /// The text of each file by its name.
  var files: [String: String] { written.withLockedValue { $0.mapValues { String(decoding: $0, as: UTF8.self) } } }

  func file(of browser: String) -> String {
    written.withLockedValue { String(decoding: $0["\(browser).yaml"] ?? [], as: UTF8.self) }
  }

  /// A browser on a manual clock, with an app.
  func begin() async throws {
    try await call(
      "PUT", "", #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"seed":"s","storage":"ephemeral"}"#)
    try await call("PUT", "/apps", Self.plist, mediaType: "application/x-plist")
  }

  /// - Parameters:
  ///   - browser: A name; empty for the browsers as a whole.
  ///   - resource: `devices` for a call of the browser's device.
  func call(
    _ method: String, _ path: String, _ body: String = "", mediaType: String = "application/json", status: Int? = nil,
    browser: String = "session", of resource: String = "browsers"
  ) async throws {
    let answer = try await api.call(
      method, "/v1/\(resource)" + (browser.isEmpty ? "" : "/\(browser)") + path, body: Array(body.utf8), mediaType: mediaType)
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(status.map { answer.status == $0 } ?? (200..<300).contains(answer.status), "\(method) \(path): \(text)")
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

  /// The scenario of the API.
  func history() async throws -> String {
    let answer = try await api.call("GET", "/v1/browsers/session/scenario", body: [], mediaType: "")
    return String(decoding: answer.body, as: UTF8.self)
  }

  /// Plays what was written on a new service, and the scenario of the API, which leads to the same log.
  func replayedLog() async throws -> String {
    let answer = try await api.call("GET", "/v1/browsers/session/scenario", body: [], mediaType: "")
    let history = String(decoding: answer.body, as: UTF8.self)
    #expect(answer.status == 200, "\(history)")
    let files = written.withLockedValue { $0 }
    let log = try await Self.log(ofReplaying: file) { files[$0] ?? [] }
    #expect(try await Self.log(ofReplaying: history) == log, "\(history)")
    return log
  }

  static func log(
    ofReplaying file: String, readFile: @escaping (String) throws -> [UInt8] = { _ in [] }
  ) async throws -> String {
    let scenario = try ScenarioReader(readFile: readFile).read(Array(file.utf8))
    let parser = SiteParser(publicSuffixList: .builtIn())
    let sites = SimulatedSites(registrableDomain: { parser.site(ofHost: $0).site.domain })
    let record = RecordingTransport(sites, now: { scenario.browser.start })
    let (api, _) = try await Self.service(record)
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
