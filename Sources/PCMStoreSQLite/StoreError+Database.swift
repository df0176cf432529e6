import GRDB
import PCMStore

extension StoreError {
  /// Returns the error to throw for an internal one. Errors of the database become `unavailable` with SQLite's message,
  /// without the statement and its values. Errors of the body stay as they are.
  static func leaving(_ error: any Error) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    return Self.unavailable("\(error.message ?? "unknown error") (SQLite code \(error.extendedResultCode.rawValue))")
  }

  /// Returns the error for a row with an invalid value.
  static func corrupt(table: String, column: String) -> StoreError {
    .unavailable("a row of the table \(table) cannot be read back: its \(column) is not valid")
  }
}
