public import Foundation

extension Browser {
  /// Registers an app with the bytes of its `Info.plist`, XML or binary, or replaces it.
  @discardableResult
  public func register(infoPlist: Data) async throws -> App {
    let body = Connection.Body(bytes: infoPlist, mediaType: "application/x-plist")
    return try await connection.call("PUT", "\(path)/apps", body: body)
  }

  /// Registers an app with its `Info.plist`, as it lies in the built app.
  @discardableResult
  public func register(infoPlistAt file: String) async throws -> App {
    try await register(infoPlist: Data(contentsOf: URL(fileURLWithPath: file)))
  }

  /// All registered apps.
  public func apps() async throws -> [App] {
    try await connection.items("\(path)/apps")
  }

  /// A registered app.
  public func app(_ bundleIdentifier: String) async throws -> App {
    try await connection.call("GET", "\(path)/apps/\(bundleIdentifier.pathPart)")
  }

  /// Forgets an app. Its clicks stay.
  public func remove(_ app: App) async throws {
    try await connection.send("DELETE", "\(path)/apps/\(app.bundleIdentifier.pathPart)")
  }
}

/// A registered app, as its `Info.plist` describes it.
public struct App: Hashable, Sendable, Decodable {
  /// `CFBundleIdentifier`.
  public let bundleIdentifier: String
  /// `NSAdvertisingAttributionReportEndpoint` as written; nil when it is missing.
  public let reportEndpoint: String?
  /// The site of the app's clicks; nil when the endpoint is missing or cannot be used.
  public let sourceSite: String?
  /// Where the source's reports go.
  public let reportURL: String?
  /// What its author should know.
  public let findings: [Finding]

  /// Something about a manifest.
  public struct Finding: Hashable, Sendable, Decodable {
    /// A stable name: `endpoint-missing`.
    public let code: String
    /// How bad it is.
    public let severity: Severity
    /// What it is, for people.
    public let detail: String

    /// How bad a finding is.
    public struct Severity: Term {
      /// The value as the service writes it.
      public let rawValue: String

      /// Any word, known or not.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// Clicks from the app are discarded.
      public static let error = Severity("error")
      /// Clicks count, but something does not have the effect that the author may expect.
      public static let warning = Severity("warning")
      /// Good to know.
      public static let info = Severity("info")
    }
  }
}
