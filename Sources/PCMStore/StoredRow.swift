package import PCMCore

/// A row of a table of one browser. It is found by its key, and listed in groups in the order of its positions.
///
/// A store keeps rows of each type in the same way. A database keeps their columns, and a store in memory the rows themselves.
package protocol StoredRow: Sendable {
  associatedtype RowKey: Hashable & Comparable & Sendable
  associatedtype Position: Hashable & Comparable & ColumnValue & Sendable = RowKey

  static var table: RowTable { get }

  var rowKey: RowKey { get }
  /// The values of the key's columns.
  static func columns(of key: RowKey) -> [any ColumnValue]
  /// The part of the table that lists read; nil for a table without groups.
  var group: StoredValue? { get }
  /// The place in the group. It is unique there.
  var position: Position { get }
  /// The time by which the row is listed; nil when no time concerns it.
  var time: Instant? { get }
  /// The number of bytes that count toward the total of a table with sizes.
  var countedSize: Int { get }
  /// All times, which a store checks before it writes the row.
  var times: [Instant?] { get }
  /// Whether a site is the source or the destination.
  func names(_ site: Site) -> Bool

  /// The values of the table's columns, in their order.
  var columns: [any ColumnValue] { get }
  init(columns: inout RowReader) throws

  /// The rows of a browser in memory.
  static func table(in tables: MemoryTables) -> MemoryTable<Self>
  // The compiler specializes these for each type of row.
  static func row(_ key: RowKey, in tables: MemoryTables) -> Self?
  static func rows(_ query: RowQuery<Self>, in tables: MemoryTables) -> [Self]
  static func set(_ row: Self?, for key: RowKey, in tables: MemoryTables) throws(StoreError)
}

extension StoredRow {
  package typealias Query = RowQuery<Self>

  package var group: StoredValue? { nil }
  package var time: Instant? { nil }
  package var times: [Instant?] { [time] }
  package var countedSize: Int { 0 }
  package func names(_ site: Site) -> Bool { false }

  package static func row(_ key: RowKey, in tables: MemoryTables) -> Self? { table(in: tables)[key] }

  package static func rows(_ query: RowQuery<Self>, in tables: MemoryTables) -> [Self] { table(in: tables).rows(query) }

  package static func set(_ row: Self?, for key: RowKey, in tables: MemoryTables) throws(StoreError) {
    let table = table(in: tables)
    let old = try table.set(row, for: key)
    // Restores a valid state, so this does not throw.
    tables.undo { _ = try? table.replace(old, for: key) }
  }
}

extension StoredRow where RowKey == Position {
  package var position: Position { rowKey }
}

extension StoredRow where RowKey: ColumnValue {
  package static func columns(of key: RowKey) -> [any ColumnValue] { [key] }
}

/// A list of rows. Its cost depends only on its result, except with `naming`.
package enum RowQuery<Row: StoredRow>: Sendable {
  /// The rows of a group after a position, in order; of all groups when it is nil.
  case after(Row.Position, in: StoredValue? = nil, limit: Int)
  /// The rows with a time, ordered by it and then by position, of a table that is listed by time as a whole.
  case earliest(limit: Int)
  /// The rows of a group whose time is before an instant, in the same order, of a table whose groups are listed by time.
  case before(Instant, in: StoredValue?)
  /// The rows of a group that name a site, ordered by position. It may read the group.
  case naming(Site, in: StoredValue)
  /// The first row in the group of a key whose key is equal to it or after it.
  case from(Row.RowKey)
}

/// The number of rows of a table, and their size in bytes.
package struct RowTotal: Hashable, Sendable {
  package var count = 0
  package var byteCount = 0

  package init() {}

  package init(count: Int, byteCount: Int) {
    (self.count, self.byteCount) = (count, byteCount)
  }

  /// Replaces the size of a row, or adds or removes one.
  package mutating func replace(_ old: Int?, by new: Int?) {
    count += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
    byteCount += (new ?? 0) - (old ?? 0)
  }
}

/// The columns and the orders of a table of rows.
package struct RowTable: Sendable {
  package let name: String
  /// The columns with their types, other than the browser's number. The first one identifies the row for people.
  package let columns: [String]
  /// The columns of the key.
  package let key: [String]
  /// The column of the group.
  package var group: String?
  /// The column of the position.
  package let position: String
  /// The columns of the order by time, the time first; empty when there is none.
  package var times: [String] = []
  /// Whether each group is listed by time, not the table.
  package var hasTimesOfGroups = false
  /// Whether the rows of a group are also listed by key.
  package var hasOrderOfKeys = false
  /// Whether the table has a total, with the sizes in the column `size`.
  package var hasSizes = false

  package var columnNames: [String] { columns.map { String($0.prefix { $0 != " " }) } }
  /// The columns of the primary key of a database, after the browser's number.
  package var primaryKey: [String] { (group.map(key.contains) == true ? [group].compactMap(\.self) : []) + [position] }
}
