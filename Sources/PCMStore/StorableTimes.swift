package import PCMCore

extension Instant {
  /// The instants that a store accepts: the times of a clock, and the times at which a clock at its end schedules reports and
  /// retries. Stores can read no other instants, so they write none: the browser would become unreadable.
  package static let storable = earliest...(latest + .days(7))

  /// - Throws: `StoreError.unstorableTime`, as when the machine's clock is wrong.
  package func requireStorable() throws(StoreError) {
    guard Self.storable.contains(self) else { throw .unstorableTime(self) }
  }
}

extension StoredRow {
  /// - Throws: `StoreError.unstorableTime`.
  package func requireStorableTimes() throws(StoreError) {
    for time in times { try time?.requireStorable() }
  }
}

extension BrowserState {
  /// - Throws: `StoreError.unstorableTime`.
  package func requireStorableTimes() throws(StoreError) {
    try now.requireStorable()
    try timer?.requireStorable()
    try dueAt?.requireStorable()
  }
}

extension NewBrowser {
  /// - Throws: `StoreError.unstorableTime`.
  package func requireStorableTimes() throws(StoreError) {
    try createdAt.requireStorable()
    try state.requireStorableTimes()
  }
}
