import PCMCore
import PCMDevice
import PCMNetwork
import PCMStore

/// The state of a browser that decisions read and change. The browser's lock protects it.
struct RuntimeState: Sendable {
  private let clockMode: ClockMode
  private let wallClock: @Sendable () -> Instant
  private let log: LogSignal
  /// The committed settings.
  private(set) var settings: BrowserSettings
  private(set) var upkeep: BrowserUpkeep
  var streams: RandomStreams
  /// The time of a manual clock.
  private var manualNow: Instant
  /// The number of readings of the clock.
  private var readings = 0
  /// The registered apps as input of the click rules.
  var apps: [String: AppTap.App]
  var device: Device
  var networks: AdNetworkRegistry
  var cookies = CookieJars()
  var rejectedCalls = RecentCalls()
  /// The newest load of each site, if it triggered nothing.
  var quietLoads = RecentCalls()
  /// An attempt whose result is not stored yet. Only the task that sends messages accesses it.
  var unsavedAttempt: (message: any DeliverableMessage, attempt: Attempt)?
  /// The move of a manual clock that is under way.
  var advance: Advance?
  /// Whether a call moves the clock, or waits to do so.
  var isAdvancing = false
  /// Whether the caller of the move is gone.
  var isAdvanceCanceled = false

  init(_ record: BrowserRecord, _ rows: BrowserRows, _ log: LogSignal, world: World) throws {
    let state = rows.state
    clockMode = record.clockMode
    wallClock = world.wallClock
    self.log = log
    settings = state.settings
    upkeep = state.upkeep
    streams = RandomStreams(seed: record.seed, positions: state.draws)
    // The stored state lacks a move of the clock that was not committed, but used by a decision.
    manualNow = max(state.now, rows.lastEventAt ?? state.now)
    device = rows.device
    networks = AdNetworkRegistry(try rows.networks.map { try $0.network(world: world) })
    apps = Dictionary(rows.apps.map { ($0.bundleIdentifier, $0.facts(world: world)) }) { $1 }
  }

  /// Returns the registered app with exactly this identifier. A dictionary would also find it by a canonically equivalent text.
  func app(_ bundleIdentifier: String) -> AppTap.App? {
    BundleIdentifier.hasAllowedCharacters(bundleIdentifier) ? apps[bundleIdentifier] : nil
  }

  /// The browser's current time. A real clock is the machine's clock. When that is set back, it stands still at the last event.
  var now: Instant {
    mutating get {
      readings += 1
      guard clockMode == .real else { return manualNow }
      let machineTime = wallClock()
      return max(machineTime, log.lastEventAt ?? machineTime)
    }
  }

  /// By how much a real clock is later than the machine's clock, because that was set back; nil when it is not.
  var ahead: Interval? {
    guard clockMode == .real, let lastEventAt = log.lastEventAt else { return nil }
    let machineTime = wallClock()
    return lastEventAt > machineTime ? lastEventAt - machineTime : nil
  }
}

extension RuntimeState {
  /// A move of the clock that is being committed.
  struct Move: Sendable {
    let now: Instant
    fileprivate let before: Instant
    fileprivate let readings: Int
  }

  /// Moves a manual clock to an instant, unless it is later already. A real clock does not move.
  mutating func move(to instant: Instant) -> Move {
    let before = manualNow
    manualNow = max(before, instant)
    let now = now
    return Move(now: clockMode == .real ? max(now, instant) : now, before: before, readings: readings)
  }

  /// Reverts a move that was not committed, unless the clock was read since: a decision may have used the new time, and a
  /// later decision must not precede it in the log.
  mutating func revert(_ move: Move) {
    if readings == move.readings { manualNow = move.before }
  }
}

extension RuntimeState {
  /// Returns what a decision of the device needs besides its rows.
  func deviceContext(at now: Instant) -> DeviceContext {
    DeviceContext(now: now, device: device, networks: networks, draws: streams.named)
  }

  /// Publishes a committed change.
  mutating func publish(_ committed: BrowserSettings, _ upkeep: BrowserUpkeep) {
    if settings.measurement.privateBrowsing, !committed.measurement.privateBrowsing { cookies.endPrivateSession() }
    settings = committed
    self.upkeep = upkeep
  }
}
