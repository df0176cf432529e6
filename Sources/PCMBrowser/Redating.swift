import NIOConcurrencyHelpers
import PCMCore
import PCMStore

/// Corrects the instants that a browser on the real clock scheduled while the machine's clock was ahead.
///
/// No report is due more than 48 hours after its attribution, and no retry follows later than the longest delay. Later
/// instants are from a clock that was ahead, and would be far in the future. If the clock is earlier than the browser itself, it is
/// the clock that is wrong, as at the start of a machine without a battery, and nothing is corrected.
struct Redating: Sendable {
  let now: Instant
  /// The time of the browser's creation.
  let start: Instant
  let backoff: RetryPolicy.Backoff

  func isNeeded(in reader: any BrowserReader) throws -> Bool {
    guard try ahead(in: reader) != nil else { return false }
    return try !reader.earliestAttributions(limit: 1).isEmpty || !reader.earliestRetries(limit: 1).isEmpty
  }

  func run(in writer: any BrowserWriter) throws {
    guard let ahead = try ahead(in: writer) else { return }
    for session in SessionKind.allCases {
      for var attribution in try writer.attributions(in: session, after: 0, limit: .max) {
        let before = attribution
        attribution.source = try attribution.source.map { try redated($0, by: ahead, in: writer) }
        attribution.destination = try attribution.destination.map { try redated($0, by: ahead, in: writer) }
        if attribution != before { try writer.save(attribution, in: session) }
      }
    }
    for var retry in try writer.earliestRetries(limit: .max) {
      guard let instant = retry.retryAt, instant > now + backoff.maximum else { continue }
      retry.retryAt = now + backoff.maximum
      try writer.save(retry)
    }
  }

  /// Returns by how much the last event is later than the clock, or nil when it is not.
  private func ahead(in reader: any BrowserReader) throws -> Interval? {
    guard now >= start, let last = try reader.lastEventAt(), last > now else { return nil }
    return last - now
  }

  /// Returns the half with its due time moved to the corrected clock.
  private func redated(
    _ half: Attribution.PendingHalf, by ahead: Interval, in writer: any BrowserWriter
  ) throws -> Attribution.PendingHalf {
    guard half.dueAt > now + SendTimes.longestDelay, var report = try writer.report(half.report) else { return half }
    report.move(dueAt: half.dueAt - ahead)
    try writer.save(report)
    return Attribution.PendingHalf(report: half.report, dueAt: report.dueAt)
  }
}

extension Browser {
  func redating(_ live: inout LiveState) -> Redating {
    Redating(now: live.now, start: record.start, backoff: live.settings.deliveryPolicy.retries.backoff)
  }

  /// Notes that the machine's clock was set back. The next run of what is due follows it.
  func noteClockSetBack() { isClockSetBack.withLockedValue { $0 = true } }

  /// Recovers after the machine's clock was set back. What is scheduled too late is corrected, and the next round follows after
  /// five seconds, as when a browser starts.
  func followClock() async throws {
    let isSetBack = isClockSetBack.withLockedValue { isSetBack in
      defer { isSetBack = false }
      return isSetBack
    }
    guard isSetBack else { return }
    let write = await decide { live in
      let redating = redating(&live)
      return submit(isTimed: true) { writer in
        try redating.run(in: writer)
        var state = try writer.state()
        guard try state.timer != nil || !writer.earliestAttributions(limit: 1).isEmpty else { return }
        state.reportTimer.start(at: redating.now)
        try writer.save(state)
      }
    }
    do {
      try await write.answer()
    } catch {
      noteClockSetBack()
      throw error
    }
  }
}
