import GRDB
import PCMCore
import PCMStore

/// The statements of a table of rows. The browser's number is first in each key, so that its rows are adjacent, and are copied
/// and removed without a search.
///
/// The position is in the primary key, and the row's key is a unique index. The other indexes then contain positions, not
/// names, and only one tree is written at random places.
final class TableSQL: Sendable {
  let table: RowTable
  let create: String
  let find: String
  /// The rows of a group, or of a table without groups.
  let after: String
  /// The rows of all groups.
  let afterInAll: String
  let earliest: String
  let before: String
  let oldest: String
  let naming: String
  let from: String
  let save: String
  let remove: String
  let removeAll: String
  let size: String
  let sizes: String

  init(_ table: RowTable) {
    self.table = table
    let (name, columns, position) = (table.name, table.columnNames, table.position)
    let list = columns.joined(separator: ", ")
    let select = "SELECT \(list) FROM \(name) WHERE browser = ?"
    let key = table.key.map { " AND \($0) = ?" }.joined()
    let group = table.group.map { " AND \($0) = ?" } ?? ""
    let rest = table.key.filter { $0 != table.group }.joined(separator: ", ")
    let (time, times) = (table.times.first ?? "", table.times.joined(separator: ", "))
    let others = columns.filter { !table.key.contains($0) }.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    create = Self.creation(of: table)
    find = select + key
    after = "\(select)\(group) AND \(position) > ? ORDER BY \(position) LIMIT ?"
    afterInAll = "\(select) AND \(position) > ? ORDER BY \(position) LIMIT ?"
    earliest = "\(select)\(table.isPartial ? " AND \(time) IS NOT NULL" : "") ORDER BY \(times) LIMIT ?"
    before = "\(select)\(group) AND \(time) < ? ORDER BY \(times)"
    oldest = "SELECT \(time) FROM \(name) WHERE browser = ?\(group) ORDER BY \(times) LIMIT 1"
    naming = "\(select)\(group) AND (source = ? OR destination = ?) ORDER BY \(position)"
    from = "\(select)\(group) AND (\(rest)) >= (\(Self.marks(table.key.count - 1))) ORDER BY \(rest) LIMIT 1"
    save = """
      INSERT INTO \(name) (browser, \(list)) VALUES (\(Self.marks(columns.count + 1)))
      ON CONFLICT (browser, \(table.key.joined(separator: ", "))) DO UPDATE SET \(others)
      """
    remove = "DELETE FROM \(name) WHERE browser = ?\(key)\(table.hasSizes ? " RETURNING size" : "")"
    removeAll = "DELETE FROM \(name) WHERE browser = ?\(group)"
    size = "SELECT size FROM \(name) WHERE browser = ?\(key)"
    sizes = "SELECT \(table.key[0]), size FROM \(name) WHERE browser = ?"
  }

  private static func marks(_ count: Int) -> String { Array(repeating: "?", count: max(0, count)).joined(separator: ", ") }

  private static func creation(of table: RowTable) -> String {
    let name = table.name
    let isGrouped = table.group.map(table.key.contains) ?? false
    let unique = table.primaryKey == table.key ? "" : ",\n  UNIQUE (browser, \(table.key.joined(separator: ", ")))"
    var sql = """
      CREATE TABLE \(name) (
        browser INTEGER NOT NULL\(table.hasSizes ? "" : " REFERENCES browsers ON DELETE CASCADE"),
        \(table.columns.joined(separator: ",\n  ")),
        PRIMARY KEY (browser, \(table.primaryKey.joined(separator: ", ")))\(unique)
      ) STRICT, WITHOUT ROWID;
      """
    if let group = table.group, !isGrouped {
      sql += "\nCREATE INDEX \(name)_by_\(group) ON \(name) (browser, \(group), \(table.position));"
    }
    if let time = table.times.first {
      let columns = (table.hasTimesOfGroups ? [table.group].compactMap(\.self) : []) + table.times
      sql += "\nCREATE INDEX \(name)_by_time ON \(name) (browser, \(columns.joined(separator: ", ")))"
      sql += table.isPartial ? " WHERE \(time) IS NOT NULL;" : ";"
    }
    return sql
  }

