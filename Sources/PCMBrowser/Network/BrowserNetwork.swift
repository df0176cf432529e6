import NIOConcurrencyHelpers
import PCMCore
import PCMNetwork
import PCMSimulatedSites
import PCMStore

/// The kinds of requests. Each has a semaphore for all browsers, so that loads cannot delay reports.
enum RequestKind: CaseIterable, Sendable {
  /// Reports, postbacks, and the keys that reports need. A browser sends one at a time.
  case reports
  /// Exchanges of tokens.
  case tokens
  /// Loads of pages, and requests for the signed values of web ads.
  case loads

  /// The number of requests at a time.
  var capacity: Int { self == .tokens ? 96 : 128 }

  /// The number of requests that wait. A report that waits is not lost.
  var maximumQueue: Int { self == .reports ? .max : 1_000 }

  var semaphore: AsyncSemaphore { AsyncSemaphore(capacity, maximumQueue: maximumQueue) }
}

extension Browser {
  /// Sends a request over the network that the browser's mode selects: the real one, or its simulated sites, which need no
  /// permit.
  ///
  /// - Parameter context: The state of the transaction before the request.
  func send(_ request: OutgoingRequest, for kind: RequestKind, _ context: RequestContext) async -> Exchange {
    var route = environment.route
    guard context.network == .real else { return await sites.send(request, at: context.now, route: route) }
    route.isForPage = kind != .reports
    // A page's load shares its connection with no report and no request for a token: the connection would link them.
    if kind != .reports { route.freshConnections = true }
    if kind == .reports { route.failedLookups = withState { $0.advance?.failedLookups } }
    let exchange = await environment.send(request, for: kind, route) { [store] in kind != .reports || store.mayAct }
    return sites.naming(exchange, to: request)
  }
}

extension BrowserEnvironment {
  func semaphore(of kind: RequestKind) -> AsyncSemaphore {
    switch kind {
    case .reports: reportSemaphore
    case .tokens: tokenSemaphore
    case .loads: loadSemaphore
    }
  }

  /// Sends a request over the real network when its kind has capacity. Others wait in order, and their timeouts do not run. A
  /// request that would exceed the queue fails.
  ///
  /// - Parameter maySend: Returns whether the request may still leave when its turn has come.
  fileprivate func send(
    _ request: OutgoingRequest, for kind: RequestKind, _ route: NetworkRoute, if maySend: @Sendable () -> Bool
  ) async -> Exchange {
    let detail: String
    do {
      return try await semaphore(of: kind).withPermit {
        guard maySend() else {
          let text = "the lease of this instance ended before the request was sent"
          return Exchange(failure: TransportFailure(.interrupted, text), insecure: route.insecure)
        }
        return await transport.send(request, route: route)
      }
    } catch is AsyncSemaphore.QueueFullError {
      detail = "too many requests of this kind wait, so the request was not sent; try again later"
    } catch {
      detail = "the call was canceled before the request was sent"
    }
    return Exchange(failure: TransportFailure(.transportClosed, detail), insecure: route.insecure)
  }
}

/// The simulated sites of one browser, and the requests that they received in this process.
final class ScriptedSites: Sendable {
  private struct State {
    var scripts: SiteScripts
    var messages = MessageLog()
  }

  private let state: NIOLockedValueBox<State>
  private let registrableDomain: @Sendable (_ host: String) -> String
  private let save: @Sendable (_ host: String, _ current: @Sendable () -> SiteScript?) async -> Void
  /// Decides on a response by the rows of a shared store; nil when this process alone moves the scripts.
  private let respondFromRows: (@Sendable (OutgoingRequest) async throws -> SiteResponse)?

  /// - Parameters:
  ///   - registrableDomain: Returns the registrable domain of a host, or the host itself when it has none.
  ///   - save: Stores the changed positions of a script. Receives a function that returns the script at the time of the decision,
  ///     so the later position of two responses remains.
  ///   - respondFromRows: Decides on a response by the rows of a shared store.
  init(
    scripts: SiteScripts, registrableDomain: @escaping @Sendable (_ host: String) -> String,
    save: @escaping @Sendable (_ host: String, _ current: @Sendable () -> SiteScript?) async -> Void,
    respondFromRows: (@Sendable (OutgoingRequest) async throws -> SiteResponse)?
  ) {
    state = NIOLockedValueBox(State(scripts: scripts))
    self.registrableDomain = registrableDomain
    self.save = save
    self.respondFromRows = respondFromRows
  }

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

  func set(_ script: SiteScript?, for host: String) { state.withLockedValue { $0.scripts.set(script, for: host) } }

  /// Returns the messages after a number, and the number of dropped messages.
  func messages(to hosts: Set<String>, after number: Int64, limit: Int) -> (messages: [SiteMessage], droppedCount: Int64) {
    state.withLockedValue { ($0.messages.messages(to: hosts, after: number, limit: limit), $0.messages.droppedCount) }
  }

  /// - Parameter now: The time of the browser.
  func send(_ request: OutgoingRequest, at now: Instant, route: NetworkRoute) async -> Exchange {
    let response: SiteResponse
    do { response = try await respond(to: request) } catch {
      let text = "the position of the simulated site cannot be stored: \(error)"
      return Exchange(failure: TransportFailure(.transportClosed, text))
    }
    let exchange = response.exchange(to: request, limit: route.responseLimit)
    guard response.failure?.isAfterRequest ?? true else { return exchange }
    state.withLockedValue { state in
      state.messages.add(request, at: now, httpStatus: exchange.httpStatus, failure: response.failure)
    }
    return exchange
  }

  private func respond(to request: OutgoingRequest) async throws -> SiteResponse {
    if let respondFromRows { return try await respondFromRows(request) }
    let (response, changed) = state.withLockedValue { state in
      state.scripts.movingResponse(to: request, registrableDomain: registrableDomain)
    }
    // Only a list with a further response moves, so a script is stored at most as often as it is long.
    if let host = changed { await save(host) { state.withLockedValue { $0.scripts.sites[host] } } }
    return response
  }
}

extension SiteScripts {
  /// Returns the next response to a request, and the host whose script has moved; nil when none has.
  mutating func movingResponse(
    to request: OutgoingRequest, registrableDomain: (_ host: String) -> String
  ) -> (response: SiteResponse, movedHost: String?) {
    let host = scriptedHost(for: RequestTarget(request).host, registrableDomain: registrableDomain)
    let before = sites[host]
    let response = respond(to: request, registrableDomain: registrableDomain)
    return (response, before == sites[host] ? nil : host)
  }
}
