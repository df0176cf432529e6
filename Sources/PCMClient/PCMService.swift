public import Foundation

/// Where a pcm-browser service is.
public struct PCMService: Hashable, Sendable {
  /// Without a path: `http://127.0.0.1:8726`.
  public let url: String
  /// What is sent as `Authorization: Bearer`; nil for a service that wants none.
  public let token: String?
  /// How long a call may take, the sending of reports by `advance` included. Waiting calls have their own timeout on top.
  public let timeout: Duration

  /// A service that runs with its defaults on this machine, unless told otherwise.
  public init(url: String = PCMService.defaultURL, token: String? = nil, timeout: Duration = .seconds(60)) {
    self.url = String(url.reversed().drop { $0 == "/" }.reversed())
    self.token = token
    self.timeout = timeout
  }

  /// Where `pcm-browser serve` listens when it is not told otherwise.
  public static let defaultURL = "http://127.0.0.1:8726"

  /// The service at `PCM_BROWSER_URL`, or else at `defaultURL`, with the token `PCM_BROWSER_API_TOKEN` if there is one.
  public static var fromEnvironment: PCMService { PCMService(environment: ProcessInfo.processInfo.environment) }

  init(environment: [String: String]) {
    let named = ["PCM_BROWSER_URL", "PCM_BROWSER_API_TOKEN"].map { name in
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    self.init(url: named[0] ?? Self.defaultURL, token: named[1])
  }
}

extension PCMService {
  /// Returns when the process answers.
  public func checkHealth() async throws {
    try await connection.send("GET", "/healthz")
  }

  /// Returns when the service can store what it is told.
  public func checkReadiness() async throws {
    try await connection.send("GET", "/readyz")
  }

  /// The service's numbers, in the text format of Prometheus.
  public func metrics() async throws -> String {
    String(decoding: try await connection.send("GET", "/metrics"), as: UTF8.self)
  }

  /// The OpenAPI document of everything that the service understands, JSON.
  public func openAPI() async throws -> Data {
    try await connection.send("GET", "/openapi.json")
  }

  /// All browsers, `default` among them.
  public func browsers() async throws -> [BrowserState] {
    try await connection.items("/v1/browsers")
  }

  /// A browser that exists already.
  ///
  /// - Throws: `ServiceError` with status 404 when there is none of that name.
  public func browser(_ name: String) async throws -> Browser {
    let browser = Browser(name: name, connection: connection)
    _ = try await browser.state()
    return browser
  }

  /// Creates a browser, or updates one that has the same clock, seed and storage.
  ///
  /// - Throws: `ServiceError` with status 409 when the browser exists and is another.
  public func createBrowser(
    _ name: String, clock: BrowserClock, seed: String? = nil, storage: Storage = .durable,
    settings: BrowserSettings = BrowserSettings()
  ) async throws -> Browser {
    let body = BrowserRequest(storage: storage, seed: seed, clock: clock, settings: settings)
    let _: BrowserState = try await connection.call("PUT", "/v1/browsers/\(name.pathPart)", body)
    return Browser(name: name, connection: connection)
  }

  /// Deletes a browser and all that is its own.
  public func deleteBrowser(_ name: String) async throws {
    try await connection.send("DELETE", "/v1/browsers/\(name.pathPart)")
  }

  private var connection: Connection { Connection(service: self) }
}

private struct BrowserRequest: Encodable {
  let storage: Storage
  let seed: String?
  let clock: BrowserClock
  let settings: BrowserSettings
}

/// The way in: `let browser = try await PCM.browser("checkout", clock: .manual)`.
public enum PCM {
  /// A new browser for a test. One that has the same name is deleted first, so a test finds nothing of its last run.
  ///
  /// - Parameters:
  ///   - name: 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`. Tests that run at the same time need different names.
  ///   - clock: By default one that only the test moves.
  ///   - seed: The same seed, the same calls and the same virtual times give the same answers, to the bit. By default the
  ///     name, so that a test is the same in every run.
  ///   - storage: By default in memory: the browser goes with the service.
  ///   - settings: What the browser's user has switched on and off.
  ///   - service: By default the one that `PCM_BROWSER_URL` and `PCM_BROWSER_API_TOKEN` name.
  /// - Throws: `ServiceError` when the service refuses or does not answer.
  public static func browser(
    _ name: String, clock: BrowserClock = .manual, seed: String? = nil, storage: Storage = .memory,
    settings: BrowserSettings = BrowserSettings(), on service: PCMService = .fromEnvironment
  ) async throws -> Browser {
    do {
      try await service.deleteBrowser(name)
    } catch let error as ServiceError where error.status == 404 {
      // Nothing to delete, which is how it should be.
    }
    return try await service.createBrowser(name, clock: clock, seed: seed ?? name, storage: storage, settings: settings)
  }
}
