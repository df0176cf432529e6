import PCMCore
import PCMStore

/// What the bodies of a batch read and wrote.
///
/// A body that waits for each of its reads delays all that follow it. The bodies of a batch therefore run without the rows that are
/// not known yet, as if there were none, and the reads are then sent together.
struct BatchReads {
  /// The results of reads, each from before some of the writes. The browsers are locked, so only the batch changes their rows.
  private(set) var results: [PostgresStatement: PostgresRows] = [:]
  /// The writes of the bodies, which a result may lack. Some may be by bodies that failed.
  private(set) var writes: [BrowserTable: TableWrites] = [:]
  /// The reads whose results are not known, each with the conditions under which the bodies need not run again.
  private var guesses: [PostgresStatement: [(PostgresRows) -> Bool]] = [:]

  mutating func add(_ write: RowWrite, to table: BrowserTable) { writes[table, default: TableWrites()].add(write) }

  mutating func guess(_ statement: PostgresStatement, _ isRight: @escaping (PostgresRows) -> Bool) {
    guesses[statement, default: []].append(isRight)
  }

  /// Reads what was guessed. Returns whether all guesses were right.
  mutating func verify(in session: PostgresSession) throws(PostgresError) -> Bool {
    let statements = Array(guesses.keys)
    guard !statements.isEmpty else { return true }
    var areRight = true
    for (statement, result) in zip(statements, try session.results(of: statements)) {
      results[statement] = result
      areRight = areRight && guesses[statement, default: []].allSatisfy { $0(result) }
    }
    guesses = [:]
    return areRight
  }

  /// Forgets the writes of bodies that run again.
  mutating func restore(_ writes: [BrowserTable: TableWrites]) { self.writes = writes }
}

/// A table of one browser.
struct BrowserTable: Hashable {
  let browser: Int64
  let name: String
}

/// The writes to a table of a browser.
struct TableWrites {
  private(set) var all: [RowWrite] = []
  /// The keys of the rows that were saved or removed.
  private var keys: Set<AnyHashable> = []
  private var hasRemovedAll = false
  /// The earliest time of the saved rows of each group.
  private var earliestTimes: [StoredValue?: Instant] = [:]

  mutating func add(_ write: RowWrite) {
    all.append(write)
    switch write {
    case .saved(let row): note(row)
    case .removed(let key): keys.insert(key)
    case .removedAll: hasRemovedAll = true
    case .logged: break
    }
  }

  private mutating func note(_ row: some StoredRow) {
    keys.insert(AnyHashable(row.rowKey))
    guard let time = row.time else { return }
    earliestTimes[row.group] = min(time, earliestTimes[row.group] ?? time)
  }

  /// Returns whether the writes leave the row with a key as it was found.
  func leaves<Row: StoredRow>(_ found: [Row], withKey key: Row.RowKey) -> Bool {
    !keys.contains(AnyHashable(key)) && (!hasRemovedAll || found.isEmpty)
  }

  /// Returns whether a saved row of a group has a time before an instant.
  func hasRow(before instant: Instant, in group: StoredValue?) -> Bool {
    earliestTimes[group].map { $0 < instant } ?? false
  }
}

/// A write to a table of a browser.
enum RowWrite {
  case saved(any StoredRow)
  case removed(AnyHashable)
  case removedAll
  /// A write to the log.
  case logged

  /// Returns whether it leaves a result as it is.
  ///
  /// - Parameter belongs: Returns whether a saved row may belong to the result.
  func leaves<Row: StoredRow>(_ result: [Row], _ belongs: (Row) -> Bool) -> Bool {
    switch self {
    case .saved(let row):
      guard let row = row as? Row else { return false }
      return !belongs(row) && !result.contains { $0.rowKey == row.rowKey }
    case .removed(let key): return !result.contains { AnyHashable($0.rowKey) == key }
    case .removedAll: return result.isEmpty
    case .logged: return false
    }
  }
}

extension RowQuery {
  /// Returns whether a row may belong to the result. Positions do not decide, because a database orders texts differently.
  func mayContain(_ row: Row) -> Bool {
    switch self {
    case .after(_, let group, _): group == nil || row.group == group
    case .earliest: row.time != nil
    case .before(let instant, let group): row.group == group && row.time.map { $0 < instant } ?? false
    case .naming(let site, let group): row.group == group && row.names(site)
    case .from: true
    }
  }
}
