import PCMCore
import PCMDevice
import PCMNetwork
import PCMStore

/// The inputs of a decision without its call, read in its transaction: another process may have changed them since the last one.
struct DecisionState: Sendable {
  let settings: BrowserSettings
  /// The network that responds to the browser's requests.
  let network: NetworkMode
  /// The browser's time.
  private(set) var now: Instant
  /// The random numbers. Their positions are saved at the end of the transaction, so a rolled back transaction has drawn none.
  var streams: RandomStreams
  /// The registered apps and networks. Their number is saved at the end of the transaction.
  var registry: Registry

  /// Reads the state of a browser in a transaction.
  ///
  /// - Parameters:
  ///   - machineTime: The machine's time at the call; nil for a manual clock.
  ///   - known: The registry that the browser has in memory.
  init(_ reader: any BrowserReader, of browser: Browser, machineTime: Instant?, known: Registry) throws {
    let row = try reader.state()
    (settings, network) = (row.settings, row.network)
    now = try reader.now(machineTime: machineTime)
    streams = RandomStreams(seed: browser.record.seed, positions: row.draws)
    registry = row.registry == known.version ? known : try Registry(reader, environment: browser.environment)
  }

  /// The inputs of requests after the transaction.
  var context: RequestContext { RequestContext(now: now, network: network) }

  /// Returns the inputs of a device's decision that are not its rows.
  var deviceContext: DeviceContext {
    DeviceContext(now: now, device: registry.device, networks: registry.networks, draws: streams.named)
  }

  /// Moves the clock to an instant, unless it is later already.
  mutating func move(to instant: Instant) { now = max(now, instant) }

  /// Saves the positions of the random numbers and the number of the registry.
  func save(in writer: any BrowserWriter) throws {
    var row = try writer.state()
    guard row.draws != streams.positions || row.registry != registry.version else { return }
    (row.draws, row.registry) = (streams.positions, registry.version)
    try writer.save(row)
  }
}

/// The time and the network of a browser at the transaction before a request.
struct RequestContext: Sendable {
  let now: Instant
  let network: NetworkMode
}

extension BrowserReader {
  /// Returns the browser's time: the stored time of a manual clock, or the machine's time for a real clock. When the machine's clock
  /// is set back, a real clock stands still at the last event.
  ///
  /// - Parameter machineTime: The machine's time; nil for a manual clock. It is evaluated after the last event is read, which a
  ///   concurrent call would otherwise make later than it.
  func now(machineTime: @autoclosure () -> Instant?) throws -> Instant {
    let last = try lastEventAt()
    let time = try machineTime() ?? state().now
    return max(time, last ?? time)
  }
}
