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
