#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The process's environment variables that mean something here.
enum Environment {
  static var apiToken: String? { ProcessInfo.processInfo.environment["PCM_BROWSER_API_TOKEN"] }

  static var adminToken: String? { ProcessInfo.processInfo.environment["PCM_BROWSER_ADMIN_TOKEN"] }

  static var logFormat: String? { ProcessInfo.processInfo.environment["PCM_BROWSER_LOG_FORMAT"] }

  /// Whether colours are wanted by whoever has a terminal that shows them (no-color.org).
  static var allowsColour: Bool {
    let environment = ProcessInfo.processInfo.environment
    return environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }
}
