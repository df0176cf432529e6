package import PCMCore

/// Lower bounds for the times of a browser's rows, where they are known, in the groups of tables that are listed by time. A bound may be
/// earlier than the oldest row, but never later.
package struct OldestTimes: Sendable {
  private var times: [Group: Instant] = [:]

  private struct Group: Hashable {
    let table: String
    let group: StoredValue?
  }

  package init() {}

  /// Returns whether a group may have rows before an instant. A known bound makes the search unnecessary in most calls.
  ///
  /// - Parameter find: Returns the time of the oldest row.
  package mutating func mayHaveRows(
    before instant: Instant, in table: RowTable, _ group: StoredValue?, _ find: () throws -> Instant?
  ) rethrows -> Bool {
    let group = Group(table: table.name, group: group)
    let known = try times[group] ?? find() ?? .latest
    // The rows found now are most likely removed next.
    times[group] = instant > known ? nil : known
    return instant > known
  }

  /// Notes a row that is saved.
  package mutating func note<Row: StoredRow>(_ row: Row) {
    guard Row.table.hasTimesOfGroups, let time = row.time else { return }
    let group = Group(table: Row.table.name, group: row.group)
    if let known = times[group] { times[group] = min(known, time) }
  }
}
