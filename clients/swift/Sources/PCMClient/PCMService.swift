public import Foundation

/// The location of a pcm-browser service.
///
/// ```swift
/// let service = PCMService(url: "http://127.0.0.1:8726", timeout: .seconds(10))
/// #expect(service.token == nil)  // The service has no authentication.
/// try await PCMService.fromEnvironment.checkReadiness()
/// ```
public struct PCMService: Hashable, Sendable {
  /// The base URL without a path: `http://127.0.0.1:8726`.
  public let url: String
  /// The token for `Authorization: Bearer`; nil for a service without authentication.
  public let token: String?
  /// The timeout of a call, which includes the reports that `advance` sends. Calls that wait add their own timeout.
  public let timeout: Duration

  /// Creates a location. The default is a service on this machine with its default settings.
  public init(url: String = PCMService.defaultURL, token: String? = nil, timeout: Duration = .seconds(60)) {
    self.url = String(url.reversed().drop { $0 == "/" }.reversed())
    self.token = token
    self.timeout = timeout
  }

  /// The default URL of `pcm-browser serve`.
  public static let defaultURL = "http://127.0.0.1:8726"

  /// The service at `PCM_BROWSER_URL`, or else at `defaultURL`, with the token in `PCM_BROWSER_API_TOKEN`, if set.
  public static var fromEnvironment: PCMService { PCMService(environment: ProcessInfo.processInfo.environment) }

  package init(environment: [String: String]) {
    let named = ["PCM_BROWSER_URL", "PCM_BROWSER_API_TOKEN"].map { name in
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    self.init(url: named[0] ?? Self.defaultURL, token: named[1])
  }
}

extension PCMService {
  /// Returns when the service is running.
  public func checkHealth() async throws {
    try await connection.send("GET", "/healthz")
  }

  /// Returns when the service is ready to store data.
  public func checkReadiness() async throws {
    try await connection.send("GET", "/readyz")
  }

  /// Returns the service's metrics in the text format of Prometheus.
  public func metrics() async throws -> String {
    String(decoding: try await connection.send("GET", "/metrics"), as: UTF8.self)
  }

  /// Returns the service's OpenAPI document as JSON.
  public func openAPI() async throws -> Data {
    try await connection.send("GET", "/openapi.json")
  }

  /// Returns all browsers, including `default`.
  ///
  /// - Parameter labels: Returns only the browsers that have all these labels.
  public func browsers(labels: [String: String] = [:]) async throws -> [BrowserState] {
    try await connection.items("/v1/browsers", filters: ["label": Set(labels.map { "\($0.key)=\($0.value)" })])
  }

  /// Returns an existing browser.
  ///
  /// - Throws: `ServiceError` with status 404 when the browser does not exist.
  public func browser(_ name: String) async throws -> Browser {
    let browser = Browser(name: name, connection: connection)
    _ = try await browser.state()
    return browser
  }

  /// Creates a browser, or returns an existing browser that was created in the same way.
  ///
  /// - Parameters:
  ///   - labels: Up to 16 labels, by which `browsers(labels:)` finds the browser.
  ///   - idleTimeout: The time without any request after which the service removes the browser, from one minute to 30 days;
  ///     nil for never.
  /// - Throws: `ServiceError` with status 409 when a browser of this name was created in another way.
  public func createBrowser(
    _ name: String, clock: BrowserClock, seed: String? = nil, storage: Storage = .durable,
    settings: BrowserSettings = BrowserSettings(), labels: [String: String] = [:], idleTimeout: Duration? = nil
  ) async throws -> Browser {
    let path = "/v1/browsers/\(name.pathPart)"
    if let start = clock.start { try connection.checkInstantOfClock(start, for: "PUT", path) }
    let body: Members = [
      "storage": storage, "seed": seed, "clock": clock, "settings": settings, "labels": labels, "idleTimeout": idleTimeout,
    ]
    let _: BrowserState = try await connection.call("PUT", path, body)
    return Browser(name: name, connection: connection)
  }

  /// Deletes a browser and all its data.
  public func deleteBrowser(_ name: String) async throws {
    try await connection.send("DELETE", "/v1/browsers/\(name.pathPart)")
  }

  private var connection: Connection { Connection(service: self) }
}

/// The entry point for tests: `let browser = try await PCM.browser("checkout", clock: .manual)`.
///
/// ```swift
/// let browser = try await PCM.browser("checkout", clock: .manual, network: .simulated)
/// try await browser.register(app: "com.example.news", reportEndpoint: "https://news.example")
/// ```
public enum PCM {
  /// Creates a browser for a test. An existing browser of the same name is deleted first, so that no data of an earlier run
  /// remains.
  ///
  /// - Parameters:
  ///   - name: 1 to 200 bytes of printable characters in UTF-8, such as the identifier of the test. Concurrent tests need
  ///     different names.
  ///   - clock: The clock. The default is a clock that only the test advances.
  ///   - seed: The seed of the browser's random numbers. The same seed, calls, and virtual times produce identical results.
  ///     The default is the name, so that each run of a test is the same.
  ///   - storage: The storage. The default is ephemeral: the browser is lost when the service stops.
  ///   - settings: The settings of the browser.
  ///   - labels: The labels of the browser, such as the number of the CI job.
  ///   - idleTimeout: The time without any request after which the service removes the browser; nil for never.
  ///   - network: The network that responds to the browser's requests. With `.simulated`, no connection leaves the service.
  ///   - service: The service. The default is the service at `PCM_BROWSER_URL`, with the token in `PCM_BROWSER_API_TOKEN`.
  /// - Throws: `ServiceError` when the service returns an error or does not respond.
  public static func browser(
    _ name: String, clock: BrowserClock = .manual, seed: String? = nil, storage: Storage = .ephemeral,
    settings: BrowserSettings = BrowserSettings(), labels: [String: String] = [:], idleTimeout: Duration? = nil,
    network: Network = .real, on service: PCMService = .fromEnvironment
  ) async throws -> Browser {
    do {
      try await service.deleteBrowser(name)
    } catch let error as ServiceError where error.status == 404 {
      // The browser did not exist.
    }
    let browser = try await service.createBrowser(
      name, clock: clock, seed: seed ?? name, storage: storage, settings: settings, labels: labels, idleTimeout: idleTimeout)
    Browser.created?(browser)
    if network != .real { try await browser.use(network) }
    return browser
  }
}
