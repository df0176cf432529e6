import PCMStore

/// How rows of a table are inserted: together, which costs the server much less than a statement for each.
final class RowInsertion: Sendable {
  /// The statements, each with its number of rows, from the largest. The server prepares the statements that are used.
  let statements: [(rowCount: Int, sql: String)]

  /// - Parameter conflict: The `ON CONFLICT` clause.
  init(into table: String, _ columns: [String], conflict: String = "") {
    statements = [64, 32, 16, 8, 4, 3, 2, 1].map { count in
      let rows = (0..<count).map { row in
        "(\(columns.indices.map { "$\(row * columns.count + $0 + 1)" }.joined(separator: ", ")))"
      }
      let sql = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES \(rows.joined(separator: ", "))"
      return (count, conflict.isEmpty ? sql : "\(sql)\n\(conflict)")
    }
  }

  /// Returns the statements that insert rows.
  func statements(for rows: [[any ColumnValue]]) -> [PostgresStatement] {
    var rest = rows[...]
    return statements.flatMap { rowCount, sql in
      var statements: [PostgresStatement] = []
      while rest.count >= rowCount {
        statements.append(PostgresStatement(sql, rest.prefix(rowCount).flatMap(\.self)))
        rest = rest.dropFirst(rowCount)
      }
      return statements
    }
  }
}

/// The rows that are not inserted yet. Rows of different tables are independent.
struct RowInsertions {
  private var tables: [ObjectIdentifier: Table] = [:]

  private struct Table {
    let insertion: RowInsertion
    var rows: [[any ColumnValue]] = []
    var keys: Set<Key> = []
  }

  struct Key: Hashable {
    let browser: Int64
    let key: AnyHashable
  }

  /// Adds a row. Returns false if the table has a row with its key, because a statement cannot change a row twice.
  mutating func add(_ row: [any ColumnValue], withKey key: Key?, to insertion: RowInsertion) -> Bool {
    let id = ObjectIdentifier(insertion)
    if let key, tables[id]?.keys.contains(key) == true { return false }
    tables[id, default: Table(insertion: insertion)].rows.append(row)
    if let key { tables[id]?.keys.insert(key) }
    return true
  }

  /// Returns the statements, and forgets the rows.
  mutating func take() -> [PostgresStatement] {
    defer { tables.removeAll(keepingCapacity: true) }
    return tables.values.flatMap { $0.insertion.statements(for: $0.rows) }
  }
}
