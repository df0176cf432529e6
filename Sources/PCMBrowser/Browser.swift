import NIOConcurrencyHelpers
package import PCMCore
package import PCMDevice
import PCMNetwork
package import PCMStore

/// A browser profile: its clock, its random numbers, its stored rows, and the operations on them, in order.
///
/// A decision reads the clock, draws random numbers, and applies the rules in its transaction, so that instants, random numbers,
/// and transactions have the same order, also when several processes share a store.
package final class Browser: Sendable {
  package let record: BrowserRecord
  package let storage: StorageKind
  package let environment: BrowserEnvironment
  /// The simulated sites, which receive the requests in the mode `simulated`.
  let sites: ScriptedSites
  let store: any Store
  /// The scheduler of the browser; nil for a manual clock.
  private let realTime: RealTime?
  private let live: NIOLockedValueBox<RuntimeState>
  let logSignal = LogSignal()
  let journaling: Journaling
  let lock = OperationLock()
  /// Serializes the sending of reports on a real clock.
  let sending = OperationLock()
  package let keyLocks = NamedLocks()
  package let failedRequests = FailedRequests()
  private let deletedBy = NIOLockedValueBox<Deletion?>(nil)
  let usage: NIOLockedValueBox<Usage>

  init(
    record: BrowserRecord, storage: StorageKind, rows: BrowserRows, store: any Store, environment: BrowserEnvironment,
    realTime: RealTime
  ) {
    let live = NIOLockedValueBox(RuntimeState(rows))
    sites = ScriptedSites(rows.sites, of: record.id, in: store, environment: environment, live: live)
    // A scenario has a manual clock.
    journaling = Journaling(isOpen: record.clockMode == .manual && rows.journalEnding == nil)
    self.record = record
    self.storage = storage
    self.store = store
    self.environment = environment
    self.realTime = record.clockMode == .real ? realTime : nil
    self.live = live
    usage = NIOLockedValueBox(Usage(openedAt: environment.wallClock()))
  }

  /// The process that deleted the browser; nil while it exists.
  var deletion: Deletion? { deletedBy.withLockedValue { $0 } }

  enum Deletion: Hashable, Sendable { case this, another }

  /// Marks the browser as deleted, and resumes the tasks that wait for the log, so that they notice the deletion.
  func markDeleted(by process: Deletion = .this) {
    deletedBy.withLockedValue { $0 = process }
    logSignal.note()
  }

  /// The machine's time if it determines the browser's; nil for a manual clock.
  var machineTime: Instant? { record.clockMode == .real ? environment.wallClock() : nil }

  /// Returns the browser's current time.
  func currentTime() async throws -> Instant { try await read { [self] in try currentTime(in: $0) } }

  /// Returns the browser's time in a read.
  func currentTime(in reader: any BrowserReader) throws -> Instant { try reader.now(machineTime: machineTime) }

  /// Returns the inputs of a request that follows no decision.
  func requestContext() async throws -> RequestContext {
    try await read { [self] in
      let network = try $0.state().network
      return RequestContext(now: try currentTime(in: $0), network: network)
    }
  }

  /// Returns the browser's time after a transaction, without a read: a manual clock does not move in the meantime.
  ///
  /// - Parameter instant: The browser's time at the transaction.
  func time(since instant: Instant) -> Instant { max(machineTime ?? instant, instant) }

  package func configuration() async throws -> BrowserSnapshot { try await read { [self] in try configuration($0) } }

  /// Returns the description of the browser in a read.
  func configuration(_ reader: any BrowserReader) throws -> BrowserSnapshot {
    let (row, device, machineTime) = (try reader.state(), try reader.device(), machineTime)
    let now = try reader.now(machineTime: machineTime)
    let ahead = machineTime.flatMap { now > $0 ? now - $0 : nil }
    return BrowserSnapshot(
      name: record.name, storage: storage, seed: record.seed, clockMode: record.clockMode, start: record.start, now: now,
      ahead: ahead, settings: row.settings, device: device, upkeep: row.upkeep,
      createdAt: record.createdAt, incarnation: record.incarnation)
  }

  /// The labels and the idle timeout, as this process knows them.
  var upkeep: BrowserUpkeep { withState { $0.upkeep } }

  /// Accesses the memory under the lock.
  func withState<Value>(_ body: (inout RuntimeState) throws -> Value) rethrows -> Value {
    try live.withLockedValue(body)
  }

  /// Reads the browser's rows in one transaction.
  func read<Answer: Sendable>(
    _ body: @escaping @Sendable (any BrowserReader) throws -> Answer
  ) async throws -> Answer {
    let start = environment.storeMeter.uptime()
    let answer = try await store.read(record.id, body)
    environment.storeMeter.didRead(storage, environment.storeMeter.uptime() - start)
    return answer
  }

  func announce(_ due: Due) {
    if let instant = due.at { realTime?.wake(by: instant) }
  }
}

