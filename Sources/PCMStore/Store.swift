package import PCMCore

/// Where browsers and all that is theirs are kept. No rule lives behind this contract: a decision is a pure closure that
/// runs inside the transaction and sees the rows as they are.
///
/// Two implementations follow it, in memory and on SQLite; `StoreContract` in the tests holds both to it.
package protocol Store: Sendable {
  /// All browsers, in the order of their creation.
  func browsers() async throws -> [BrowserRecord]

  /// Creates a browser. Throws `StoreError.browserExists` when the name is taken.
  func create(_ browser: NewBrowser) async throws -> BrowserRecord

  /// Deletes a browser and everything that is its own. Does nothing when it is gone already.
  func delete(_ browser: BrowserID) async throws

  /// Runs `body` in a transaction on one browser's data and returns when its effects are as durable as the store can
  /// make them. Calls take effect in the order in which they were made, also across browsers.
  ///
  /// The body may run more than once (a neighbour in the same commit failed, or the commit itself): it must draw nothing
  /// and change nothing but its transaction. If it throws, nothing of it remains and the error is passed on.
  /// Throws `StoreError.unknownBrowser` when the browser is gone.
  func write<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) async throws -> Answer

  /// Runs `body` on one consistent view of a browser's data, which contains every write that was acknowledged before.
  func read<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserReader) throws -> Answer
  ) async throws -> Answer

  /// Throws when the store cannot be written to.
  func checkWritable() async throws

  /// Waits for the writes that were handed over, then closes. Every later call throws `StoreError.closed`.
  func close() async throws
}

package struct BrowserID: Hashable, Sendable {
  package let number: Int64

  package init(_ number: Int64) {
    self.number = number
  }
}

/// What is fixed about a browser when it is created.
package struct BrowserRecord: Hashable, Sendable {
  package let id: BrowserID
  package let name: String
  package let seed: String
  package let clockMode: ClockMode

  package init(id: BrowserID, name: String, seed: String, clockMode: ClockMode) {
    self.id = id
    self.name = name
    self.seed = seed
    self.clockMode = clockMode
  }
}

package struct NewBrowser: Hashable, Sendable {
  package let name: String
  package let seed: String
  package let clockMode: ClockMode
  package let state: BrowserState

  package init(name: String, seed: String, clockMode: ClockMode, state: BrowserState) {
    self.name = name
    self.seed = seed
    self.clockMode = clockMode
    self.state = state
  }
}

/// What changes about a browser as a whole.
package struct BrowserState: Hashable, Sendable {
  package var settings: BrowserSettings
  /// Where a manual clock stands; for a real clock the time of its last sending, from which it never runs backwards.
  package var now: Instant
  /// When the send timer fires; nil when it is not running.
  package var timer: Instant?
  /// How many numbers each random stream has given, by the stream's name.
  package var draws: [String: Int64]

  package init(
    settings: BrowserSettings = BrowserSettings(), now: Instant, timer: Instant? = nil, draws: [String: Int64] = [:]
  ) {
    self.settings = settings
    self.now = now
    self.timer = timer
    self.draws = draws
  }
}

/// Where a click is kept.
package enum ClickPlace: Int64, Hashable, Sendable, CaseIterable {
  /// The table of unattributed clicks of the normal session.
  case table = 0
  /// The single slot of the normal session.
  case slot = 1
  /// The single slot of the private session.
  case privateSlot = 2
  /// The one-measurement store of the private session.
  case privateTable = 3
}

/// An app that was registered with a browser.
package struct AppRecord: Hashable, Sendable {
  package let bundleIdentifier: String
  /// `NSAdvertisingAttributionReportEndpoint` as written; nil when the manifest has none.
  package let reportEndpoint: String?
  /// Why the endpoint cannot be used; nil when it can, or when there is none.
  package let endpointProblem: String?
  package let isMacCatalyst: Bool
  /// The findings as a JSON array, ready to be shown.
  package let findings: String

  package init(
    bundleIdentifier: String, reportEndpoint: String?, endpointProblem: String?, isMacCatalyst: Bool, findings: String
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.reportEndpoint = reportEndpoint
    self.endpointProblem = endpointProblem
    self.isMacCatalyst = isMacCatalyst
    self.findings = findings
  }
}

package enum StoreError: Error, Hashable, Sendable {
  case browserExists(name: String)
  case unknownBrowser
  case closed
  /// The file is from a newer version of the service.
  case newerSchema(path: String)
  /// The store cannot be opened, read or written; the text says what the database said.
  case unavailable(String)
}
