import PCMCore

/// The tables of a browser in memory, and the inverses of the changes of a transaction.
package final class MemoryTables {
  let apps: MemoryTable<AppRecord>
  let sites: MemoryTable<SiteRecord>
  let clicks: MemoryTable<ClickRow>
  let attributions: MemoryTable<AttributionRow>
  let reports: MemoryTable<Report>
  let postbacks: MemoryTable<Postback>
  let deviceRows: MemoryTable<DeviceRow>
  let journal: MemoryTable<JournalEntry>
  let instanceRows: MemoryTable<InstanceRow>
  let keptRequests = MemoryTable<IdempotencyRecord>(copying: nil)
  var inverses: [() -> Void] = []

  /// - Parameter other: The tables to copy. Both share the rows until one of them changes. A repeated request is one of the original,
  ///   and is answered by it.
  init(copying other: MemoryTables? = nil) {
    (apps, sites) = (MemoryTable(copying: other?.apps), MemoryTable(copying: other?.sites))
    (clicks, attributions) = (MemoryTable(copying: other?.clicks), MemoryTable(copying: other?.attributions))
    (reports, postbacks) = (MemoryTable(copying: other?.reports), MemoryTable(copying: other?.postbacks))
    (deviceRows, journal) = (MemoryTable(copying: other?.deviceRows), MemoryTable(copying: other?.journal))
    instanceRows = MemoryTable(copying: other?.instanceRows)
  }

  func undo(_ inverse: @escaping () -> Void) { inverses.append(inverse) }
}

/// The rows of a table of one browser in memory, with an ordered index for each list.
package final class MemoryTable<Row: StoredRow> {
  private var entries: [Row.RowKey: Entry] = [:]
  private var groups: [StoredValue?: OrderedIndex<Entry>] = [:]
  /// The rows with a time, of each group or of the table.
  private var times: [StoredValue?: OrderedIndex<Timed>] = [:]
  /// The rows in the order of their keys, if a list needs it.
  private var keys = OrderedIndex<Keyed>()
  private(set) var total = RowTotal()

  /// A row with its places in the indexes, ordered by position. Copying a row, or a key, costs more than a reference.
  final class Entry: Comparable, Sendable {
    let row: Row
    fileprivate let key: Row.RowKey
    fileprivate let group: StoredValue?
    fileprivate let position: Row.Position
    fileprivate let timesOf: StoredValue?
    fileprivate let time: Instant?

    fileprivate init(_ row: Row, _ key: Row.RowKey) {
      (self.row, self.key, group, position, time) = (row, key, row.group, row.position, row.time)
      timesOf = Row.table.hasTimesOfGroups ? group : nil
    }

    static func == (left: Entry, right: Entry) -> Bool { left === right }
    static func < (left: Entry, right: Entry) -> Bool { left.position < right.position }
  }

  fileprivate struct Timed: Comparable {
    let time: Instant
    let entry: Entry

    static func < (left: Timed, right: Timed) -> Bool {
      guard left.time == right.time else { return left.time < right.time }
      guard left.entry.position == right.entry.position else { return left.entry < right.entry }
      return left.entry.key < right.entry.key
    }
  }

  fileprivate struct Keyed: Comparable {
    let entry: Entry

    static func < (left: Keyed, right: Keyed) -> Bool { left.entry.key < right.entry.key }
  }

  init(copying other: MemoryTable?) {
    guard let other else { return }
    (entries, groups, times, keys, total) = (other.entries, other.groups, other.times, other.keys, other.total)
  }

  subscript(key: Row.RowKey) -> Row? { entries[key]?.row }

  func keys(in group: StoredValue?) -> [Row.RowKey] { groups[group].map { $0.elements.map { $0.key } } ?? [] }

  func rows(_ query: RowQuery<Row>) -> [Row] {
    switch query {
    case .after(let position, let group, let limit):
      let groups = group == nil ? Array(groups.values) : self.groups[group].map { [$0] } ?? []
      let entries = groups.map { $0.elements { $0.position <= position }.prefix(max(0, limit)) }
      guard entries.count > 1 else { return entries.joined().map { $0.row } }
      return entries.joined().sorted().prefix(max(0, limit)).map { $0.row }
    case .earliest(let limit): return times[nil]?.elements.prefix(max(0, limit)).map { $0.entry.row } ?? []
    case .before(let instant, let group):
      return times[group]?.elements.prefix { $0.time < instant }.map { $0.entry.row } ?? []
    case .naming(let site, let group): return groups[group]?.elements.map { $0.row }.filter { $0.names(site) } ?? []
    case .from(let key):
      var elements = keys.elements { $0.entry.key < key }
      return elements.next().map { [$0.entry.row] } ?? []
    }
  }

  /// Sets or removes the row with a key, and returns the previous entry.
  ///
  /// Throws when a row with a different key has the position, like a unique index.
  func set(_ row: Row?, for key: Row.RowKey) throws(StoreError) -> Entry? {
    try replace(row.map { Entry($0, key) }, for: key)
  }

  /// Replaces the entry of a key, and returns the previous one.
  func replace(_ to: Entry?, for key: Row.RowKey) throws(StoreError) -> Entry? {
    if let to, let other = holder(of: to.position, in: to.group), other.key != key {
      throw .unavailable("the number \(to.position) is taken")
    }
    let from = to.map { entries.updateValue($0, forKey: key) } ?? entries.removeValue(forKey: key)
    if let from {
      groups[from.group]?.remove(from)
      if let time = from.time { times[from.timesOf]?.remove(Timed(time: time, entry: from)) }
      if Row.table.hasOrderOfKeys { keys.remove(Keyed(entry: from)) }
    }
    if let to {
      groups[to.group, default: OrderedIndex()].insert(to)
      if let time = to.time { times[to.timesOf, default: OrderedIndex()].insert(Timed(time: time, entry: to)) }
      if Row.table.hasOrderOfKeys { keys.insert(Keyed(entry: to)) }
    }
    total.replace(from?.row.countedSize, by: to?.row.countedSize)
    return from
  }

  private func holder(of position: Row.Position, in group: StoredValue?) -> Entry? {
    var entries = groups[group]?.elements { $0.position < position }
    return entries?.next().flatMap { $0.position == position ? $0 : nil }
  }
}
