internal import HeapModule
import PCMCore
import PCMStore

/// The number of browsers in a store and of their waiting reports.
///
/// The reports of a browser from before the start of the service are read once, at the first scrape, while commits continue.
/// The log's number determines which commits that read already includes. A commit that adds no event, as when due times are moved
/// after the machine's clock was set back, leaves the number as it is: the browser is read again.
struct WaitingReports: Sendable {
  fileprivate struct Entry {
    let clockMode: ClockMode
    /// The time of a manual clock.
    var now = Instant.earliest
    var count: Count
  }

  fileprivate enum Count {
    case unread
    /// The rows are damaged, and stay so until a restart.
    case unreadable
    /// With the commits since the beginning; nil when the read may lack a commit that its number does not show.
    case reading([TransactionCounts]?)
    case known(DueCounter, since: Int64)
  }

  struct Totals: Hashable, Sendable {
    var browsers = 0
    var scheduled = 0
    var overdue = 0
  }

  private var entries: [BrowserID: Entry] = [:]

  /// Adds a new browser, which has no waiting reports.
  mutating func add(_ record: BrowserRecord, at now: Instant) {
    entries[record.id] = Entry(clockMode: record.clockMode, now: now, count: .known(DueCounter(), since: 0))
  }

  /// Adds an existing browser of the store.
  mutating func find(_ record: BrowserRecord) {
    if entries[record.id] == nil { entries[record.id] = Entry(clockMode: record.clockMode, count: .unread) }
  }

  mutating func remove(_ browser: BrowserID) {
    entries[browser] = nil
  }

  mutating func apply(_ counts: TransactionCounts, of browser: BrowserID) {
    guard var entry = entries.removeValue(forKey: browser) else { return }
    defer { entries[browser] = entry }
    if let now = counts.now { entry.now = max(entry.now, now) }
    guard !counts.changes.isEmpty else { return }
    switch entry.count {
    case .unread, .unreadable: break
    case .reading(let later): entry.count = .reading(counts.events.isEmpty ? nil : later.map { $0 + [counts] })
    case .known where counts.events.isEmpty: entry.count = .unread
    case .known(var counter, let since):
      entry.count = .unread
      if counts.version > since { counter.apply(counts) }
      entry.count = .known(counter, since: since)
    }
  }

  /// Returns the browsers to read. Later calls do not return them again.
  ///
  /// - Parameter wallNow: The time of real clocks. If it was set back, the count of what is overdue is out of date.
  mutating func takeUnread(at wallNow: Instant) -> [BrowserID] {
    let unread = entries.filter { entry in
      switch entry.value.count {
      case .unread: true
      case .unreadable, .reading: false
      case .known(let counter, _): entry.value.clockMode == .real && counter.isAhead(of: wallNow)
      }
    }.keys
    for browser in unread { entries[browser]?.count = .reading([]) }
    return Array(unread)
  }

  /// Notes that a browser has damaged rows, so that it is not read again. Its reports are not counted.
  mutating func setUnreadable(_ browser: BrowserID) { entries[browser]?.count = .unreadable }

  /// Adds the result of reading a browser at a certain number of its log; nil when the read failed.
  mutating func finishReading(_ browser: BrowserID, _ reading: Reading?) {
    guard var entry = entries[browser], case .reading(let later) = entry.count else { return }
    entry.count = .unread
    if let reading, let later {
      var counter = DueCounter()
      for due in reading.dues { counter.apply(DueChange(due: due, amount: 1)) }
      for counts in later where counts.version > reading.version { counter.apply(counts) }
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

    /// Reads one view of a browser's rows, a page of reports at a time, because a report with 20 attempts takes up to 80 KiB.
    init(of rows: any BrowserReader) throws {
      var (dues, position, isComplete) = ([Instant](), Int64(0), false)
      while !isComplete {
        let page = try rows.reports(in: .scheduled, after: position, limit: Self.pageSize)
        dues += page.compactMap(\.message.nextAttemptAt)
        position = page.last?.id ?? position
        isComplete = page.count < Self.pageSize
      }
      self.init(dues: dues, version: try rows.nextSequence(), now: try rows.state().now)
    }

    private static let pageSize = 100
  }

  /// - Parameter wallNow: The time of real clocks.
  mutating func totals(at wallNow: Instant) -> Totals {
    var totals = Totals(browsers: entries.count)
    for browser in Array(entries.keys) { entries[browser]?.add(to: &totals, at: wallNow) }
    return totals
  }
}

extension WaitingReports.Entry {
  fileprivate mutating func add(to totals: inout WaitingReports.Totals, at wallNow: Instant) {
    guard case .known(var counter, let since) = count else { return }
    // This is the only reference to the counter while it changes, so nothing is copied.
    count = .unread
    totals.overdue += counter.overdue(at: clockMode == .real ? wallNow : now)
    totals.scheduled += counter.scheduled
    count = .known(counter, since: since)
  }
}

extension DueCounter {
  fileprivate mutating func apply(_ counts: TransactionCounts) {
    for change in counts.changes { apply(change) }
  }
}

/// A report that started or stopped waiting for an instant.
struct DueChange: Hashable, Comparable, Sendable {
  let due: Instant
  /// 1 or -1.
  let amount: Int

  static func < (left: DueChange, right: DueChange) -> Bool { left.due < right.due }
}

/// Incremental counts of waiting and overdue reports.
///
/// Future changes are in a heap ordered by due time, and are removed when they become due. A change costs the logarithm of
/// the number of waiting reports. A read costs the number of reports that became due since the last read.
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

  /// Whether the counter was read at a later time. The correction of a clock by seconds is not worth another count.
  func isAhead(of now: Instant) -> Bool { reached > now + .minutes(1) }

  /// - Parameter now: The time on the browser's clock. If that was set back, a new counter is necessary.
  mutating func overdue(at now: Instant) -> Int {
    reached = max(reached, now)
    while let first = ahead.min, first.due <= reached {
      overdue += first.amount
      _ = ahead.popMin()
    }
    return overdue
  }

  /// Removes pairs of changes that cancel each other before their due time.
  private mutating func settle() {
    let sums = ahead.unordered.reduce(into: [:]) { $0[$1.due, default: 0] += $1.amount }
    ahead = Heap(
      sums.flatMap { due, sum in repeatElement(DueChange(due: due, amount: sum.signum()), count: Int(sum.magnitude)) })
  }
}
