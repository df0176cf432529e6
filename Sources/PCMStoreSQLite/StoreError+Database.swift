import GRDB
import PCMStore

extension StoreError {
  /// Returns the error to throw for an internal one. Errors of the database become `unavailable` with SQLite's message,
  /// without the statement and its values. Errors of the body stay as they are.
  static func leaving(_ error: any Error) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    guard error.resultCode != .SQLITE_FULL else { return Self.full }
    return Self.unavailable(error.message ?? "unknown error")
  }
}
