/// A value that the instances over a shared store have in common for a browser. Other stores have no such rows.
package struct InstanceRow: Hashable, Sendable {
  package enum Kind: Int64, Hashable, Sendable, CaseIterable {
    /// The number of uses of the browser that the instances have recorded.
    case uses = 0
    /// The cookies of the sessions.
    case cookies = 1
    /// The number of the instance that waits for its turn at the browser.
    case turn = 2
  }

  package let kind: Kind
  package let value: String

  package init(_ kind: Kind, value: String) { (self.kind, self.value) = (kind, value) }
}

extension InstanceRow: StoredRow {
  package static let table = RowTable(
    name: "instance_rows", columns: ["kind INTEGER NOT NULL", "value TEXT NOT NULL"], key: ["kind"], position: "kind")

  package var rowKey: Int64 { kind.rawValue }
  package var columns: [any ColumnValue] { [kind.rawValue, value] }

  package init(columns row: inout RowReader) throws { self.init(try row.numbered(), value: try row.text()) }

  package static func table(in tables: MemoryTables) -> MemoryTable<InstanceRow> { tables.instanceRows }
}

extension BrowserReader {
  /// Returns the value that the instances have in common, or nil when they have none.
  package func common(_ kind: InstanceRow.Kind) throws -> String? { try row(InstanceRow.self, kind.rawValue)?.value }
}
