public import Foundation

/// The state of a browser.
///
/// ```swift
/// let state = try await browser.state()
/// #expect(state.clock.mode == .manual && state.storage == .ephemeral)
/// #expect(state.settings.measurementEnabled)
/// ```
public struct BrowserState: Hashable, Sendable, Decodable {
  /// The name of the browser.
  public let name: String
  /// Where the browser's data is stored.
  public let storage: Storage
  /// The seed of the browser's random numbers. The service generates one when a request has none.
  public let seed: String
  /// The browser's clock.
  public let clock: Clock
  /// The browser's settings.
  public let settings: BrowserSettings
  /// The device on which the browser runs.
  public let device: DeviceProperties
  /// The labels, by which `PCMService.browsers(labels:)` finds the browser.
  public let labels: [String: String]
  /// The time without any request after which the service removes the browser; nil for never.
  public let idleTimeout: Duration?
  /// The machine's time at the creation of the browser.
  public let createdAt: Date
  /// A text that is new with each creation of a browser of this name.
  public let incarnation: String

  /// The mode and the time of a clock.
  public struct Clock: Hashable, Sendable, Decodable {
    /// The mode of the clock.
    public let mode: Mode
    /// The initial time of the clock.
    public let start: Date
    /// The current time of the clock.
    public let now: Date
    /// By how much the clock is later than the machine's clock, because that was set back; nil when it is not.
    public let ahead: Duration?

    /// The mode of a clock.
    public struct Mode: Term {
      /// The string in the service's JSON.
      public let rawValue: String

      /// Creates a value from any string, known or not.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// The clock follows the machine's clock.
      public static let real = Mode("real")
      /// Only `Browser.advance` moves the clock.
      public static let manual = Mode("manual")
    }
  }
}

/// The clock of a new browser.
///
/// ```swift
/// let start = try Date("2027-01-01T00:00:00Z", strategy: .iso8601)
/// let browser = try await PCM.browser("new-year", clock: .manual(startingAt: start))
/// try await browser.advance(by: .days(7))
/// ```
public struct BrowserClock: Hashable, Sendable, Encodable {
  private let mode: BrowserState.Clock.Mode
  let start: Date?

  /// A clock that follows the machine's clock.
  public static let real = BrowserClock(mode: .real, start: nil)

  /// A clock that only `Browser.advance` moves. It starts on November 20, 2026, at 10:00 UTC.
  public static let manual = manual(startingAt: Date(timeIntervalSince1970: 1_795_168_800))

  /// A clock that only `Browser.advance` moves. It starts at the instant, from 1970 to 9998.
  public static func manual(startingAt start: Date) -> BrowserClock { BrowserClock(mode: .manual, start: start) }
}

/// Where a browser's data is stored.
///
/// ```swift
/// let browser = try await PCM.browser("kept", storage: .durable, on: service)
/// #expect(try await browser.state().storage == .durable)
/// ```
public struct Storage: Term {
  /// The string in the service's JSON.
  public let rawValue: String

  /// Creates a value from any string, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// On disk. The data survives a crash of the service.
  public static let durable = Storage("durable")
  /// In memory. The data is lost when the service stops.
  public static let ephemeral = Storage("ephemeral")
}

/// The settings of a browser.
///
/// ```swift
/// try await browser.change { $0.debugMode = true }
/// let outcome = try await browser.trigger(.pixel(of: "news.example", data: 12, on: "https://shop.example/thanks"))
/// #expect(outcome.outcome == .unmatched)  // No click is left.
///
/// let settings = BrowserSettings(deliveryPolicy: .reliable)
/// let reliable = try await PCM.browser("reliable", settings: settings)
/// #expect(try await reliable.state().settings == settings)
/// ```
public struct BrowserSettings: Hashable, Sendable, Codable {
  /// Whether the browser measures clicks. The default is true.
  public var measurementEnabled: Bool
  /// Whether the session is private. A private session keeps a single ephemeral click. The default is false.
  public var privateBrowsing: Bool
  /// Whether reports are sent after ten seconds, as in Safari's debug mode. The default is false.
  public var debugMode: Bool
  /// How the browser handles reports that are not delivered. The default is the behavior of WebKit.
  public var deliveryPolicy: DeliveryPolicy
  /// The URL of reports to the source. The default is the well-known path.
  public var reportURL: ReportURL
  /// How much of the event log the browser keeps.
  public var logRetention: LogRetention

  /// Creates settings with the service's defaults.
  public init(
    measurementEnabled: Bool = true, privateBrowsing: Bool = false, debugMode: Bool = false,
    deliveryPolicy: DeliveryPolicy = .webkit, reportURL: ReportURL = .wellKnown,
    logRetention: LogRetention = LogRetention()
  ) {
    self.measurementEnabled = measurementEnabled
    self.privateBrowsing = privateBrowsing
    self.debugMode = debugMode
    self.deliveryPolicy = deliveryPolicy
    self.reportURL = reportURL
    self.logRetention = logRetention
  }

  /// How the browser handles reports that are not delivered.
  public struct DeliveryPolicy: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Sends each report at most once. Any error loses the report.
    public static let webkit = DeliveryPolicy("webkit")
    /// Sends each report until the endpoint accepts it, for up to 30 days.
    public static let reliable = DeliveryPolicy("reliable")
  }

  /// The URL of reports to the source.
  public struct ReportURL: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The well-known path on the registrable domain, as Apple documents.
    public static let wellKnown = ReportURL("well-known")
    /// The URL in the manifest, exactly as written.
    public static let manifest = ReportURL("manifest")
  }
}

/// How much of a browser's event log is kept. The browser removes old events in blocks of 1,024 and logs each removal.
///
/// ```swift
/// let settings = BrowserSettings(logRetention: LogRetention(maximumCount: 10_000, maximumAge: .days(30)))
/// let browser = try await PCM.browser("soak", settings: settings)
/// #expect(try await browser.state().settings.logRetention.maximumCount == 10_000)
/// ```
public struct LogRetention: Hashable, Sendable, Codable {
  /// The minimum number of latest events to keep, from 1,000 to 1,000,000,000.
  public var maximumCount: Int
  /// The maximum age of an event on the browser's clock, from 1 day to 36,500 days.
  public var maximumAge: Duration

  /// Creates a retention with the service's defaults.
  public init(maximumCount: Int = 1_000_000, maximumAge: Duration = .days(400)) {
    self.maximumCount = maximumCount
    self.maximumAge = maximumAge
  }
}
