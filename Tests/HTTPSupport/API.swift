package import BrowserSupport
package import Foundation
package import HTTPTypes
package import Hummingbird
package import HummingbirdTesting
import NIOConcurrencyHelpers
import NIOCore
import PCMApp
import PCMBrowser
package import PCMCore
import PCMDevTools
package import PCMHTTP
import PCMManifest
import PCMNetwork
package import PCMStore
package import PCMURL
import Testing

/// The control API without a socket, on an empty memory store, with an app and a browser called `test`.
package struct API: Sendable {
  private let client: any TestClientProtocol

  package init(client: any TestClientProtocol) { self.client = client }

  /// Where the repository's fixtures are.
  package static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures")

  /// A tap that the app `news-reader` reports.
  package static let eventAttribution = """
    {"bundleIdentifier":"com.example.news","sourceIdentifier":4,"destinationURL":"https://shop.example/tabletStandDeluxe.html",\
    "sourceDescription":"Banner ad for Tablet Stand Deluxe.","purchaser":"Shop Example, Inc.","tapVerified":true}
    """
  /// A pixel that is redirected to a trigger URL.
  package static let trigger = """
    {"firstPartyURL":"https://shop.example/thanks","redirect":{"from":"https://news.example/pixel",\
    "to":"https://news.example/.well-known/private-click-measurement/trigger-attribution/12/03"}}
    """

  /// A scenario with one tap, as YAML.
  package static let scenario = """
    scenario: A tap is stored
    rule: "section 2"
    apps:
      com.example.news: { reportEndpoint: "https://news.example" }
    steps:
      - event-attribution: { bundleIdentifier: com.example.news, sourceIdentifier: 4, destinationURL: "https://shop.example/" }
        expect: { outcome: stored }

    """

  /// The routes of the API, on a new set of browsers. The first browser has the seed `drawn`.
  package static func router(
    store: any Store = MemoryStore(), transport: ScriptedTransport = ScriptedTransport(), access: AccessRules = .open,
    maximumBrowserCount: Int = Browsers.standardMaximumCount, scenariosAtATime: Int = ScenarioPlaying.standardCount,
    sites: SiteParser = SiteParser(publicSuffixList: .builtIn()), website: Website = .none,
    wallClock: @escaping @Sendable () -> Instant = { Scene.start },
    sleep: @escaping @Sendable (Instant) async throws -> Void = Scene.noSleep
  ) async throws -> Router<APIContext> {
    let environment = BrowserEnvironment(
      transport: transport, route: NetworkRoute(), sites: sites, wallClock: wallClock, sleep: sleep)
    let realTime = RealTime(wallClock: environment.wallClock, sleep: { _ in throw CancellationError() })
    let draws = NIOLockedValueBox(0)
    let browsers = Browsers(
      environment: environment, durable: store, ephemeral: MemoryStore(), realTime: realTime,
      newSeed: {
        let number = draws.withLockedValue { number in
          number += 1
          return number
        }
        return number == 1 ? "drawn" : "\(number)-drawn"
      }, maximumCount: maximumBrowserCount)
    try await browsers.load()
    let stages = ScenarioStages(sites: sites)
    let api = ControlAPI(
      browsers: browsers, manifests: ManifestReader(parseURL: { try? sites.url($0) }),
      scenarios: ScenarioPlaying(most: scenariosAtATime) { try await stages.play($0) },
      attachments: Attachments(
        environment: BrowserAttachment.Environment(
          uptime: { .zero }, now: { Scene.start }, pause: { _ in throw CancellationError() },
          draw: { [UInt8](repeating: 5, count: $0) })), website: website,
      checkReady: { try await store.checkWritable() })
    return api.router(access: access)
  }

  /// Runs a test with the API, which has the app `news-reader` and the browser `test`.
  package static func test(
    store: any Store = MemoryStore(), transport: ScriptedTransport = ScriptedTransport(),
    wallClock: @escaping @Sendable () -> Instant = { Scene.start },
    _ body: @escaping @Sendable (API) async throws -> Void
  ) async throws {
    let router = try await router(store: store, transport: transport, wallClock: wallClock)
    try await Application(router: router).test(.router) { client in
      let api = API(client: client)
      let clock = #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"},"seed":"seed"}"#
      #expect(try await api.call(.put, "/v1/browsers/test", clock).status == 201)
      #expect(try await api.put(manifest: "news-reader").status == 200)
      try await body(api)
    }
  }

  /// A router's answer to one call.
  package static func answer(
    of router: Router<APIContext>, to call: @escaping @Sendable (API) async throws -> Answer
  ) async throws -> Answer {
    try await Application(router: router).test(.router) { try await call(API(client: $0)) }
  }

  /// Returns a text without the line feed at the end of JSON.
  package static func line(_ text: String) -> String { text.hasSuffix("}\n") ? String(text.dropLast()) : text }

  /// A response that is read to its end.
  package struct Answer: Sendable {
    package let status: Int
    package let headers: HTTPFields
    package let bytes: [UInt8]

    /// The body without the line feed at the end of JSON.
    package var text: String { API.line(String(decoding: bytes, as: UTF8.self)) }

    /// The members of a JSON object.
    package var object: [String: Any] {
      get throws { try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]) }
    }

    /// A member of a JSON object, which has a type.
    package func member<Value>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
      try #require(try object[name] as? Value, "\(name) in \(text)")
    }

    /// The JSON pointers of a problem document.
    package var pointers: [String] {
      get throws { (try object["errors"] as? [[String: Any]] ?? []).compactMap { $0["pointer"] as? String } }
    }
  }

  /// Sends a request whose body is a text, such as malformed JSON.
  @discardableResult
  package func call(
    _ method: HTTPRequest.Method, _ path: String, _ body: String = "", type: String? = "application/json"
  ) async throws -> Answer {
    try await call(method, path, bytes: Array(body.utf8), type: type)
  }

  /// Sends bytes.
  ///
  /// - Parameter type: The media type of a body that is not empty.
  @discardableResult
  package func call(
    _ method: HTTPRequest.Method, _ path: String, bytes: [UInt8] = [], type: String? = nil, headers: HTTPFields = [:]
  ) async throws -> Answer {
    var headers = headers
    if !bytes.isEmpty, let type { headers[.contentType] = type }
    return try await client.execute(
      uri: path, method: method, headers: headers, body: bytes.isEmpty ? nil : ByteBuffer(bytes: bytes)
    ) { Answer(status: $0.status.code, headers: $0.headers, bytes: Array($0.body.readableBytesView)) }
  }

  /// Registers an app of the fixtures with the browser `test`.
  package func put(manifest name: String) async throws -> Answer {
    let data = try Data(contentsOf: Self.fixtures.appendingPathComponent("manifests/\(name)/Info.plist"))
    return try await call(.put, "/v1/browsers/test/apps", bytes: Array(data), type: "application/x-plist")
  }
}
