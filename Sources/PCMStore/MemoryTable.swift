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
  private var entries: [Row.RowKey: Entry] = [:]
  private var groups: [StoredValue?: OrderedIndex<Place>] = [:]
  /// The rows with a time, of each group or of the table.
  private var times: [StoredValue?: OrderedIndex<Time>] = [:]
  /// The keys in their order, if a list needs it.
  private var keys = OrderedIndex<Row.RowKey>()
  private(set) var total = RowTotal()

  /// A row with its places in the indexes. Copying a row costs more than its object.
  final class Entry: Sendable {
    let row: Row
    fileprivate let group: StoredValue?
    fileprivate let place: Place
    fileprivate let timesOf: StoredValue?
    fileprivate let time: Time?

    fileprivate init(_ row: Row, _ key: Row.RowKey) {
      self.row = row
      group = row.group
      let place = Place(position: row.position, key: key)
      self.place = place
      timesOf = Row.table.hasTimesOfGroups ? group : nil
      time = row.time.map { Time(time: $0, place: place) }
    }
  }

  fileprivate struct Place: Comparable {
    let position: Row.Position
    let key: Row.RowKey

    static func < (left: Place, right: Place) -> Bool { left.position < right.position }
  }

  fileprivate struct Time: Comparable {
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
    (entries, groups, times, keys, total) = (other.entries, other.groups, other.times, other.keys, other.total)
  }

  subscript(key: Row.RowKey) -> Row? { entries[key]?.row }

  func keys(in group: StoredValue?) -> [Row.RowKey] { groups[group].map { $0.elements.map(\.key) } ?? [] }

  func rows(_ query: RowQuery<Row>) -> [Row] {
    switch query {
    case .after(let position, let group, let limit):
      let groups = group == nil ? Array(groups.values) : self.groups[group].map { [$0] } ?? []
      let places = groups.map { $0.elements { $0.position <= position }.prefix(max(0, limit)) }
      guard places.count > 1 else { return places.joined().compactMap { self[$0.key] } }
      return places.joined().sorted().prefix(max(0, limit)).compactMap { self[$0.key] }
    case .earliest(let limit):
      return times[nil]?.elements.prefix(max(0, limit)).compactMap { self[$0.place.key] } ?? []
    case .before(let instant, let group):
      return times[group]?.elements.prefix { $0.time < instant }.compactMap { self[$0.place.key] } ?? []
    case .naming(let site, let group):
      return groups[group]?.elements.compactMap { self[$0.key] }.filter { $0.names(site) } ?? []
    case .from(let key):
      var elements = keys.elements { $0 < key }
      return elements.next().flatMap { self[$0] }.map { [$0] } ?? []
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
    let from = entries[key]
    if from?.group != to?.group || from?.place != to?.place {
      if let to, let other = holder(of: to.place.position, in: to.group), other != key {
        throw .unavailable("the number \(to.place.position) is taken")
      }
      if let from { groups[from.group]?.remove(from.place) }
      if let to { groups[to.group, default: OrderedIndex()].insert(to.place) }
    }
    if from?.timesOf != to?.timesOf || from?.time != to?.time {
      if let from, let time = from.time { times[from.timesOf]?.remove(time) }
      if let to, let time = to.time { times[to.timesOf, default: OrderedIndex()].insert(time) }
    }
    if Row.table.hasOrderOfKeys, from == nil, to != nil { keys.insert(key) }
    if Row.table.hasOrderOfKeys, from != nil, to == nil { keys.remove(key) }
    total.replace(from?.row.countedSize, by: to?.row.countedSize)
    entries[key] = to
    return from
  }

  private func holder(of position: Row.Position, in group: StoredValue?) -> Row.RowKey? {
    var places = groups[group]?.elements { $0.position < position }
    return places?.next().flatMap { $0.position == position ? $0.key : nil }
  }
}
