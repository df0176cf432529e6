package import PCMCore

/// A transactional store for browsers and their data. It implements no rules: a decision is a pure closure that runs inside
/// a transaction.
///
/// There are three implementations, in memory, on SQLite, and on PostgreSQL. `StoreContract` in the tests checks all of them.
///
/// ```swift
/// let browser = try await store.create(newBrowser)
/// let later = try await store.write(browser.id) { writer in
///   var state = try writer.state()
///   state.now = state.now + .hours(48)
///   try writer.save(state)
///   return state.now
/// }
/// let stored = try await store.read(browser.id) { try $0.state().now }
/// assert(stored == later)
/// ```
package protocol Store: SharableStore {
  /// Returns all browsers in the order of their creation. The name of an unreadable browser stays taken if it can be read. The browser
  /// can be deleted.
  func allBrowsers() async throws -> [Result<BrowserRecord, UnreadableBrowser>]

  /// Returns the first browsers after a name, in the order of the bytes of their names, up to a limit of at least one.
  func browsers(after name: String, limit: Int) async throws -> BrowserListPart

  /// Returns the browser with this name, or nil when none exists. Two names are the same if their bytes are. Throws
  /// `StoreError.unreadable` when its record is damaged.
  func browser(named name: String) async throws -> BrowserRecord?

  /// Creates a browser. Throws `StoreError.browserExists` when the name exists, `StoreError.tooManyBrowsers` when the store would have
  /// more than the maximum, and `StoreError.keptAlready` when a request with the same key created a browser.
  ///
  /// - Parameter body: Adds rows in the transaction of the creation, as the body of `submit` does.
  func create(
    _ browser: NewBrowser, _ body: @escaping @Sendable (any BrowserWriter) throws -> Void
  ) async throws -> BrowserRecord

  /// Returns the kept request with this key that created a browser. It outlives its browser.
  func keptCreation(_ key: String) async throws -> IdempotencyRecord?

  /// Copies a browser and all its data under another name. The numbers of its rows and events stay the same, and later
  /// changes of one do not affect the other. Throws the errors of `create`.
  ///
  /// The time depends on the size of the data. Writes to other browsers take effect in the meantime. The caller makes no write to
  /// this browser until the copy is complete, except its deletion, after which the fork throws `StoreError.unknownBrowser`.
  /// Before, the copy is not visible, but its name is taken.
  func fork(_ browser: BrowserID, as copy: BrowserCopy) async throws -> BrowserRecord

  /// Deletes a browser and all its data. Does nothing when it does not exist. The store may free the space of the data afterward.
  func delete(_ browser: BrowserID) async throws

  /// Submits `body` as a transaction on one browser's data. It is committed when its effects are as durable as the store
  /// supports. Transactions on one browser take effect in the order of their submission.
  ///
  /// The body sees the rows of the transactions before it, and runs again only after a rollback, because the commit or another write in
  /// it failed. It depends only on its rows and its captured values, and changes nothing outside its transaction. If it throws, its
  /// changes are rolled back, and the error is rethrown. Throws `StoreError.unknownBrowser` when the browser does not exist.
  func submit<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer>

  /// Runs `body` on a consistent view of a browser's data that contains all previously acknowledged writes.
  func read<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserReader) throws -> Answer
  ) async throws -> Answer

  /// Counts the readable browsers and their waiting reports.
  ///
  /// - Parameter wallNow: The time of real clocks.
  func counts(at wallNow: Instant) async throws -> StoreCounts

  /// Throws when the store is not writable, or when this process may not use it as others do.
  func checkWritable() async throws

  /// Waits for all submitted writes, and then closes the store. Later calls throw `StoreError.closed`.
  func close() async throws
}

extension Store {
  /// Returns all readable browsers in the order of their creation.
  package func browsers() async throws -> [BrowserRecord] { try await allBrowsers().compactMap { try? $0.get() } }

  /// Creates a browser without rows.
  package func create(_ browser: NewBrowser) async throws -> BrowserRecord {
    try await create(browser) { _ in }
  }

  /// Submits a transaction and returns its answer after the commit.
  package func write<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) async throws -> Answer {
    try await submit(browser, body).answer()
  }
}

package struct BrowserID: Hashable, Sendable {
  package let number: Int64

  package init(_ number: Int64) {
    self.number = number
  }
}

/// The properties of a browser that are fixed at creation.
package struct BrowserRecord: Hashable, Sendable {
  package let id: BrowserID
  package let name: String
  package let seed: String
  package let clockMode: ClockMode
  /// The initial time of the clock.
  package let start: Instant
  package let initialSettings: BrowserSettings
  package let initialUpkeep: BrowserUpkeep
  /// The machine's time of the creation.
  package let createdAt: Instant
  /// Random text that distinguishes the browser from earlier and later browsers of the same name.
  package let incarnation: String

  package init(
    id: BrowserID, name: String, seed: String, clockMode: ClockMode, start: Instant, initialSettings: BrowserSettings,
    initialUpkeep: BrowserUpkeep, createdAt: Instant, incarnation: String
  ) {
    self.id = id
    self.name = name
    self.seed = seed
    self.clockMode = clockMode
    self.start = start
    self.initialSettings = initialSettings
    self.initialUpkeep = initialUpkeep
    self.createdAt = createdAt
    self.incarnation = incarnation
  }

  /// Creates the record of a copy of a browser.
  package init(_ browser: BrowserRecord, as copy: BrowserCopy, id: BrowserID) {
    self.init(
      id: id, name: copy.name, seed: browser.seed, clockMode: browser.clockMode, start: browser.start,
      initialSettings: browser.initialSettings, initialUpkeep: BrowserUpkeep(), createdAt: copy.createdAt,
      incarnation: copy.incarnation)
  }

  /// Creates the record of a new browser.
  package init(_ browser: NewBrowser, id: BrowserID) {
    self.init(
      id: id, name: browser.name, seed: browser.seed, clockMode: browser.clockMode, start: browser.state.now,
      initialSettings: browser.state.settings, initialUpkeep: browser.state.upkeep, createdAt: browser.createdAt,
      incarnation: browser.incarnation)
  }
}

