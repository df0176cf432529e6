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
  let keptRequests = MemoryTable<KeptRequest>(copying: nil)
  var inverses: [() -> Void] = []

  /// - Parameter other: The tables to copy. Both share the rows until one of them changes. A repeated request is one of the original,
  ///   and is answered by it.
  init(copying other: MemoryTables? = nil) {
    (apps, sites) = (MemoryTable(copying: other?.apps), MemoryTable(copying: other?.sites))
    (clicks, attributions) = (MemoryTable(copying: other?.clicks), MemoryTable(copying: other?.attributions))
    (reports, postbacks) = (MemoryTable(copying: other?.reports), MemoryTable(copying: other?.postbacks))
    (deviceRows, journal) = (MemoryTable(copying: other?.deviceRows), MemoryTable(copying: other?.journal))
  }

  func undo(_ inverse: @escaping () -> Void) { inverses.append(inverse) }
}

/// The rows of a table of one browser in memory, with an ordered index for each list.
package final class MemoryTable<Row: StoredRow> {
  private var rows: [Row.RowKey: Row] = [:]
  private var groups: [StoredValue?: Group] = [:]
  /// The keys in their order, if a list needs it.
  private var keys = OrderedIndex<Row.RowKey>()
  private(set) var total = RowTotal()

  private struct Group {
    var places = OrderedIndex<Place>()
    var times = OrderedIndex<Time>()
  }

  private struct Place: Comparable {
    let position: Row.Position
    let key: Row.RowKey

    static func < (left: Place, right: Place) -> Bool { left.position < right.position }
  }

  private struct Time: Comparable {
    let time: Instant
    let place: Place

    static func < (left: Time, right: Time) -> Bool {
      guard left.time == right.time else { return left.time < right.time }
      guard left.place.position == right.place.position else { return left.place < right.place }
      return left.place.key < right.place.key
    }
  }

  init(copying other: MemoryTable?) {
    guard let other else { return }
    (rows, groups, keys, total) = (other.rows, other.groups, other.keys, other.total)
  }

  subscript(key: Row.RowKey) -> Row? { rows[key] }

  func keys(in group: StoredValue?) -> [Row.RowKey] { groups[group].map { $0.places.elements.map(\.key) } ?? [] }

  func rows(_ query: RowQuery<Row>) -> [Row] {
    switch query {
    case .after(let position, let group, let limit):
      let groups = group == nil ? Array(groups.values) : self.groups[group].map { [$0] } ?? []
      let places = groups.map { $0.places.elements { $0.position <= position }.prefix(max(0, limit)) }
      guard places.count > 1 else { return places.joined().compactMap { rows[$0.key] } }
      return places.joined().sorted().prefix(max(0, limit)).compactMap { rows[$0.key] }
    case .earliest(let limit):
      let times = groups.values.map { $0.times.elements.prefix(max(0, limit)) }.joined().sorted()
      return times.prefix(max(0, limit)).compactMap { rows[$0.place.key] }
    case .before(let instant, let group):
      return (groups[group]?.times.elements.prefix { $0.time < instant } ?? []).compactMap { rows[$0.place.key] }
    case .naming(let site, let group):
      return (groups[group].map { Array($0.places.elements) } ?? []).compactMap { rows[$0.key] }.filter { $0.names(site) }
    case .from(let key):
      var elements = keys.elements { $0 < key }
      return elements.next().flatMap { rows[$0] }.map { [$0] } ?? []
    }
  }

  /// Sets or removes the row with a key, and returns the previous one.
  ///
  /// Throws when a row with a different key has the position, like a unique index.
  func set(_ row: Row?, for key: Row.RowKey) throws(StoreError) -> Row? {
    let old = rows[key]
    let (from, to) = (old.map(entry), row.map(entry))
    if let to, from?.group != to.group || from?.place.position != to.place.position {
      var taken = (groups[to.group] ?? Group()).places.elements { $0 < to.place }
      if let other = taken.next(), other.position == to.place.position, other.key != key {
        throw .unavailable("the number \(other.position) is taken")
      }
    }
    if from?.group != to?.group || from?.place != to?.place {
      if let from { groups[from.group]?.places.remove(from.place) }
      if let to { groups[to.group, default: Group()].places.insert(to.place) }
    }
    if from?.group != to?.group || from?.time != to?.time {
      if let from, let time = from.time { groups[from.group]?.times.remove(time) }
      if let to, let time = to.time { groups[to.group, default: Group()].times.insert(time) }
    }
    if Row.table.hasOrderOfKeys, old == nil, row != nil { keys.insert(key) }
    if Row.table.hasOrderOfKeys, old != nil, row == nil { keys.remove(key) }
    total.replace(old?.countedSize, by: row?.countedSize)
    rows[key] = row
    return old
  }

  private func entry(of row: Row) -> (group: StoredValue?, place: Place, time: Time?) {
    let place = Place(position: row.position, key: row.rowKey)
    return (row.group, place, row.time.map { Time(time: $0, place: place) })
  }
}
