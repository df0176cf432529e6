import NIOConcurrencyHelpers
package import PCMCore
import PCMDelivery
package import PCMStore

/// A browser profile: its clock, its random numbers, its stored rows, and the operations on them, in order.
///
/// The actor protects state that must be read and used without suspension: the clock, the settings, and the random streams.
/// Each operation reads that state and passes its decision to the store without suspending, so that random numbers,
/// instants, and transactions have the same order. Disk and network waits happen outside the actor.
package actor Browser {
  package nonisolated let record: BrowserRecord
  package nonisolated let storage: StorageKind
  let world: World
  let store: any Store
  /// The scheduler of the browser; nil for a manual clock.
  private nonisolated let realTime: RealTime?
  /// The committed settings.
  var settings: BrowserSettings
  var settingsCommit = SettingsCommit()
  let settingsMutex = AsyncMutex()
  var streams: RandomStreams
  var lastNow: Instant
  /// The registered apps as input of the click rules.
  var apps: [String: AppTap.App]
  let mutex = AsyncMutex()
  private let deletion = NIOLockedValueBox(false)
  var cookies = CookieJars()
  var rejectedCalls = RejectedCalls()
  /// An attempt whose result is not stored yet. Access requires the mutex.
  var unsavedAttempt: (report: Int64, attempt: Attempt)?
  /// The count of transactions that may have extended the log, and the tasks that wait for the next one.
  var logGrowth = 0
  var pageReading: PageReading?
  var watchers: [Int: CheckedContinuation<Bool, Never>] = [:]
  var nextWatcher = 0

  package init(
    record: BrowserRecord, storage: StorageKind, state: BrowserState, apps: [AppRecord], store: any Store, world: World,
    realTime: RealTime
  ) {
    self.record = record
    self.storage = storage
    self.store = store
    self.world = world.seen(by: record.name)
    self.realTime = record.clockMode == .real ? realTime : nil
    settings = state.settings
    streams = RandomStreams(seed: record.seed, positions: state.draws)
    lastNow = state.now
    self.apps = Dictionary(apps.map { ($0.bundleIdentifier, $0.facts(world: world)) }) { $1 }
  }

  /// Whether the browser was deleted. A deleted browser is never due.
  nonisolated var isDeleted: Bool { deletion.withLockedValue { $0 } }

  nonisolated func markDeleted() { deletion.withLockedValue { $0 = true } }

  /// The browser's current time. A real clock follows the machine's clock but never moves backward.
  var now: Instant {
    if record.clockMode == .real { lastNow = max(lastNow, world.wallClock()) }
    return lastNow
  }

  package var configuration: Configuration {
    Configuration(
      name: record.name, storage: storage, seed: record.seed, clockMode: record.clockMode, now: now, settings: settings)
  }

  /// Runs a decision in a transaction and announces when the browser is next due.
  ///
  /// Do not suspend between reading the clock or a random number and this call.
  func transact<Answer: Sendable>(
    _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) async throws -> Answer {
    let (answer, due) = try await commit { writer in
      let answer = try body(writer)
      return (answer, try writer.due())
    }
    announce(due)
    return answer
  }

  /// Runs a decision in a transaction that changes no timer, and resumes the tasks that wait for the log. The transaction
  /// also trims the log if it exceeds its limit.
  ///
  /// As with `transact`, do not suspend between reading the clock or a random number and this call.
  func commit<Answer: Sendable>(
    _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) async throws -> Answer {
    let answer = try await store.write(record.id) { writer in
      let sequence = try writer.nextSequence()
      let answer = try body(writer)
      try writer.trimLog(since: sequence)
      return answer
    }
    logGrowth += 1
    if !watchers.isEmpty {
      let woken = watchers.values
      watchers.removeAll()
      for watcher in woken { watcher.resume(returning: true) }
    }
    return answer
  }

  nonisolated func announce(_ due: Due) {
    realTime?.schedule(self, due)
  }
}

/// The time at which a browser is next due, at a certain length of its log.
package struct Due: Hashable, Sendable {
  /// The due time; nil when nothing is scheduled.
  package let at: Instant?
  /// The length of the log. Of two concurrent announcements, the one with the greater length is newer.
  package let version: Int64

  package init(at: Instant?, version: Int64) {
    self.at = at
    self.version = version
  }
}

/// The description of a browser.
package struct Configuration: Hashable, Sendable {
  package let name: String
  package let storage: StorageKind
  package let seed: String
  package let clockMode: ClockMode
  package let now: Instant
  package let settings: BrowserSettings
}

extension BrowserReader {
  /// Returns the next scheduled work: the send timer or a retry. There is none while measurement is switched off.
  func due() throws -> Due {
    let (state, version) = (try state(), try nextSequence())
    guard state.settings.session.measurementEnabled else { return Due(at: nil, version: version) }
    let retry = try earliestRetries(limit: 1).first?.retryAt
    return Due(at: [state.timer, retry].compactMap { $0 }.min(), version: version)
  }
}
