package import PCMCore

extension Instant {
  /// The instants that a store accepts: the times of a clock, and the times at which a clock at its end schedules reports and
  /// retries. Stores can read no other instants, so they write none.
  package static let storable = earliest...(latest + .days(7))

  /// - Throws: `StoreError.unstorableTime`, as when the machine's clock is wrong.
  fileprivate func requireStorable() throws(StoreError) {
    guard Self.storable.contains(self) else { throw .unstorableTime(self) }
  }
}

/// A stored value with times. A store checks them before it writes the value, because one that it does not read would make the
/// browser unreadable.
package protocol TimedRow {
  var times: [Instant?] { get }
}

extension TimedRow {
  /// - Throws: `StoreError.unstorableTime`.
  package func requireStorableTimes() throws(StoreError) {
    for time in times { try time?.requireStorable() }
  }
}

extension BrowserState: TimedRow {
  package var times: [Instant?] { [now, timer] }
}

extension NewBrowser: TimedRow {
  package var times: [Instant?] { [createdAt] + state.times }
}

extension BrowserCopy: TimedRow {
  package var times: [Instant?] { [createdAt] }
}

extension Report {
  package var times: [Instant?] { [dueAt, retryAt] }
}

extension Postback {
  package var times: [Instant?] { [dueAt, retryAt] }
}

extension ClockSetBack: TimedRow {
  package var times: [Instant?] { [machineTime] }
}

extension LogEvent: TimedRow {
  package var times: [Instant?] { [at] }
}
