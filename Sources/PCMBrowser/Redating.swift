import NIOConcurrencyHelpers
import PCMCore
import PCMDevice
import PCMStore

/// Corrects the instants that a browser on the real clock scheduled while the machine's clock was ahead.
///
/// No report is due more than 48 hours after its attribution, no postback more than 144 hours after its window, and no retry
/// follows later than the longest delay. Later instants are from a clock that was ahead, and would be far in the future. So are
/// launches and updates that have not happened yet, which end conversion windows. If the clock is earlier than the browser itself, it is
/// the clock that is wrong, as at the start of a machine without a battery, and nothing is corrected.
///
/// Several transactions correct a part each, so that other browsers need not wait for all of them. An instant that was corrected
/// is not corrected again, so after an interruption, the redating of the next start completes it.
struct Redating: Sendable {
  let now: Instant
  /// The time of the browser's creation.
  let start: Instant
  let backoff: RetryPolicy.Backoff
  /// The machine's time before it was set back; nil if only the log knows it.
  let before: Instant?

  /// The place at which a transaction begins.
  struct Position: Sendable {
    /// By how much the clock was ahead.
    fileprivate let ahead: Interval
    fileprivate let table: Table
    /// The number or the name of the last row that was examined.
    fileprivate let last: String
  }

  fileprivate enum Table: CaseIterable {
    case attributions, privateAttributions, retries, postbacks, installedApps

    var next: Table? { Self.allCases.drop { $0 != self }.dropFirst().first }
  }

  /// The number of rows of a transaction: few, because a report may have 80 KiB of attempts.
  private static let rows = 200

  func isNeeded(in reader: any BrowserReader) throws -> Bool {
    guard try beginning(in: reader) != nil else { return false }
    return try !reader.earliestAttributions(limit: 1).isEmpty || !reader.earliestRetries(limit: 1).isEmpty
      || !reader.earliestPostbacks(limit: 1).isEmpty || !reader.earliestDeviceRows(limit: 1).isEmpty
  }

  /// Returns the position of the first transaction, or nil when the clock was not ahead.
  func beginning(in reader: any BrowserReader) throws -> Position? {
    guard now >= start, let before = try before ?? reader.lastEventAt(), before > now else { return nil }
    return Position(ahead: before - now, table: .attributions, last: "")
  }

  /// Corrects a part.
  ///
  /// - Returns: The position of the next transaction, or nil after the last one.
  func run(from position: Position, in writer: any BrowserWriter) throws -> Position? {
    let number = Int64(position.last) ?? 0
    let rows: [String] =
      switch position.table {
      case .attributions: try redateAttributions(in: .normal, after: number, by: position.ahead, in: writer)
      case .privateAttributions: try redateAttributions(in: .privateBrowsing, after: number, by: position.ahead, in: writer)
      case .retries: try redateRetries(after: number, in: writer)
      case .postbacks: try redatePostbacks(after: number, by: position.ahead, in: writer)
      case .installedApps: try redateInstalledApps(after: position.last, by: position.ahead, in: writer)
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

  private func redatePostbacks(after number: Int64, by ahead: Interval, in writer: any BrowserWriter) throws -> [String] {
    let postbacks = try writer.postbacks(in: .scheduled, after: number, limit: Self.rows)
    for var postback in postbacks {
      guard let next = postback.message.nextAttemptAt else { continue }
      if postback.message.retryAt != nil {
        let latest = now + RetryPolicy.postback.backoff.maximum
        if next > latest { postback.message.move(retryAt: latest) }
      } else {
        let latest = now + PostbackDelay.longest
        if next > latest { postback.message.move(dueAt: next - ahead > now ? min(next - ahead, latest) : latest) }
      }
      if postback.message.nextAttemptAt != next { try writer.save(postback) }
    }
    return postbacks.map { "\($0.id)" }
  }

  private func redateInstalledApps(after name: String, by ahead: Interval, in writer: any BrowserWriter) throws -> [String] {
    let apps = try writer.installedApps(after: name, limit: Self.rows)
    for app in apps {
      var corrected = app
      corrected.installedAt = app.installedAt.redated(at: now, by: ahead)
      corrected.launchedAt = app.launchedAt?.redated(at: now, by: ahead)
      corrected.conversions.redate(at: now, by: ahead)
      if corrected != app { try writer.save(corrected) }
    }
    return apps.map(\.bundleIdentifier)
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

/// A set-back of the machine's clock that a browser has not followed yet.
enum ClockSetBack: Hashable, Sendable {
  /// Everything scheduled before is from the clock that was set back.
  case once(from: Instant)
  /// Some instants may be from the clock between two set-backs, and only the log shows which.
  case repeated

  /// The machine's time before; nil if only the log knows it.
  var before: Instant? {
    switch self {
    case .once(let before): before
    case .repeated: nil
    }
  }
}

extension Browser {
  /// - Parameter before: The machine's time before it was set back; nil if only the log knows it.
  func redating(_ live: inout LiveState, before: Instant? = nil) -> Redating {
    Redating(now: live.now, start: record.start, backoff: live.settings.deliveryPolicy.retries.backoff, before: before)
  }

  /// Notes that the machine's clock was set back. The next run of what is due follows it.
  ///
  /// - Parameter before: The machine's time before.
  func noteClockSetBack(from before: Instant) { note(.once(from: before)) }

  private func note(_ setBack: ClockSetBack) {
    pendingSetBack.withLockedValue { $0 = $0 == nil ? setBack : .repeated }
  }

  /// Recovers after the machine's clock was set back. What is scheduled too late is corrected, and the next round follows after
  /// five seconds, as when a browser starts.
  func followClock() async throws {
    let setBack = pendingSetBack.withLockedValue { setBack in
      defer { setBack = nil }
      return setBack
    }
    guard let setBack else { return }
    do {
      let redating = await decide { live in self.redating(&live, before: setBack.before) }
      try await redate(redating)
      let write = await decide { _ in
        submit(isTimed: true) { writer in
          var state = try writer.state()
          guard try state.timer != nil || !writer.earliestAttributions(limit: 1).isEmpty else { return }
          state.reportTimer.start(at: redating.now)
          try writer.save(state)
        }
      }
      try await write.answer()
    } catch {
      note(setBack)
      throw error
    }
  }

  /// Corrects what is scheduled too late, in as many transactions as necessary.
  func redate(_ redating: Redating) async throws {
    var position = try await store.read(record.id) { try redating.beginning(in: $0) }
    while let start = position {
      let write = await decide { _ in submit(isTimed: true) { try redating.run(from: start, in: $0) } }
      position = try await write.answer()
    }
  }
}
