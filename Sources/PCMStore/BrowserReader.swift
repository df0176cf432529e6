package import PCMCore

/// One browser's rows, read inside a transaction. Confined to the closure that it is handed to.
package protocol BrowserReader {
  func state() throws -> BrowserState

  func app(_ bundleIdentifier: String) throws -> AppRecord?
  /// All apps, by bundle identifier.
  func apps() throws -> [AppRecord]

  func click(_ key: ClickKey, in place: ClickPlace) throws -> KeptClick?
  /// Clicks in the order of their numbers, those behind `id` only.
  func clicks(in place: ClickPlace, after id: Int64, limit: Int) throws -> [KeptClick]
  /// Clicks made before an instant, oldest first, then by number. Costs what it returns, not what is stored.
  func clicks(in place: ClickPlace, madeBefore instant: Instant) throws -> [KeptClick]
  /// Clicks whose source or destination is this site, by number.
  func clicks(in place: ClickPlace, naming site: Site) throws -> [KeptClick]
  /// Some click of the table from this source: one to this destination if there is one, under whatever app; else any.
  /// For saying why nothing matched.
  func nearestClick(source: Site, destination: Site) throws -> KeptClick?

  func attribution(_ key: ClickKey, in session: SessionKind) throws -> Attribution?
  /// Attributions in the order of their numbers, those behind `id` only.
  func attributions(in session: SessionKind, after id: Int64, limit: Int) throws -> [Attribution]
  /// Attributions whose source or destination is this site, by number.
  func attributions(in session: SessionKind, naming site: Site) throws -> [Attribution]
  /// Attributions of both sessions by the earlier of their remaining times, then by number. Costs what it returns.
  func earliestAttributions(limit: Int) throws -> [Attribution]

  func report(_ id: Int64) throws -> Report?
  /// Reports in the order of their numbers, those behind `id` only; all states when `state` is nil.
  func reports(in state: Report.State?, after id: Int64, limit: Int) throws -> [Report]
  /// Reports in the state `scheduled` whose click has this site as source or destination, all of them when `site` is
  /// nil, by number.
  func scheduledReports(naming site: Site?) throws -> [Report]
  /// Reports that wait for another attempt, by the time of it, then by number. Costs what it returns.
  func earliestRetries(limit: Int) throws -> [Report]

  /// Events behind a sequence number, in order.
  func events(after sequence: Int64, limit: Int) throws -> [LogEvent]
  /// Events of one block of the log that the index has under a filter, those behind `sequence` only, in order. The filter
  /// has a subject or a kind; see `BrowserEvent.indexedSubjects` for what is left out. Costs what it returns; with a subject
  /// and a kind, what is about the subject.
  func indexedEvents(_ filter: EventFilter, in block: Int64, after sequence: Int64, limit: Int) throws -> [LogEvent]
  /// The number of the oldest event; that of the next one while there is none.
  func firstSequence() throws -> Int64
  /// The number that the next event will have; the first is 1.
  func nextSequence() throws -> Int64
  /// The rules of the decisions that name this identifier; nil when no appended event had it.
  func ruleList(_ id: String) throws -> RuleList?
}

/// One browser's rows, to be read and changed inside a transaction.
package protocol BrowserWriter: BrowserReader {
  func save(_ state: BrowserState) throws

  /// Adds or replaces by bundle identifier.
  func save(_ app: AppRecord) throws
  func removeApp(_ bundleIdentifier: String) throws

  /// Adds, or replaces what has the same key in the same place. A number belongs to one click of a place: to save another
  /// key under it is an error.
  func save(_ click: KeptClick, in place: ClickPlace) throws
  func removeClick(_ key: ClickKey, in place: ClickPlace) throws
  /// Removes every click of a place and returns how many there were.
  func removeAllClicks(in place: ClickPlace) throws -> Int

  /// Adds, or replaces what has the same key in the same session. An attribution without a remaining half is not stored:
  /// its row goes. A number belongs to one attribution of a session: to save another key under it is an error.
  func save(_ attribution: Attribution, in session: SessionKind) throws
  func removeAttribution(_ key: ClickKey, in session: SessionKind) throws
  /// Removes every attribution of a session and returns how many there were.
  func removeAllAttributions(in session: SessionKind) throws -> Int

  /// Adds, or replaces what has the same number.
  func save(_ report: Report) throws

  /// Adds an event under the next sequence number and returns it as it will be read: its detail is text. The rules of its
  /// decision are kept with the first event that names them.
  @discardableResult
  func append(_ event: BrowserEvent, at instant: Instant) throws -> LogEvent
  /// Removes the events whose block ends before a number, with what the index has of them. The last event's block always
  /// stays, so the numbers go on.
  func removeEvents(before sequence: Int64) throws
}