  static let tables: [any StoredRow.Type] = [
    AppRecord.self, SiteRecord.self, ClickRow.self, AttributionRow.self, Report.self, Postback.self, DeviceRow.self,
    JournalEntry.self, IdempotencyRecord.self,
  ]
  private static let all = Dictionary(uniqueKeysWithValues: tables.map { (ObjectIdentifier($0), TableSQL($0.table)) })

  static func of(_ type: (some StoredRow).Type) -> TableSQL { all[ObjectIdentifier(type)] ?? TableSQL(type.table) }
}

extension RowTable {
  /// Whether some rows have no time.
  fileprivate var isPartial: Bool { times.first.map { time in columns.contains("\(time) INTEGER") } ?? false }
}

extension SQLiteBrowser {
  func row<Row: StoredRow>(_ type: Row.Type, _ key: Row.RowKey) throws -> Row? {
    let sql = TableSQL.of(type)
    return try database.row(sql.find, [id] + Row.columns(of: key), of: sql.table.name) { try Row(columns: &$0) }
  }

  func rows<Row: StoredRow>(_ query: RowQuery<Row>) throws -> [Row] {
    let (sql, values) = try statement(of: query)
    guard let sql else { return [] }
    return try database.rows(sql, values, of: TableSQL.of(Row.self).table.name) { try Row(columns: &$0) }
  }

  /// Returns nil in place of a statement when there is no such row.
  private func statement<Row: StoredRow>(of query: RowQuery<Row>) throws -> (String?, [any ColumnValue]) {
    let sql = TableSQL.of(Row.self)
    switch query {
    case .after(let position, nil, let limit):
      return (sql.table.group == nil ? sql.after : sql.afterInAll, [id, position, bounded(limit)])
    case .after(let position, let group?, let limit): return (sql.after, [id, group, position, bounded(limit)])
    case .earliest(let limit): return (sql.earliest, [id, bounded(limit)])
    case .before(let instant, let group):
      let values: [any ColumnValue] = group.map { [id, $0] } ?? [id]
      return (try mayHaveRows(Row.self, before: instant, in: group) ? sql.before : nil, values + [instant])
    case .naming(let site, let group): return (sql.naming, [id, group, site.domain, site.domain])
    case .from(let key): return (sql.from, [id] + Row.columns(of: key))
    }
  }

  /// Returns whether a group may have rows before an instant.
  func mayHaveRows<Row: StoredRow>(_ type: Row.Type, before instant: Instant, in group: StoredValue?) throws -> Bool {
    try oldest.mayHaveRows(before: instant, in: Row.table, group) {
      try database.row(TableSQL.of(type).oldest, [id] + (group.map { [$0] } ?? []), of: Row.table.name) { try $0.instant() }
    }
  }

  func save<Row: StoredRow>(_ row: Row) throws {
    try row.requireStorableTimes()
    let sql = TableSQL.of(Row.self)
    oldest.note(row)
    if sql.table.hasSizes {
      var total = try total(of: Row.self)
      total.replace(
        try database.row(sql.size, [id] + Row.columns(of: row.rowKey), of: sql.table.name) { try $0.count() },
        by: row.countedSize)
      totals[sql.table.name] = total
    }
    try database.run(sql.save, [id] + row.columns)
  }

  func total<Row: StoredRow>(of type: Row.Type) throws -> RowTotal {
    if let known = totals[Row.table.name] { return known }
    let sizes = try database.rows(TableSQL.of(type).sizes, [id], of: Row.table.name) { row in
      _ = try row.text()
      // The sum of these sizes fits into 64 bits.
      return Int(try row.integer(in: 0...0x7FFF_FFFF))
    }
    let total = RowTotal(count: sizes.count, byteCount: sizes.reduce(0, +))
    totals[Row.table.name] = total
    return total
  }

  func remove<Row: StoredRow>(_ type: Row.Type, _ key: Row.RowKey) throws {
    let sql = TableSQL.of(type)
    let size = try database.row(sql.remove, [id] + Row.columns(of: key), of: sql.table.name) { try $0.count() }
    if let size { totals[sql.table.name]?.replace(size, by: nil) }
  }

  func removeAll<Row: StoredRow>(_ type: Row.Type, in group: StoredValue?) throws -> Int {
    try database.run(TableSQL.of(type).removeAll, [id] + (group.map { [$0] } ?? []))
    totals[Row.table.name] = nil
    return database.changesCount
  }
}
