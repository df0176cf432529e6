import PCMStore

/// An error of PostgreSQL or of the connection to it. The text has the server's message, but not its details, which contain values.
struct PostgresError: Error, Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// No connection could be made.
    case unreachable
    /// The connection ended, or leads to a server that no longer accepts writes.
    case lost
    /// The connection ended during the commit, and whether it took effect cannot be read.
    case unknownOutcome
    /// Another transaction interfered. A repetition may succeed.
    case conflict
    /// The disk of the server is full.
    case full
    /// The server rejected a statement.
    case rejected
  }

  let kind: Kind
  let text: String

  init(_ kind: Kind, _ text: String) {
    (self.kind, self.text) = (kind, text)
  }

  /// Creates the error that a result contains.
  init(_ result: PostgresRows) {
    let code = result.errorField("C") ?? ""
    // An error of the severity FATAL or PANIC ends the session. This field is not translated.
    let (known, endsSession) = (Kind(code: code), result.errorField("V") != "ERROR")
    let kind = endsSession && known != .full ? .lost : known
    // A privilege is missing when the tables are created, at the start. The schema of another user seems to be missing.
    let remedy =
      switch code {
      case "42501": "; grant the user CREATE on it"
      case "3F000": "; use the user that created the schema pcm_browser"
      default: ""
      }
    self.init(kind, result.errorField("M").map { "\($0) (\(code))\(remedy)" } ?? "the connection to the server ended")
  }
}

extension PostgresError.Kind {
  /// The kind of an SQLSTATE, from appendix A of PostgreSQL's documentation.
  init(code: String) {
    switch code {
    case "40001", "40P01", "55P03": self = .conflict
    case "53100": self = .full
    // A standby, or a server that was demoted to one.
    case "25006": self = .lost
    default: self = .rejected
    }
  }
}

extension StoreError {
  /// Returns the error to throw for an internal error. Errors of the body stay as they are.
  static func leaving(_ error: any Error) -> any Error {
    guard let error = error as? PostgresError else { return error }
    return switch error.kind {
    case .full: Self.full
    case .unknownOutcome: Self.unknownOutcome(error.text)
    case .unreachable, .lost, .conflict, .rejected: Self.unavailable(error.text)
    }
  }
}
