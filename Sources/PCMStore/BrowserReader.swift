package import PCMCore

/// Read access to one browser's rows inside a transaction. It is only valid in the closure that receives it.
package protocol BrowserReader {
  func state() throws -> BrowserState

  func app(_ bundleIdentifier: String) throws -> AppRecord?
  /// Returns all apps, ordered by bundle identifier.
  func apps() throws -> [AppRecord]

  func site(_ host: String) throws -> SiteRecord?
  /// Returns all simulated sites, ordered by host.
  func sites() throws -> [SiteRecord]

  func click(_ key: ClickKey, in place: ClickPlace) throws -> KeptClick?
  /// Returns the clicks after `id`, ordered by number.
  func clicks(in place: ClickPlace, after id: Int64, limit: Int) throws -> [KeptClick]
  /// Returns the clicks made before an instant, oldest first, then by number. The cost depends only on the result.
  func clicks(in place: ClickPlace, madeBefore instant: Instant) throws -> [KeptClick]
  /// Returns the clicks with this source or destination, ordered by number.
  func clicks(in place: ClickPlace, naming site: Site) throws -> [KeptClick]
  /// Returns a click of the table from this source, of any app, for the reason when nothing matches. It prefers a click to
  /// this destination.
  func nearestClick(source: Site, destination: Site) throws -> KeptClick?

  func attribution(_ key: ClickKey, in session: SessionKind) throws -> Attribution?
  /// Returns the attributions after `id`, ordered by number.
  func attributions(in session: SessionKind, after id: Int64, limit: Int) throws -> [Attribution]
  /// Returns the attributions with this source or destination, ordered by number.
  func attributions(in session: SessionKind, naming site: Site) throws -> [Attribution]
  /// Returns the attributions of both sessions by their earliest remaining time, then by number. The cost depends only on
  /// the result.
  func earliestAttributions(limit: Int) throws -> [Attribution]

  func report(_ id: Int64) throws -> Report?
  /// Returns the reports after `id`, ordered by number, in one state or in all states.
  func reports(in state: Report.State?, after id: Int64, limit: Int) throws -> [Report]
  /// Returns the headings of the same reports. The cost does not depend on their texts.
  func reportHeadings(in state: Report.State?, after id: Int64, limit: Int) throws -> [ReportHeading]
  /// Returns the reports in the state `scheduled`, ordered by number: those with this source or destination, or all when
  /// `site` is nil.
  func scheduledReports(naming site: Site?) throws -> [Report]
  /// Returns the reports that wait for a retry, by its time, then by number. The cost depends only on the result.
  func earliestRetries(limit: Int) throws -> [Report]

  /// Returns a row of the device.
  func deviceRow(_ key: DeviceRow.Key) throws -> DeviceRow?
  /// Returns the rows of a kind whose names follow `name`, ordered by the bytes of the name.
  func deviceRows(_ kind: DeviceRow.Kind, after name: String, limit: Int) throws -> [DeviceRow]
  /// Returns the rows that time changes, by that time, then by kind and name. The cost depends only on the result.
  func earliestDeviceRows(limit: Int) throws -> [DeviceRow]

  func postback(_ id: Int64) throws -> Postback?
  /// Returns the postbacks after `id`, ordered by number, in one state or in all states.
  func postbacks(in state: Postback.State?, after id: Int64, limit: Int) throws -> [Postback]
  /// Returns the postbacks that wait for an attempt, by its time, then by number. The cost depends only on the result.
  func earliestPostbacks(limit: Int) throws -> [Postback]

  /// Returns the events after a sequence number, in order.
  func events(after sequence: Int64, limit: Int) throws -> [LogEvent]
  /// Returns the indexed events of one block of the log that satisfy a filter, after `sequence`, in order. The filter has a
  /// subject or a kind; `BrowserEvent.indexedSubjects` documents what the index omits. The cost depends only on the result,
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

  /// Returns the kept request with this key.
  func keptRequest(_ key: String) throws -> KeptRequest?

  /// Returns the entries of the journal in order; none after its end.
  func journal() throws -> [JournalEntry]
  /// Returns the reason for which the journal ended; nil while it is kept.
  func journalEnding() throws -> JournalEnding?
}

/// Read and write access to one browser's rows inside a transaction.
package protocol BrowserWriter: BrowserReader {
  /// Lets the transaction exceed the store's maximum size by a little, because it removes data. Call it before the first change.
  func beginRemoval() throws

  func save(_ state: BrowserState) throws

  /// Adds an app, or replaces the one with the same bundle identifier.
  func save(_ app: AppRecord) throws
  func removeApp(_ bundleIdentifier: String) throws

  /// Adds a simulated site, or replaces the one with the same host.
  func save(_ site: SiteRecord) throws
  func removeSite(_ host: String) throws

  /// Adds a click, or replaces the one with the same key in the same place. Numbers are unique in a place: saving a
  /// different key with an existing number is an error.
  func save(_ click: KeptClick, in place: ClickPlace) throws
  func removeClick(_ key: ClickKey, in place: ClickPlace) throws
  /// Removes all clicks of a place, and returns their number.
  func removeAllClicks(in place: ClickPlace) throws -> Int

  /// Adds an attribution, or replaces the one with the same key in the same session. An attribution without a remaining half
  /// is removed. Numbers are unique in a session: saving a different key with an existing number is an error.
  func save(_ attribution: Attribution, in session: SessionKind) throws
  func removeAttribution(_ key: ClickKey, in session: SessionKind) throws
  /// Removes all attributions of a session, and returns their number.
  func removeAllAttributions(in session: SessionKind) throws -> Int

  /// Adds a report, or replaces the one with the same number.
  func save(_ report: Report) throws
  /// Does nothing when there is no report with the number.
  func removeReport(_ id: Int64) throws

  /// Adds a row of the device, or replaces the one with its key.
  func save(_ row: DeviceRow) throws
  /// Does nothing when there is no row with the key.
  func removeDeviceRow(_ key: DeviceRow.Key) throws

  /// Adds a postback, or replaces the one with the same number.
  func save(_ postback: Postback) throws
  /// Does nothing when there is no postback with the number.
  func removePostback(_ id: Int64) throws

  /// Appends an event with the next sequence number, and returns it as stored, with its detail as text. The rule list of its
  /// decision is stored with the first event that refers to it.
  ///
  /// The times of a log never go back: an event with an earlier time than the last one has the time of the last one.
  @discardableResult
  func append(_ event: BrowserEvent, at instant: Instant) throws -> LogEvent
  /// The events that the transaction appended so far.
  var appended: [BrowserEvent] { get }
  /// Removes the events whose block ends before a number, with their index entries. The last event's block always stays, so
  /// that the numbers continue.
  func removeEvents(before sequence: Int64) throws

  /// Adds a request, or replaces the one with its key, and then removes the others in the order of their arrival until none
  /// exceeds a limit. The cost depends only on the number of removed requests.
  func keep(_ request: KeptRequest, within limits: KeptRequestLimits) throws

  /// Adds an entry to the journal, and returns its number. An entry that exceeds a limit ends the journal instead.
  ///
  /// - Returns: Nil when the journal has ended.
  func addToJournal(_ text: String, within limits: JournalLimits) throws -> Int64?
  /// Replaces the entry with its number. A text that exceeds a limit ends the journal instead. Does nothing after the end.
  func save(_ entry: JournalEntry, within limits: JournalLimits) throws
  /// Ends the journal for good, and removes its entries. Does nothing when it has ended.
  func endJournal(_ ending: JournalEnding) throws
}