/// The properties of a copy of a browser that the original does not determine. It has neither labels nor an idle timeout.
package struct BrowserCopy: Sendable {
  package let name: String
  /// The machine's time.
  package let createdAt: Instant
  /// Random text.
  package let incarnation: String
  /// The request that copies the browser; nil for one without a key.
  package let creation: IdempotentCreation?
  /// The maximum number of browsers in the store, with the copy.
  package let maximumCount: Int

  package init(
    name: String, createdAt: Instant, incarnation: String, creation: IdempotentCreation? = nil, maximumCount: Int = .max
  ) {
    self.maximumCount = maximumCount
    self.name = name
    self.createdAt = createdAt
    self.incarnation = incarnation
    self.creation = creation
  }
}

package struct NewBrowser: Hashable, Sendable {
  package let name: String
  package let seed: String
  package let clockMode: ClockMode
  package let state: BrowserState
  package let createdAt: Instant
  package let incarnation: String
  /// The request that creates the browser, which is kept in the same transaction; nil for one without a key.
  package var creation: IdempotentCreation?
  /// The maximum number of browsers in the store, with the new one.
  package var maximumCount = Int.max

  /// - Parameters:
  ///   - createdAt: The machine's time; the time of the browser's clock when nil.
  ///   - incarnation: Random text.
  package init(
    name: String, seed: String, clockMode: ClockMode, state: BrowserState, createdAt: Instant? = nil, incarnation: String = ""
  ) {
    self.name = name
    self.seed = seed
    self.clockMode = clockMode
    self.state = state
    self.createdAt = createdAt ?? state.now
    self.incarnation = incarnation
  }
}

/// The mutable state of a browser.
package struct BrowserState: Hashable, Sendable {
  package var settings: BrowserSettings
  package var upkeep: BrowserUpkeep
  /// The stored time of a clock. Ignored for a real clock.
  package var now: Instant
  /// The time at which the send timer fires; nil when it is not running.
  package var timer: Instant?
  /// The count of numbers that each random stream has produced, by name.
  package var draws: [String: Int64]
  /// The network that responds to the browser's requests.
  package var network: NetworkMode
  /// A version. Unchanged while the apps, the ad networks, and the device are unchanged.
  package var registry: Int64
  package var journal = JournalTotal()
  /// The time at which the browser is due next on the machine's clock; nil when nothing is scheduled, and for a manual clock.
  package var dueAt: Instant?
  package var claim = Claim()

  package init(
    settings: BrowserSettings = BrowserSettings(), upkeep: BrowserUpkeep = BrowserUpkeep(), now: Instant, timer: Instant? = nil,
    draws: [String: Int64] = [:], network: NetworkMode = .real, registry: Int64 = 0
  ) {
    self.settings = settings
    self.upkeep = upkeep
    self.now = now
    self.timer = timer
    self.draws = draws
    self.network = network
    self.registry = registry
  }

  /// The state of a copy, which has neither labels nor an idle timeout, and which no instance has claimed.
  package var ofCopy: BrowserState {
    var copy = self
    (copy.upkeep, copy.claim.instance) = (BrowserUpkeep(), nil)
    return copy
  }
}

/// The place of a click.
package enum ClickPlace: Int64, Hashable, Sendable, CaseIterable {
  /// The table of unattributed clicks of the normal session.
  case table = 0
  /// The ephemeral click of the normal session.
  case ephemeral = 1
  /// The ephemeral click of the private session.
  case privateEphemeral = 2
  /// The store of the private session, for a single measurement.
  case privateTable = 3
}

/// A registered app of a browser.
package struct AppRecord: Hashable, Sendable {
  package let bundleIdentifier: String
  /// `NSAdvertisingAttributionReportEndpoint` as written; nil when the manifest has none.
  package let reportEndpoint: String?
  /// The error in the endpoint; nil when it is valid or absent.
  package let endpointError: String?
  package let build: AppBuild
  /// The findings as a JSON array, as the API returns them.
  package let findings: String
  /// The identifier in the App Store; nil when it is unknown.
  package let itemIdentifier: Int64?
  /// The values that a device reads from the manifest, as the API returns them: a JSON object.
  package let adAttribution: String

  package init(
    bundleIdentifier: String, reportEndpoint: String?, endpointError: String?, build: AppBuild = AppBuild(), findings: String,
    itemIdentifier: Int64? = nil, adAttribution: String = AppAdAttribution().json.text
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.reportEndpoint = reportEndpoint
    self.endpointError = endpointError
    self.build = build
    self.findings = findings
    self.itemIdentifier = itemIdentifier
    self.adAttribution = adAttribution
  }
}

/// A simulated site of a browser.
package struct SiteRecord: Hashable, Sendable {
  package let host: String
  /// The behavior as a JSON object, in the format of scenario files.
  package let behavior: String
  /// The positions in the lists of the behavior, as a JSON object.
  package let positions: String

  package init(host: String, behavior: String, positions: String) {
    self.host = host
    self.behavior = behavior
    self.positions = positions
  }
}
