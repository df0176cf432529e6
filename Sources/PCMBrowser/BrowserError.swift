import PCMCore

/// What a caller asked for and cannot have. Whatever a browser would silently drop is no error but an outcome.
package enum BrowserError: Error, Hashable, Sendable {
  /// Members that are well-formed but impossible, each with what is wrong and how to mend it.
  case invalidInput([InputProblem])
  case unknownBrowser(name: String)
  case unknownReport(id: String)
  case unknownApp(bundleIdentifier: String)
  /// Something to be explained that the log does not know.
  case unknownSubject(kind: String, name: String)
  /// The request contradicts what the browser is.
  case conflict(String)
}

/// One member of an input that cannot be.
package struct InputProblem: Hashable, Sendable {
  /// The path to the member, as its names: `["redirect", "to"]`; empty for the whole input.
  package let path: [String]
  package let detail: String
  /// A reason code where one exists.
  package let code: String?

  package init(_ path: [String], _ detail: String, code: String? = nil) {
    self.path = path
    self.detail = detail
    self.code = code
  }
}
