import GRDB
import PCMCore
import PCMStore

/// One browser's rows on one connection, inside one transaction: the writer's with its cache, or a reader's without.
///
/// The topics are in extensions, each with its statements as constants, so that a test can ask SQLite how it would run
/// every one of them.
final class SQLiteBrowser: BrowserWriter {
  let database: Database
  let id: Int64
  /// Nil on a reader, which must see what is committed and nothing else.
  var cache: WriterCache.Entry?

  init(database: Database, id: Int64, cache: WriterCache.Entry? = nil) {
    self.database = database
    self.id = id
    self.cache = cache
  }

  /// All rows that a statement finds.
  func rows<Value>(
    _ sql: String, _ values: [any ColumnValue], of table: String, _ decode: (inout RowReader) throws -> Value
  ) throws -> [Value] {
    try PreparedStatement(sql, values, in: database).rows(of: table, decode)
  }

  /// The first row that a statement finds.
  func row<Value>(
    _ sql: String, _ values: [any ColumnValue], of table: String, _ decode: (inout RowReader) throws -> Value
  ) throws -> Value? {
    try PreparedStatement(sql, values, in: database).rows(of: table, limit: 1, decode).first
  }

  func execute(_ sql: String, _ values: [any ColumnValue]) throws {
    try PreparedStatement(sql, values, in: database).execute()
  }

  /// A limit for SQLite, which takes a negative one for none.
  func bounded(_ limit: Int) -> Int { max(0, limit) }
}
