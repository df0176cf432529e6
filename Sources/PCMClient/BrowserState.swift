public import Foundation

/// A browser as the service describes it.
public struct BrowserState: Hashable, Sendable, Decodable {
  /// What it is called.
  public let name: String
  /// Where it lives.
  public let storage: Storage
  /// What its chance is drawn from; drawn itself when nobody gave one.
  public let seed: String
  /// Its clock.
  public let clock: Clock
  /// What its user has switched on and off.
  public let settings: BrowserSettings

  /// A clock and what it shows.
  public struct Clock: Hashable, Sendable, Decodable {
    /// Who moves it.
    public let mode: Mode
    /// What it shows.
    public let now: Date

    /// Who moves a clock.
    public struct Mode: Term {
      /// The value as the service writes it.
      public let rawValue: String

      /// Any word, known or not.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// The machine's time.
      public static let real = Mode("real")
      /// Moves by `Browser.advance` only.
      public static let manual = Mode("manual")
    }
  }
}

/// Which clock a new browser gets.
public struct BrowserClock: Hashable, Sendable, Encodable {
  private let mode: BrowserState.Clock.Mode
  private let now: Date?

  /// The machine's time.
  public static let real = BrowserClock(mode: .real, now: nil)

  /// A clock that only `Browser.advance` moves. It starts on 20 November 2026 at 10:00 UTC, in every run the same.
  public static let manual = manual(startingAt: Date(timeIntervalSince1970: 1_795_168_800))

  /// A clock that only `Browser.advance` moves, from this instant on.
  public static func manual(startingAt start: Date) -> BrowserClock { BrowserClock(mode: .manual, now: start) }
}

/// Where a browser lives.
public struct Storage: Term {
  /// The value as the service writes it.
  public let rawValue: String

  /// Any word, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// On disk: it survives the service, even when the service is killed.
  public static let durable = Storage("durable")
  /// It goes with the service.
  public static let memory = Storage("memory")
}

/// What a browser's user, or the tester, can switch.
public struct BrowserSettings: Hashable, Sendable, Codable {
  /// Whether clicks are measured at all. True by default.
  public var measurementEnabled: Bool
  /// Whether it is a private session, which measures only the click in its one slot. False by default.
  public var privateBrowsing: Bool
  /// Whether reports go out after ten seconds, as with Safari's debug mode. False by default.
  public var debugMode: Bool
  /// What happens to reports that do not arrive. As WebKit does it by default.
  public var deliveryPolicy: DeliveryPolicy
  /// Where the source's report goes. To the well-known path by default.
  public var reportURL: ReportURL
  /// How much of the event log is kept.
  public var logRetention: LogRetention

  /// Every setting has the service's default.
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

  /// Reads the settings in an answer of the service.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      measurementEnabled: try members.decode(Bool.self, forKey: .measurementEnabled),
      privateBrowsing: try members.decode(Bool.self, forKey: .privateBrowsing),
      debugMode: try members.decode(Bool.self, forKey: .debugMode),
      deliveryPolicy: try members.decode(DeliveryPolicy.self, forKey: .deliveryPolicy),
      reportURL: try members.decode(ReportURL.self, forKey: .reportURL),
      // Services of earlier versions keep the whole log and do not say so.
      logRetention: try members.decodeIfPresent(LogRetention.self, forKey: .logRetention) ?? LogRetention())
  }

  /// What happens to reports that do not arrive.
  public struct DeliveryPolicy: Term {
    /// The value as the service writes it.
    public let rawValue: String

    /// Any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Each half of a report is sent at most once, and lost on any failure.
    public static let webkit = DeliveryPolicy("webkit")
    /// Sent again until the endpoint accepts it.
    public static let reliable = DeliveryPolicy("reliable")
  }

  /// Where the source's report goes.
  public struct ReportURL: Term {
    /// The value as the service writes it.
    public let rawValue: String

    /// Any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// To the well-known path of the registrable domain, as Apple documents.
    public static let wellKnown = ReportURL("wellKnown")
    /// To the URL of the manifest, exactly as written.
    public static let manifest = ReportURL("manifest")
  }
}
