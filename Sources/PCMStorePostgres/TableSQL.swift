import PCMCore
import PCMStore

/// The statements of a table of rows. The browser's number is first in each key.
///
/// The position is in the primary key, and the row's key is a unique index. The other indexes then contain positions, not
/// names.
///
/// Without statistics, or with statistics of small browsers, the planner finds all indexes equally good for a row with a certain key.
/// Most of them would read all rows of its browser. The order of the first row that is not before the key determines the index.
final class TableSQL: Sendable {
  let table: RowTable
  let create: [String]
  let find: String
  /// The rows of a group, or of a table without groups.
  let after: String
  /// The rows of all groups.
  let afterInAll: String
  let earliest: String
  let before: String
  /// The time of the oldest row of a group.
  let oldest: String
  let naming: String
  let from: String
  let save: RowInsertion
  let remove: String
  let removeAll: String
  /// The number and the size of the rows of a table with sizes.
  let total: String

  init(_ table: RowTable) {
    self.table = table
    let (name, columns, position) = (table.name, table.columnNames, table.position)
    let list = columns.joined(separator: ", ")
    let select = "SELECT \(list) FROM \(name) WHERE browser = ?"
    let group = table.group.map { " AND \($0) = ?" } ?? ""
    let (time, times) = (table.times.first ?? "", table.times.joined(separator: ", "))
    let others = columns.filter { !table.key.contains($0) }.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    create = Self.creation(of: table)
    find = "SELECT \(list) FROM \(Self.first(of: table, by: table.key, list))"
    after = Self.numbered("\(select)\(group) AND \(position) > ? ORDER BY \(position) LIMIT ?")
    afterInAll = Self.numbered("\(select) AND \(position) > ? ORDER BY \(position) LIMIT ?")
    earliest = Self.numbered("\(select)\(table.isPartial ? " AND \(time) IS NOT NULL" : "") ORDER BY \(times) LIMIT ?")
    before = Self.numbered("\(select)\(group) AND \(time) < ? ORDER BY \(times)")
    let groups = table.hasTimesOfGroups ? [table.group].compactMap(\.self) : []
    oldest = "SELECT \(time) FROM \(Self.first(of: table, by: groups + table.times, list, comparing: groups.count))"
    naming = Self.numbered("\(select)\(group) AND (source = ? OR destination = ?) ORDER BY \(position)")
    from = "SELECT \(list) FROM \(Self.first(of: table, by: table.key, list, sharing: 1))"
    save = RowInsertion(
      into: name, ["browser"] + columns,
      conflict: "ON CONFLICT (browser, \(table.key.joined(separator: ", "))) DO UPDATE SET \(others)")
    let row = Self.first(of: table, by: table.key, "\(list), ctid")
    remove = "DELETE FROM \(name) WHERE ctid = ANY (ARRAY(SELECT ctid FROM \(row)))"
    removeAll = Self.numbered("DELETE FROM \(name) WHERE browser = ?\(group)")
    total = "SELECT count(*), coalesce(sum(size), 0)::bigint FROM \(name) WHERE browser = $1"
  }

  /// Returns the rest of a statement that selects the first row of a browser in an order.
  ///
  /// - Parameters:
  ///   - list: The columns that are selected.
  ///   - comparedCount: The number of columns of the order, from the first on, with which the row is not before certain values.
  ///   - sharedCount: The number of columns, from the first on, in which it has these values.
  private static func first(
    of table: RowTable, by order: [String], _ list: String, comparing comparedCount: Int? = nil, sharing sharedCount: Int? = nil
  ) -> String {
    let count = comparedCount ?? order.count
    let columns = ["browser"] + order.prefix(count)
    let numbers = (1...columns.count).map { "$\($0)" }
    let shared = zip(columns, numbers).prefix(1 + (sharedCount ?? count)).map { "\($0) = \($1)" }
    return """
      (
        SELECT browser, \(list) FROM \(table.name)
        WHERE (\(columns.joined(separator: ", "))) >= (\(numbers.joined(separator: ", ")))
        ORDER BY \((["browser"] + order).joined(separator: ", ")) LIMIT 1
      ) AS next WHERE \(shared.joined(separator: " AND "))
      """
  }

  /// Replaces the marks of parameters by `$1` and following.
  private static func numbered(_ sql: String) -> String {
    let parts = sql.split(separator: "?", omittingEmptySubsequences: false)
    return parts.dropFirst().enumerated().reduce(String(parts[0])) { $0 + "$\($1.offset + 1)" + $1.element }
  }

  private static func creation(of table: RowTable) -> [String] {
    let name = table.name
    let isGrouped = table.group.map(table.key.contains) ?? false
    let unique = table.primaryKey == table.key ? "" : ", UNIQUE (browser, \(table.key.joined(separator: ", ")))"
    let main = """
      CREATE TABLE \(name) (
        browser INTEGER NOT NULL, \(table.columns.joined(separator: ", ")),
        PRIMARY KEY (browser, \(table.primaryKey.joined(separator: ", ")))\(unique)
      )
      """
    let ofGroup = table.group.flatMap { group in
      isGrouped ? nil : "CREATE INDEX \(name)_by_\(group) ON \(name) (browser, \(group), \(table.position))"
    }
    let ofTime = table.times.first.map { time in
      let columns = (table.hasTimesOfGroups ? [table.group].compactMap(\.self) : []) + table.times
      let part = table.isPartial ? " WHERE \(time) IS NOT NULL" : ""
      return "CREATE INDEX \(name)_by_time ON \(name) (browser, \(columns.joined(separator: ", ")))\(part)"
    }
    return [main] + [ofGroup, ofTime].compactMap(\.self)
  }

