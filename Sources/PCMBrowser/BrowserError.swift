package import PCMCore

/// What a caller asked for and cannot have. Whatever a browser would silently drop is no error but an outcome.
package enum BrowserError: Error, Hashable, Sendable {
  /// Members that are well-formed but impossible, each with what is wrong and how to mend it.
  case invalidInput([InputError])
  case unknownBrowser(name: String)
  case unknownReport(id: String)
  case unknownApp(bundleIdentifier: String)
  /// Something to be explained that the log does not know.
  case unknownSubject(kind: String, name: String)
  /// The request contradicts what the browser is.
  case conflict(String)
}
