internal import HeapModule
import PCMCore
import PCMStore

/// How many browsers a store has, and how many reports wait in them.
///
/// A browser that was there before the service started is unread until the first question: its waiting reports are then
/// read once, while commits go on. The log's number tells which of them the reading has seen already.
struct WaitingReports: Sendable {
  fileprivate struct Entry {
    let clockMode: ClockMode
    /// Where a manual clock stands.
    var now = Instant.earliest
    var count: Count
  }

  fileprivate enum Count {
    case unread
    case reading([TransactionCounts])
    case known(DueCounter, since: Int64)
  }

  struct Totals: Hashable, Sendable {
    var browsers = 0
    var scheduled = 0
    var overdue = 0
  }

  private var entries: [BrowserID: Entry] = [:]

  /// A browser that was just created, in which nothing waits.
  mutating func add(_ record: BrowserRecord, at now: Instant) {
    entries[record.id] = Entry(clockMode: record.clockMode, now: now, count: .known(DueCounter(), since: 0))
  }

  /// A browser that was found in the store.
  mutating func find(_ record: BrowserRecord) {
    if entries[record.id] == nil { entries[record.id] = Entry(clockMode: record.clockMode, count: .unread) }
  }

  mutating func remove(_ browser: BrowserID) {
    entries[browser] = nil
  }

  mutating func apply(_ tally: TransactionCounts, of browser: BrowserID) {
    guard var entry = entries.removeValue(forKey: browser) else { return }
    defer { entries[browser] = entry }
    if let now = tally.now { entry.now = max(entry.now, now) }
    guard !tally.changes.isEmpty else { return }
    switch entry.count {
    case .unread: break
    case .reading(let later): entry.count = .reading(later + [tally])
    case .known(var counter, let since):
      entry.count = .unread
      if tally.version > since { counter.apply(tally) }
      entry.count = .known(counter, since: since)
    }
  }

  /// Browsers that have to be read now; the next caller is not told of them again.
  mutating func takeUnread() -> [BrowserID] {
    let unread = entries.filter { if case .unread = $0.value.count { true } else { false } }.keys
    for browser in unread { entries[browser]?.count = .reading([]) }
    return Array(unread)
  }

  /// What was read of a browser, as of a number of its log; nil when it could not be read.
  mutating func finishReading(_ browser: BrowserID, _ reading: Reading?) {
    guard var entry = entries[browser], case .reading(let later) = entry.count else { return }
    entry.count = .unread
    if let reading {
      var counter = DueCounter()
      for due in reading.dues { counter.apply(DueChange(due: due, amount: 1)) }
      for tally in later where tally.version > reading.version { counter.apply(tally) }
      entry.count = .known(counter, since: reading.version)
      entry.now = max(entry.now, reading.now)
    }
    entries[browser] = entry
  }

  struct Reading: Sendable {
    let dues: [Instant]
    let version: Int64
    let now: Instant

    init(dues: [Instant], version: Int64, now: Instant) {
      self.dues = dues
      self.version = version
      self.now = now
    }

    /// One view of a browser's rows, a page of reports at a time: whole reports would take a kilobyte each.
    init(of rows: any BrowserReader) throws {
      var (dues, position, isComplete) = ([Instant](), Int64(0), false)
      while !isComplete {
        let page = try rows.reports(in: .scheduled, after: position, limit: Self.pageSize)
        dues += page.compactMap(\.waitsUntil)
        position = page.last?.id ?? position
        isComplete = page.count < Self.pageSize
      }
      self.init(dues: dues, version: try rows.nextSequence(), now: try rows.state().now)
    }

    private static let pageSize = 1_000
  }

  /// - Parameter wallNow: where real clocks stand.
  mutating func totals(at wallNow: Instant) -> Totals {
    var totals = Totals(browsers: entries.count)
    for browser in Array(entries.keys) { entries[browser]?.add(to: &totals, at: wallNow) }
    return totals
  }
}

extension WaitingReports.Entry {
  fileprivate mutating func add(to totals: inout WaitingReports.Totals, at wallNow: Instant) {
    guard case .known(var counter, let since) = count else { return }
    // The counter is held here alone while it changes, so that nothing of it is copied.
    count = .unread
    totals.overdue += counter.overdue(at: clockMode == .real ? max(wallNow, now) : now)
    totals.scheduled += counter.scheduled
    count = .known(counter, since: since)
  }
}

extension DueCounter {
  fileprivate mutating func apply(_ tally: TransactionCounts) {
    for change in tally.changes { apply(change) }
  }
}

/// A report that began or ceased to wait for an instant.
struct DueChange: Hashable, Comparable, Sendable {
  let due: Instant
  /// 1 or -1.
  let amount: Int

  static func < (left: DueChange, right: DueChange) -> Bool { left.due < right.due }
}

/// How many reports wait, and how many of them are overdue, without looking at them again.
///
/// What is due later lies in a heap as changes by due time, and is taken out once when the time has come: a change costs
/// the logarithm of what waits, a question costs what became due since the last one.
struct DueCounter: Sendable {
  private(set) var scheduled = 0
  private var overdue = 0
  private var reached = Instant.earliest
  private var ahead = Heap<DueChange>()

  mutating func apply(_ change: DueChange) {
    scheduled += change.amount
    guard change.due > reached else {
      overdue += change.amount
      return
    }
    ahead.insert(change)
    if ahead.count > 2 * scheduled + 1_024 { settle() }
  }

  /// - Parameter now: on the browser's clock, which does not go back.
  mutating func overdue(at now: Instant) -> Int {
    reached = max(reached, now)
    while let first = ahead.min, first.due <= reached {
      overdue += first.amount
      _ = ahead.popMin()
    }
    return overdue
  }

  /// Lets those go that came and went before their time.
  private mutating func settle() {
    let sums = ahead.unordered.reduce(into: [:]) { $0[$1.due, default: 0] += $1.amount }
    ahead = Heap(
      sums.flatMap { due, sum in repeatElement(DueChange(due: due, amount: sum.signum()), count: Int(sum.magnitude)) })
  }
}