  static let tables: [any StoredRow.Type] = [
    AppRecord.self, SiteRecord.self, ClickRow.self, AttributionRow.self, Report.self, Postback.self, DeviceRow.self,
    JournalEntry.self, IdempotencyRecord.self, InstanceRow.self,
  ]
  private static let all = Dictionary(uniqueKeysWithValues: tables.map { (ObjectIdentifier($0), TableSQL($0.table)) })

  static func of(_ type: (some StoredRow).Type) -> TableSQL { all[ObjectIdentifier(type)] ?? TableSQL(type.table) }
}

extension RowTable {
  /// Whether some rows have no time.
  fileprivate var isPartial: Bool { times.first.map { time in columns.contains("\(time) INTEGER") } ?? false }
}

extension PostgresBrowser {
  func row<Row: StoredRow>(_ type: Row.Type, _ key: Row.RowKey) throws -> Row? {
    let table = table(Row.table.name)
    if let known = transaction.known.row(key, in: table) { return known as? Row }
    let row = try transaction.rows(
      TableSQL.of(type).find, [id] + Row.columns(of: key), of: table, isOfKey: true, Row.init(columns:)
    ).first
    transaction.known.note(row, for: key, in: table)
    return row
  }

  func rows<Row: StoredRow>(_ query: RowQuery<Row>) throws -> [Row] {
    let sql = TableSQL.of(Row.self)
    if case .before(let instant, let group) = query, try !mayHaveRows(Row.self, before: instant, in: group) { return [] }
    let (statement, values): (String, [any ColumnValue]) =
      switch query {
      case .after(let position, nil, let limit):
        (sql.table.group == nil ? sql.after : sql.afterInAll, [id, position, bounded(limit)])
      case .after(let position, let group?, let limit): (sql.after, [id, group, position, bounded(limit)])
      case .earliest(let limit): (sql.earliest, [id, bounded(limit)])
      case .before(let instant, let group): (sql.before, [id] + (group.map { [$0] } ?? []) + [instant])
      case .naming(let site, let group): (sql.naming, [id, group, site.domain, site.domain])
      case .from(let key): (sql.from, [id] + Row.columns(of: key))
      }
    return try transaction.rows(statement, values, of: table(Row.table.name), Row.init(columns:))
  }

  /// Returns whether a group may have rows before an instant.
  func mayHaveRows<Row: StoredRow>(_ type: Row.Type, before instant: Instant, in group: StoredValue?) throws -> Bool {
    var oldest = transaction.known.oldest[id] ?? OldestTimes()
    defer { transaction.known.oldest[id] = oldest }
    return try oldest.mayHaveRows(before: instant, in: Row.table, group) {
      try transaction.rows(TableSQL.of(type).oldest, [id] + (group.map { [$0] } ?? []), of: table(Row.table.name)) { row in
        // A damaged time is an error of the calls that need its row.
        Instant(milliseconds: try row.integer())
      }.first
    }
  }

  func total<Row: StoredRow>(of type: Row.Type) throws -> RowTotal {
    let table = table(Row.table.name)
    if let known = transaction.known.totals[table] { return known }
    let total =
      try transaction.rows(TableSQL.of(type).total, [id], of: table) { row in
        RowTotal(count: Int(try row.integer()), byteCount: Int(try row.integer()))
      }.first ?? RowTotal()
    transaction.known.totals[table] = total
    return total
  }

  func save<Row: StoredRow>(_ row: Row) throws {
    try row.requireStorableTimes()
    try set(row, for: row.rowKey)
    transaction.known.oldest[id]?.note(row)
    let key = RowInsertions.Key(browser: id, key: AnyHashable(row.rowKey))
    transaction.insert([id] + row.columns, withKey: key, by: TableSQL.of(Row.self).save, in: table(Row.table.name))
  }

  func remove<Row: StoredRow>(_ type: Row.Type, _ key: Row.RowKey) throws {
    try set(Row?.none, for: key)
    transaction.run(TableSQL.of(type).remove, [id] + Row.columns(of: key), in: table(Row.table.name))
  }

  /// Notes a row that is saved or removed.
  private func set<Row: StoredRow>(_ new: Row?, for key: Row.RowKey) throws {
    let table = table(Row.table.name)
    if transaction.known.totals[table] != nil {
      let old = try row(Row.self, key)
      transaction.known.totals[table]?.replace(old?.countedSize, by: new?.countedSize)
    }
    transaction.known.note(new, for: key, in: table)
  }

  func removeAll<Row: StoredRow>(_ type: Row.Type, in group: StoredValue?) throws -> Int {
    transaction.known.forget(table(Row.table.name))
    return try transaction.change(TableSQL.of(type).removeAll, [id] + (group.map { [$0] } ?? [])).affectedCount
  }
}
