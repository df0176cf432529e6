import PCMCore
import PCMStore

/// Corrects the instants that a browser on the real clock scheduled or recorded while the machine's clock was ahead.
///
/// No report is due more than 48 hours after its attribution, no postback more than 144 hours after its window, and no retry
/// follows later than the longest delay. Later instants are from a clock that was ahead, and would be far in the future. So are
/// clicks, ads, views, launches, updates, and modes of the device that have not happened yet: they would never expire, and come
/// before everything newer. If the clock is earlier than the browser itself, it is the clock that is wrong, as at the start of a
/// machine without a battery, and nothing is corrected.
///
/// Several transactions correct a part each, so that other browsers need not wait for all of them. An instant that was corrected
/// is not corrected again, so after an interruption, the redating of the next start completes it.
struct Redating: Sendable {
  /// The time at which the redating began.
  let now: Instant
  /// The time of the current transaction. What was recorded since the redating began is not later.
  private(set) var present: Instant
  /// The time of the browser's creation.
  let start: Instant
  let backoff: RetryPolicy.Backoff
  /// The machine's time before it was set back; nil if only the log knows it.
  let before: Instant?

  init(now: Instant, start: Instant, backoff: RetryPolicy.Backoff, before: Instant?) {
    self.now = now
    present = now
    self.start = start
    self.backoff = backoff
    self.before = before
  }

  /// The same redating at the time of a transaction.
  func moved(to instant: Instant) -> Redating {
    var moved = self
    moved.present = max(now, instant)
    return moved
  }

  /// The place at which a transaction begins.
  struct Position: Sendable {
    /// By how much the clock was ahead.
    let ahead: Interval
    fileprivate let table: Table
    /// The number or the name of the last row that was examined.
    fileprivate let last: String
  }

  fileprivate enum Table: Hashable {
    case attributions(SessionKind)
    case retries, postbacks, installedApps, impressions, views
    case clicks(ClickPlace)

    static let first = Table.attributions(.normal)
    private static let all: [Table] =
      [first, .attributions(.privateBrowsing), .retries, .postbacks, .installedApps, .impressions, .views]
      + ClickPlace.allCases.map { .clicks($0) }

    var next: Table? { Self.all.drop { $0 != self }.dropFirst().first }
  }

  /// The number of rows of a transaction: few, because a report may have 80 KiB of attempts.
  static let rows = 200

  func isNeeded(in reader: any BrowserReader) throws -> Bool {
    guard try beginning(in: reader) != nil else { return false }
    if try !reader.earliestAttributions(limit: 1).isEmpty || !reader.earliestRetries(limit: 1).isEmpty
      || !reader.earliestPostbacks(limit: 1).isEmpty || reader.deviceRow(.init(.device, "")) != nil
    {
      return true
    }
    let kinds: [DeviceRow.Kind] = [.installedApp, .impression, .view]
    return try kinds.contains { try !reader.deviceRows($0, after: "", limit: 1).isEmpty }
      || ClickPlace.allCases.contains { try !reader.clicks(in: $0, after: 0, limit: 1).isEmpty }
  }

  /// Returns the position of the first transaction, or nil when the clock was not ahead.
  func beginning(in reader: any BrowserReader) throws -> Position? {
    guard now >= start, let before = try before ?? reader.lastEventAt(), before > now else { return nil }
    return Position(ahead: before - now, table: .first, last: "")
  }

  /// Corrects a part.
  ///
  /// - Returns: The position of the next transaction, or nil after the last one.
  func run(from position: Position, in writer: any BrowserWriter) throws -> Position? {
    let number = Int64(position.last) ?? 0
    let rows: [String] =
      switch position.table {
      case .attributions(let session): try redateAttributions(in: session, after: number, by: position.ahead, in: writer)
      case .retries: try redateRetries(after: number, in: writer)
      case .postbacks: try redatePostbacks(after: number, by: position.ahead, in: writer)
      case .installedApps: try redateInstalledApps(after: position.last, by: position.ahead, in: writer)
      case .impressions: try redateImpressions(after: position.last, by: position.ahead, in: writer)
      case .views: try redateViews(after: position.last, by: position.ahead, in: writer)
      case .clicks(let place): try redateClicks(in: place, after: number, by: position.ahead, in: writer)
      }
    if rows.count == Self.rows, let last = rows.last {
      return Position(ahead: position.ahead, table: position.table, last: last)
    }
    return position.table.next.map { Position(ahead: position.ahead, table: $0, last: "") }
  }

  private func redateAttributions(
    in session: SessionKind, after number: Int64, by ahead: Interval, in writer: any BrowserWriter
  ) throws -> [String] {
    let attributions = try writer.attributions(in: session, after: number, limit: Self.rows)
    for attribution in attributions {
      var corrected = attribution
      corrected.source = try attribution.source.map { try redated($0, of: attribution, by: ahead, in: writer) }
      corrected.destination = try attribution.destination.map {
        try redated($0, of: attribution, by: ahead, in: writer)
      }
      if corrected != attribution { try writer.save(corrected, in: session) }
    }
    return attributions.map { "\($0.id)" }
  }

  /// Examines all scheduled reports: a retry that is corrected changes its place among the retries.
  private func redateRetries(after number: Int64, in writer: any BrowserWriter) throws -> [String] {
    let latest = now + backoff.maximum
    let reports = try writer.reports(in: .scheduled, after: number, limit: Self.rows)
    for var report in reports {
      guard let instant = report.retryAt, instant > latest else { continue }
      report.message.move(retryAt: latest)
      try writer.save(report)
    }
    return reports.map { "\($0.id)" }
  }

  private func redateClicks(
    in place: ClickPlace, after number: Int64, by ahead: Interval, in writer: any BrowserWriter
  ) throws -> [String] {
    let clicks = try writer.clicks(in: place, after: number, limit: Self.rows)
    for kept in clicks {
      var corrected = kept
      corrected.click.clickedAt = redated(kept.click.clickedAt, by: ahead)
      if corrected != kept { try writer.save(corrected, in: place) }
    }
    return clicks.map { "\($0.id)" }
  }

  /// Returns the instant of something that was recorded as the corrected clock shows it. The past needs no correction.
  ///
  /// When only the log knows the earlier time, the instant may be from another clock that was ahead by less. It becomes the
  /// present then, so that what was recorded lately does not expire. The order of such rows is that of their numbers.
  func redated(_ instant: Instant, by ahead: Interval) -> Instant {
    guard instant > present else { return instant }
    return before == nil ? now : max(min(instant - ahead, now), .earliest)
  }

  /// Returns the half with its due time moved to the corrected clock.
  private func redated(
    _ half: Attribution.PendingHalf, of attribution: Attribution, by ahead: Interval, in writer: any BrowserWriter
  ) throws -> Attribution.PendingHalf {
    let latest = now + SendTimes.longestDelay
    guard half.dueAt > latest, var report = try writer.report(half.report) else { return half }
    // The log does not contain the clock of a half that was redated before, or scheduled while the log was ahead. Otherwise, a
    // half is due at least the shortest delay after its attribution's time in the log. One with an unknown clock is due at the
    // latest time, so that it does not leave early.
    let isUnknown = before == nil && half.dueAt < attribution.attributedAt + SendTimes.shortestDelay
    report.message.move(dueAt: isUnknown ? latest : half.dueAt - ahead)
    try writer.save(report)
    return Attribution.PendingHalf(report: half.report, dueAt: report.dueAt)
  }
}
