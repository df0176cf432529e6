public import Foundation

extension Browser {
  /// Registers an app, or replaces its registration, with the bytes of an `Info.plist` file in XML or binary format.
  @discardableResult
  public func register(infoPlist: Data) async throws -> App {
    let body = Connection.Body(bytes: infoPlist, mediaType: "application/x-plist")
    return try await connection.call("PUT", "\(path)/apps", body: body)
  }

  /// Registers an app with the `Info.plist` file of its bundle.
  @discardableResult
  public func register(infoPlistAt file: String) async throws -> App {
    try await register(infoPlist: Data(contentsOf: URL(fileURLWithPath: file)))
  }

  /// Registers an app by its report endpoint, for tests without an `Info.plist`, or replaces its registration.
  ///
  /// - Parameters:
  ///   - bundleIdentifier: `CFBundleIdentifier` of the app.
  ///   - reportEndpoint: `NSAdvertisingAttributionReportEndpoint`, such as `https://news.example`.
  ///   - itemIdentifier: The identifier of the app in the App Store.
  ///   - sdkVersion: The version of the iOS SDK with which the app was built, such as `18.2`; nil when it is unknown.
  ///   - signing: How the app is signed.
  ///   - platform: `ios` or `appClip`.
  @discardableResult
  public func register(
    app bundleIdentifier: String, reportEndpoint: String, itemIdentifier: Int? = nil, sdkVersion: String? = nil,
    signing: App.Signing = .store, platform: App.Platform = .ios
  ) async throws -> App {
    let registration: Members = [
      "reportEndpoint": reportEndpoint, "itemIdentifier": itemIdentifier, "sdkVersion": sdkVersion, "signing": signing,
      "platform": platform,
    ]
    return try await connection.call("PUT", "\(path)/apps/\(bundleIdentifier.pathPart)", registration)
  }

  /// Returns all registered apps.
  public func apps() async throws -> [App] {
    try await connection.items("\(path)/apps")
  }

  /// Returns a registered app.
  public func app(_ bundleIdentifier: String) async throws -> App {
    try await connection.call("GET", "\(path)/apps/\(bundleIdentifier.pathPart)")
  }

  /// Removes the registration of an app. Its clicks remain.
  public func remove(_ app: App) async throws {
    try await connection.send("DELETE", "\(path)/apps/\(app.bundleIdentifier.pathPart)")
  }
}

/// A registered app.
///
/// ```swift
/// let app = try await browser.register(app: "com.example.news", reportEndpoint: "https://www.news.example/")
/// #expect(app.sourceSite == "news.example")
/// #expect(!app.findings.contains { $0.severity == .error }, "\(app.findings)")
/// ```
public struct App: Hashable, Sendable, Decodable {
  /// `CFBundleIdentifier`.
  public let bundleIdentifier: String
  /// `NSAdvertisingAttributionReportEndpoint` as written; nil when the key is missing.
  public let reportEndpoint: String?
  /// The source site of the app's clicks; nil when the endpoint is missing or invalid.
  public let sourceSite: String?
  /// The URL of reports to the source; nil without a source site.
  public let reportURL: String?
  /// The identifier of the app in the App Store; nil when it is unknown.
  public let itemIdentifier: Int?
  /// The version of the SDK with which the app was built; nil when it is unknown.
  public let sdkVersion: String?
  /// How the app is signed.
  public let signing: Signing
  /// The platform of the app.
  public let platform: Platform
  /// The values for SKAdNetwork and AdAttributionKit in the manifest.
  public let adAttribution: AdAttribution
  /// Errors, warnings, and notes about the manifest.
  public let findings: [Finding]

  /// How an app is signed.
  public struct Signing: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// By the App Store or another marketplace.
    public static let store = Signing("store")
    /// For development.
    public static let development = Signing("development")
  }

  /// The platform of an app.
  public struct Platform: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An app for iPhone or iPad.
    public static let ios = Platform("ios")
    /// A Mac Catalyst app. The browser discards its clicks.
    public static let macCatalyst = Platform("mac-catalyst")
    /// An App Clip.
    public static let appClip = Platform("app-clip")
    /// An app for visionOS. The browser keeps its clicks, with a note.
    public static let visionOS = Platform("visionos")
  }

  /// An error, a warning, or a note about a manifest.
  public struct Finding: Hashable, Sendable, Decodable {
    /// A stable code: `endpoint-missing`.
    public let code: String
    /// The severity.
    public let severity: Severity
    /// A description for people.
    public let detail: String

    /// The severity of a finding.
    public struct Severity: Term {
      /// The string in the service's JSON.
      public let rawValue: String

      /// Creates a value from any string, known or not.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// The browser discards clicks from the app.
      public static let error = Severity("error")
      /// The browser measures clicks from the app, but a value may not have the intended effect, on the web or for app installs.
      public static let warning = Severity("warning")
      /// A note.
      public static let info = Severity("info")
    }
  }
}
