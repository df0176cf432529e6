import GRDB
import PCMStore

extension StoreError {
  /// What leaves the store for an error inside it: the database's own become `unavailable` with what SQLite said, without
  /// the statement and its values; everything else is the body's and passes.
  static func leaving(_ error: any Error) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    return Self.unavailable("\(error.message ?? "unknown error") (SQLite code \(error.extendedResultCode.rawValue))")
  }

  /// For a row whose values are not those of the type it was written from.
  static func corrupt(table: String, column: String) -> StoreError {
    .unavailable("a row of the table \(table) cannot be read back: its \(column) is not valid")
  }
}
