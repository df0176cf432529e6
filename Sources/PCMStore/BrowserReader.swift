package import PCMCore

/// Read access to one browser's rows inside a transaction. It is only valid in the closure that receives it.
package protocol BrowserReader {
  func state() throws -> BrowserState

  func row<Row: StoredRow>(_ type: Row.Type, _ key: Row.RowKey) throws -> Row?
  func rows<Row: StoredRow>(_ query: RowQuery<Row>) throws -> [Row]
  /// Returns the number and the size of the rows of a table with sizes.
  func total<Row: StoredRow>(of type: Row.Type) throws -> RowTotal
  /// Returns the headings of the reports after `id`, ordered by number, in one state or in all states. The cost does not depend
  /// on their texts.
  func reportHeadings(in state: Report.State?, after id: Int64, limit: Int) throws -> [ReportHeading]
  /// Returns the keys of the oldest kept requests in the order of their arrival, then by key. The cost does not depend on their
  /// answers, which may be long or damaged.
  ///
  /// - Parameter until: The latest arrival; nil for all.
  func keysOfKeptRequests(until: Instant?, limit: Int) throws -> [String]

  /// Returns the events after a sequence number, in order.
  func events(after sequence: Int64, limit: Int) throws -> [LogEvent]
  /// Returns the indexed events of one block of the log that satisfy a filter, after `sequence`, in order. The filter has a
  /// subject or a kind; `BrowserEvent.indexedSubjects` documents the omissions of the index. The cost depends only on the result,
  /// or on all events about the subject when the filter has both.
  func indexedEvents(_ filter: EventFilter, in block: Int64, after sequence: Int64, limit: Int) throws -> [LogEvent]
  /// Returns the number of the oldest event, or of the next one when the log is empty.
  func firstSequence() throws -> Int64
  /// Returns the number of the next event. The first is 1.
  func nextSequence() throws -> Int64
  /// Returns the time of the last event, or nil when the log is empty.
  func lastEventAt() throws -> Instant?
  /// Returns the rule list with this identifier, or nil when no appended event refers to it.
  func ruleList(_ id: String) throws -> RuleList?
}

/// Read and write access to one browser's rows inside a transaction.
///
/// ```swift
/// try await store.write(browserID) { writer in
///   let launched = try writer.append(AppLaunched(bundleIdentifier: "com.example.game"), at: now)
///   let stored = try writer.events(after: launched.sequence - 1, limit: 1)
///   assert(stored == [launched])
/// }
/// ```
package protocol BrowserWriter: BrowserReader {
  /// Lets the transaction exceed the store's maximum size by a little, because it removes data. Call it before the first change.
  func beginRemoval() throws

  func save(_ state: BrowserState) throws

  /// Adds a row, or replaces the row with its key. Saving a different key with an existing position is an error.
  func save<Row: StoredRow>(_ row: Row) throws
  /// Does nothing when there is no row with the key.
  func remove<Row: StoredRow>(_ type: Row.Type, _ key: Row.RowKey) throws
  /// Removes all rows of a group, or of a table without groups, and returns their number.
  func removeAll<Row: StoredRow>(_ type: Row.Type, in group: StoredValue?) throws -> Int

  /// Appends an event with the next sequence number, and returns it as stored, with its detail as text. The rule list of its
  /// decision is stored with the first event that refers to it.
  ///
  /// The times of a log never go back: an event with an earlier time than the last one has the time of the last one.
  @discardableResult
  func append(_ event: any BrowserEvent, at instant: Instant) throws -> LogEvent
  /// The events that the transaction appended so far.
  var appended: [any BrowserEvent] { get }
  /// Removes the events whose block ends before a number, with their index entries. The last event's block always stays, so
  /// that the numbers continue.
  func removeEvents(before sequence: Int64) throws
}
