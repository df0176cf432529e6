import PCMCore
import PCMDevice
import PCMNetwork
import PCMStore

/// The inputs of a decision besides its call, read in its transaction: another process may have changed them since the last one.
struct DecisionState: Sendable {
  let settings: BrowserSettings
  /// The network that responds to the browser's requests.
  let network: NetworkMode
  /// The browser's time.
  private(set) var now: Instant
  /// The random numbers. Their positions are saved at the end of the transaction, so one that is rolled back has drawn none.
  var streams: RandomStreams
  let registry: Registry

  /// Reads the state in a transaction.
  ///
  /// - Parameter machineTime: The machine's time at the call; nil for a manual clock.
  init(_ reader: any BrowserReader, seed: String, machineTime: Instant?, registry: Registry) throws {
    let row = try reader.state()
    (settings, network) = (row.settings, row.network)
    now = try reader.now(machineTime: machineTime)
    streams = RandomStreams(seed: seed, positions: row.draws)
    self.registry = registry
  }

  /// What requests after the transaction need.
  var context: RequestContext { RequestContext(now: now, network: network) }

  /// Returns what a decision of the device needs besides its rows.
  var deviceContext: DeviceContext {
    DeviceContext(now: now, device: registry.device, networks: registry.networks, draws: streams.named)
  }

  /// Moves the clock to an instant, unless it is later already.
  mutating func move(to instant: Instant) { now = max(now, instant) }

  /// Saves the positions of the random numbers.
  func saveDraws(in writer: any BrowserWriter) throws {
    var row = try writer.state()
    guard row.draws != streams.positions else { return }
    row.draws = streams.positions
    try writer.save(row)
  }
}

/// The time and the network of a browser at the transaction before a request.
struct RequestContext: Sendable {
  let now: Instant
  let network: NetworkMode
}

/// What is registered for a browser, as input of its rules.
struct Registry: Sendable {
  var device: Device
  var networks: AdNetworkRegistry
  private var apps: [String: AppTap.App]

  init(_ rows: BrowserRows, world: World) throws {
    device = rows.device
    networks = AdNetworkRegistry(try rows.networks.map { try $0.network(world: world) })
    apps = Dictionary(rows.apps.map { ($0.bundleIdentifier, $0.facts(world: world)) }) { $1 }
  }

  var appCount: Int { apps.count }

  /// The bundle identifiers of the apps, in their order.
  var appNames: [String] { apps.keys.sorted() }

  /// The app with exactly this identifier. A dictionary would also find it by a canonically equivalent text.
  subscript(app bundleIdentifier: String) -> AppTap.App? {
    get { BundleIdentifier.hasAllowedCharacters(bundleIdentifier) ? apps[bundleIdentifier] : nil }
    set { apps[bundleIdentifier] = newValue }
  }
}

extension BrowserReader {
  /// Returns the browser's time: the time of a manual clock, or the machine's time of a real one. When the machine's clock is set
  /// back, a real clock stands still at the last event.
  ///
  /// - Parameter machineTime: The machine's time; nil for a manual clock. A read evaluates it after the rows, which then have no later
  ///   event.
  func now(machineTime: @autoclosure () -> Instant?) throws -> Instant {
    let (row, last) = (try state(), try lastEventAt())
    let time = machineTime() ?? row.now
    return max(time, last ?? time)
  }
}
