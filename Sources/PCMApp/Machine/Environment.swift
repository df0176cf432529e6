import Foundation
import PCMBrowser

/// The environment variables of the process that configure commands.
enum Environment {
  static var apiToken: String? { ProcessInfo.processInfo.environment["PCM_BROWSER_API_TOKEN"] }

  /// The address of a running service; nil for an empty text.
  static var serviceURL: String? { variables["PCM_BROWSER_URL"].flatMap { $0.isEmpty ? nil : $0 } }

  /// The address of the database of the durable browsers; nil for an empty text.
  static var store: String? { variables["PCM_BROWSER_STORE"].flatMap { $0.isEmpty ? nil : $0 } }

  static var adminToken: String? { ProcessInfo.processInfo.environment["PCM_BROWSER_ADMIN_TOKEN"] }

  static var logFormat: String? { ProcessInfo.processInfo.environment["PCM_BROWSER_LOG_FORMAT"] }

  /// The folder for files that outlive a command, in the user's folder for state (XDG Base Directory Specification).
  ///
  /// - Parameter option: The option that names another place, for the error of a user without a home.
  static func stateFolder(insteadOf option: String) throws(StartError) -> String {
    let environment = ProcessInfo.processInfo.environment
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 + "/.local/state" }
    // The specification ignores relative paths.
    guard let folder = [environment["XDG_STATE_HOME"], home].compactMap({ $0 }).first(where: { $0.hasPrefix("/") }) else {
      throw StartError(description: "neither XDG_STATE_HOME nor HOME names a folder; use \(option)")
    }
    return folder + "/pcm-browser"
  }

  /// The variables of the process.
  static var variables: [String: String] { ProcessInfo.processInfo.environment }
}

/// The limit on the process's open files and connections.
enum OpenFiles {
  /// The number of files that requests to sites, the store, and the rest need, without callers' connections.
  static let reserve = BrowserEnvironment.maximumRequestCount + 64

  /// The number of files that a server opens before its first connection, with some to spare. NIO ends the process when it
  /// cannot open its own.
  private static let minimum = 64

  /// Throws when a server cannot start.
  static func requireEnough() throws(StartError) {
    let limit = allow(minimum)
    guard limit < minimum else { return }
    throw StartError(
      description: "the limit on open files is \(limit), and at least \(minimum) are necessary; raise it with ulimit -n")
  }

  /// Raises the limit to the needed or the allowed number, and returns it.
  static func allow(_ wanted: Int) -> Int {
    var limit = rlimit()
    guard getrlimit(kind, &limit) == 0 else { return wanted }
    guard limit.rlim_cur < rlim_t(wanted) else { return wanted }
    limit.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
    _ = setrlimit(kind, &limit)
    guard getrlimit(kind, &limit) == 0 else { return wanted }
    return Int(clamping: limit.rlim_cur)
  }

  #if canImport(Glibc)
    private static var kind: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
  #else
    private static var kind: Int32 { RLIMIT_NOFILE }
  #endif
}
