import NIOConcurrencyHelpers
import PCMCore
import PCMDelivery
import PCMSimulation

/// The network of one browser. For each request, the browser's mode selects the real network or the simulated sites.
struct BrowserNetwork: Transport {
  let sites: LiveSites
  let real: any Transport
  private let journaling: Journaling
  private let belongsToMove: Bool

  /// - Parameter network: The real network of all browsers.
  init(over network: any Transport, sites: LiveSites, journaling: Journaling) {
    self.init(real: network, sites: sites, journaling: journaling, belongsToMove: false)
  }

  private init(real: any Transport, sites: LiveSites, journaling: Journaling, belongsToMove: Bool) {
    self.real = real
    self.sites = sites
    self.journaling = journaling
    self.belongsToMove = belongsToMove
  }

  func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    guard sites.mode == .real else { return await sites.send(request, route: route) }
    let exchange = await real.send(request, route: route)
    journaling.collect(exchange, to: request, belongsToMove: belongsToMove)
    return sites.naming(exchange, to: request)
  }

  func transportOfMove() -> any Transport {
    BrowserNetwork(real: real.transportOfMove(), sites: sites, journaling: journaling, belongsToMove: true)
  }
}

/// The simulated sites of one browser, and the requests that they received in this process.
final class LiveSites: Transport {
  private struct State {
    var mode: NetworkMode
    var scripts: SiteScripts
    var messages = MessageLog()
  }

  private let state: NIOLockedValueBox<State>
  private let registrableDomain: @Sendable (_ host: String) -> String
  private let now: @Sendable () -> Instant
  private let save: @Sendable (_ host: String, _ current: @Sendable () -> SiteScript?) async -> Void

  /// - Parameters:
  ///   - registrableDomain: Returns the registrable domain of a host, or the host itself when it has none.
  ///   - now: Returns the time of the browser.
  ///   - save: Stores the changed positions of a script. Receives a function that returns the script at the time of the decision,
  ///     so the later position of two responses remains.
  init(
    mode: NetworkMode, scripts: SiteScripts, registrableDomain: @escaping @Sendable (_ host: String) -> String,
    now: @escaping @Sendable () -> Instant,
    save: @escaping @Sendable (_ host: String, _ current: @Sendable () -> SiteScript?) async -> Void
  ) {
    state = NIOLockedValueBox(State(mode: mode, scripts: scripts))
    self.registrableDomain = registrableDomain
    self.now = now
    self.save = save
  }

  var mode: NetworkMode { state.withLockedValue { $0.mode } }

  /// Returns an exchange whose failure says that the host, which the real network does not know, has a simulated site.
  func naming(_ exchange: Exchange, to request: OutgoingRequest) -> Exchange {
    guard let failure = exchange.failure, failure.code == .nameNotResolved else { return exchange }
    let scripts = state.withLockedValue { $0.scripts }
    let host = scripts.scriptedHost(for: RequestTarget(request).host, registrableDomain: registrableDomain)
    guard scripts.sites[host] != nil else { return exchange }
    var named = exchange
    named.failure = TransportFailure(
      failure.code,
      "\(failure.detail); \(host) is a simulated site, but the network of the browser is real: set its mode to \"simulated\"")
    return named
  }

  /// The scripts by host.
  var scripts: [String: SiteScript] { state.withLockedValue { $0.scripts.sites } }

  func use(_ mode: NetworkMode) { state.withLockedValue { $0.mode = mode } }

  func set(_ script: SiteScript?, for host: String) { state.withLockedValue { $0.scripts.set(script, for: host) } }

  /// Returns the messages after a number, and the number of dropped messages.
  func messages(to hosts: Set<String>, after number: Int64, limit: Int) -> (messages: [SiteMessage], droppedCount: Int64) {
    state.withLockedValue { ($0.messages.messages(to: hosts, after: number, limit: limit), $0.messages.droppedCount) }
  }

  func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    let host = RequestTarget(request).host
    let (response, changed) = state.withLockedValue { state in
      let host = state.scripts.scriptedHost(for: host, registrableDomain: registrableDomain)
      let before = state.scripts.sites[host]
      let response = state.scripts.respond(to: request, registrableDomain: registrableDomain)
      let after = state.scripts.sites[host]
      return (response, before == after ? nil : host)
    }
    // Only a list with a further response moves, so a script is stored at most as often as it is long.
    if let host = changed { await save(host) { state.withLockedValue { $0.scripts.sites[host] } } }
    let exchange = response.exchange(to: request, limit: route.responseLimit)
    guard response.failure?.isAfterRequest ?? true else { return exchange }
    let now = now()
    state.withLockedValue { state in
      state.messages.add(request, at: now, httpStatus: exchange.httpStatus, failure: response.failure)
    }
    return exchange
  }
}