/// The rows from which a browser is opened.
struct BrowserRows: Sendable {
  var state: BrowserState
  let registry: Registry
  let sites: [SiteRecord]
  let journalEnding: JournalEnding?
  let due: Due

  init(_ reader: any BrowserReader, environment: BrowserEnvironment) throws {
    state = try reader.state()
    registry = try Registry(reader, environment: environment)
    sites = try reader.sites()
    journalEnding = state.journal.ending
    due = try reader.nextScheduledWork()
  }

  /// Creates the rows of a new browser.
  init(new state: BrowserState) {
    (self.state, registry, sites, journalEnding) = (state, Registry(), [], nil)
    due = Due(at: nil, version: 1)
  }
}

/// The time at which a browser is next due, at a certain length of its log.
package struct Due: Hashable, Sendable {
  /// The due time; nil when nothing is scheduled.
  package let at: Instant?
  /// The number of the log's next event.
  package let version: Int64
}

/// The description of a browser.
package struct BrowserSnapshot: Hashable, Sendable {
  package let name: String
  package let storage: StorageKind
  package let seed: String
  package let clockMode: ClockMode
  /// The initial time of the clock.
  package let start: Instant
  package let now: Instant
  /// By how much the clock is later than the machine's clock, because that was set back; nil when it is not.
  package let ahead: Interval?
  package let settings: BrowserSettings
  package let device: Device
  package let upkeep: BrowserUpkeep
  /// The machine's time of the creation.
  package let createdAt: Instant
  package let incarnation: String
}

extension BrowserSnapshot {
  /// The description of a browser at its creation.
  init(new browser: NewBrowser, device: Device, storage: StorageKind) {
    let (state, now) = (browser.state, browser.state.now)
    self.init(
      name: browser.name, storage: storage, seed: browser.seed, clockMode: browser.clockMode, start: now, now: now,
      ahead: nil, settings: state.settings, device: device, upkeep: state.upkeep, createdAt: browser.createdAt,
      incarnation: browser.incarnation)
  }

  /// Returns the description of a copy at its creation.
  func copied(as name: String, createdAt: Instant, incarnation: String) -> BrowserSnapshot {
    BrowserSnapshot(
      name: name, storage: storage, seed: seed, clockMode: clockMode, start: start, now: now, ahead: ahead,
      settings: settings, device: device, upkeep: BrowserUpkeep(), createdAt: createdAt, incarnation: incarnation)
  }
}

extension BrowserWriter {
  /// Records once that the machine's clock is more than a minute earlier than the log. The log then stands still until the
  /// machine's clock has caught up.
  func noteSetBack(of machineTime: Instant) throws {
    guard let last = try lastEventAt(), machineTime + .minutes(1) < last else { return }
    try machineTime.requireStorable()
    guard try lastEvents(EventFilter(kind: .clockSetBack), limit: 1).first?.at != last else { return }
    try append(ClockSetBack(machineTime: machineTime), at: last)
  }
}

extension BrowserReader {
  /// Returns the next scheduled work: the send timer, the retry of a report, a postback, or the end of a conversion window.
  /// Reports wait while measurement is switched off.
  func nextScheduledWork() throws -> Due {
    let (state, version) = (try state(), try nextSequence())
    let device = [
      try rows(DeviceRow.Query.earliest(limit: 1)).first?.changesAt, try rows(Postback.Query.earliest(limit: 1)).first?.time,
    ]
    guard state.settings.measurement.measurementEnabled else {
      return Due(at: device.compactMap { $0 }.min(), version: version)
    }
    let retry = try rows(Report.Query.earliest(limit: 1)).first?.retryAt
    return Due(at: ([state.timer, retry] + device).compactMap { $0 }.min(), version: version)
  }
}
