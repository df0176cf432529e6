import Foundation

extension Browser {
  /// The address of the browser's page.
  public var url: String { "\(connection.service.url)/browsers/\(name.pathPart)" }

  /// Returns the page of the browser as one HTML file, which works without the service.
  public func trace() async throws -> String {
    String(decoding: try await connection.send("GET", "\(path)/trace", accept: "text/html"), as: UTF8.self)
  }

  /// Receives each browser that `PCM.browser` creates in a test.
  @TaskLocal package static var created: (@Sendable (Browser) -> Void)?
}
