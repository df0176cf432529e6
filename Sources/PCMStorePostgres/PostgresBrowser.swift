import PCMCore
import PCMStore

/// One browser's rows in a writer's transaction, which has locked the browser's row, or in a reader's snapshot.
///
/// The topics are in extensions, each with its statements as constants, so that a test can check PostgreSQL's plan for all of them.
final class PostgresBrowser: BrowserWriter, SQLReader {
  static let sql = ReadingSQL(mark: "$")
  let transaction: PostgresTransaction
  let id: Int64
  /// The requests of the service, which create browsers, are kept under this number. No browser has it.
  static let service: Int64 = 0
  var head: Head
  var appended: [any BrowserEvent] = []

  /// Returns the rows of the service's requests.
  static func service(in transaction: PostgresTransaction) -> PostgresBrowser {
    PostgresBrowser(
      in: transaction, id: service, Head(state: BrowserState(now: .earliest), nextSequence: 1, lastEventAt: nil))
  }

  /// The contents of the browser's row: its state, and the end of its log.
  struct Head: Equatable {
    var state: BrowserState
    var nextSequence: Int64
    var lastEventAt: Instant?
  }

  init(in transaction: PostgresTransaction, id: Int64, _ head: Head) {
    (self.transaction, self.id, self.head) = (transaction, id, head)
  }

  func rows<Value>(
    _ sql: String, _ values: [any ColumnValue], of table: String, _ decode: (inout RowReader) throws -> Value
  ) throws -> [Value] {
    try transaction.rows(sql, values, of: self.table(table), decode)
  }

  func table(_ name: String) -> BrowserTable { BrowserTable(browser: id, name: name) }

  /// The size of the database has no limit that a removal may exceed.
  func beginRemoval() {}
}
