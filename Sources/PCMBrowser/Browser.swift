import NIOConcurrencyHelpers
package import PCMCore
import PCMDelivery
package import PCMStore

/// One browser profile: its clock, its chance, its rows and what happens to them, in order.
///
/// The actor guards what must be read and used without a pause: the clock, the settings and the random streams. Each
/// operation takes what it needs from them and hands its decision to the store before anything else can come between, so
/// that draws, instants and transactions have one order. Waiting for the disk or the network happens outside of that.
package actor Browser {
  package nonisolated let record: BrowserRecord
  package nonisolated let storage: StorageKind
  let world: World
  let store: any Store
  /// Wakes the browser up when it is due; nil for a manual clock.
  private nonisolated let realTime: RealTime?
  /// As they are committed.
  var settings: BrowserSettings
  var settingsCommit = SettingsCommit()
  let settingsMutex = AsyncMutex()
  var streams: RandomStreams
  var lastNow: Instant
  /// The registered apps, as the click rules see them.
  var apps: [String: AppTap.App]
  let mutex = AsyncMutex()
  private let deletion = NIOLockedValueBox(false)
  var cookies = CookieJars()
  var rejectedCalls = RejectedCalls()
  /// An attempt whose result the store has not taken yet; only who has the turn touches it.
  var unsavedAttempt: (report: Int64, attempt: Attempt)?
  /// Counts the transactions that may have added to the log, and who waits for the next one.
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

  /// The time of this browser. A real clock follows the machine's, but never backwards.
  var now: Instant {
    if record.clockMode == .real { lastNow = max(lastNow, world.wallClock()) }
    return lastNow
  }

  package var configuration: Configuration {
    Configuration(
      name: record.name, storage: storage, seed: record.seed, clockMode: record.clockMode, now: now, settings: settings)
  }

  /// Runs a decision in a transaction and passes on when the browser is next due.
  ///
  /// There must be no suspension between taking the time or a draw and calling this.
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

  /// Runs a decision in a transaction that moves no timer, and lets those go on who wait for the log. The log is shortened
  /// in the transaction that makes it too long.
  ///
  /// As with `transact`, nothing may suspend between taking the time or a draw and calling this.
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

/// When a browser has something to do next, as of a point in its log.
package struct Due: Hashable, Sendable {
  /// Nil when there is nothing to wait for.
  package let at: Instant?
  /// Grows with the log: of two that cross on their way, the larger is the newer.
  package let version: Int64

  package init(at: Instant?, version: Int64) {
    self.at = at
    self.version = version
  }
}

/// A browser as its owner sees it.
package struct Configuration: Hashable, Sendable {
  package let name: String
  package let storage: StorageKind
  package let seed: String
  package let clockMode: ClockMode
  package let now: Instant
  package let settings: BrowserSettings
}

extension BrowserReader {
  /// What the browser has to do next by itself: its send timer, or a retry. Nothing while measurement is switched off.
  func due() throws -> Due {
    let (state, version) = (try state(), try nextSequence())
    guard state.settings.session.measurementEnabled else { return Due(at: nil, version: version) }
    let retry = try earliestRetries(limit: 1).first?.retryAt
    return Due(at: [state.timer, retry].compactMap { $0 }.min(), version: version)
  }
}
