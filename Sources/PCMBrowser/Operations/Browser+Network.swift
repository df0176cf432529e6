import NIOConcurrencyHelpers
package import PCMCore
import PCMNetwork
package import PCMSimulatedSites
import PCMStore
import PCMURL

extension Browser {
  /// The maximum number of simulated sites of a browser.
  package static let maximumSites = 100

  package func networkMode() async throws -> NetworkMode { try await read { try $0.state().network } }

  /// Changes the network that responds to the browser's requests.
  package func use(_ mode: NetworkMode) async throws {
    try await lock.excluding {
      let action = try await mode == .simulated ? simulation() : ["mode": .string(mode.rawValue)]
      let call = journaling.call(CallName.network, action)
      _ = try await submit(call, progress: { $0 ? CallProgress() : nil }) { writer, state in
        guard mode != state.network else { return false }
        var row = try writer.state()
        row.network = mode
        try writer.save(row)
        return true
      }.answer()
    }
  }

  /// Returns the value of the change to the simulated network, with the sites from their current positions on.
  private func simulation() async throws -> JSON {
    let sites = try await read { try $0.sites() }.map { JSON.Member($0.host, $0.script.remainder.json) }
    return ["mode": .string(NetworkMode.simulated.rawValue), "sites": .object(sites)]
  }

  /// Adds a simulated site, or replaces the site with the same host. All its lists start from their beginning.
  ///
  /// - Returns: Whether the site is new.
  package func put(_ behavior: SiteBehavior, at host: String) async throws -> Bool {
    try await lock.excluding {
      let script = SiteScript(behavior)
      let isNew = try await submitSite(host, behavior.json) { writer in
        let isNew = try writer.row(SiteRecord.self, host) == nil
        guard try !isNew || writer.sites().count < Self.maximumSites else {
          throw BrowserError.limitReached("the browser has \(Self.maximumSites) simulated sites, the maximum; delete one first")
        }
        try writer.save(SiteRecord(script, host: host))
        return isNew
      }
      sites.set(script, for: host)
      return isNew
    }
  }

  /// Removes a simulated site, which is a good endpoint without pages then.
  package func removeSite(_ host: String) async throws {
    try await lock.excluding {
      try await submitSite(host, .null) { writer in
        guard try writer.row(SiteRecord.self, host) != nil else { throw BrowserError.unknownSite(host: host) }
        try writer.beginRemoval()
        try writer.remove(SiteRecord.self, host)
      }
      sites.set(nil, for: host)
    }
  }

  /// Changes a site. Sites that do not respond need no entry in the journal: the change of the network has one with all sites.
  private func submitSite<Answer: Sendable>(
    _ host: String, _ behavior: @autoclosure () -> JSON, _ change: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) async throws -> Answer {
    let call = journaling.call(CallName.site, ["host": .string(host), "behavior": behavior()])
    return try await submit(call, progress: { $0.isSimulated ? CallProgress() : nil }) { writer, state in
      (answer: try change(writer), isSimulated: state.network == .simulated)
    }.answer().answer
  }

  /// Returns the behavior of a simulated site.
  package func siteBehavior(_ host: String) async throws -> SiteBehavior {
    guard let site = try await read({ try $0.row(SiteRecord.self, host) }) else { throw BrowserError.unknownSite(host: host) }
    return site.script.behavior
  }

  /// Returns the simulated sites after a host, ordered by host.
  package func simulatedSites(after host: String, limit: Int) async throws -> [(host: String, behavior: SiteBehavior)] {
    try await read { try $0.rows(SiteRecord.Query.after(host, limit: limit)) }.map { ($0.host, $0.script.behavior) }
  }

  /// Returns a page of the requests that simulated sites received since the start of the process.
  ///
  /// - Parameter hosts: The hosts that received them; empty for all hosts.
  package func messages(to hosts: Set<String>, after number: Int64, limit: Int) -> MessagePage {
    let (messages, droppedCount) = sites.messages(to: hosts, after: number, limit: limit + 1)
    let items = Array(messages.prefix(limit))
    return MessagePage(
      items: items, next: messages.count > limit ? items.last?.number : nil, droppedCount: droppedCount)
  }
}

/// A page of requests to simulated sites, with the position of the next page.
package struct MessagePage: Hashable, Sendable {
  package let items: [SiteMessage]
  /// The number after which the next page begins; nil on the last page.
  package let next: Int64?
  /// The number of messages that were dropped because of the limits.
  package let droppedCount: Int64
}

extension ScriptedSites {
  /// Creates the sites of a stored browser.
  convenience init(
    _ records: [SiteRecord], of browser: BrowserID, in store: any Store, environment: BrowserEnvironment,
    live: NIOLockedValueBox<RuntimeState>
  ) {
    let parser = environment.sites
    let registrableDomain: @Sendable (String) -> String = { parser.site(ofHost: $0).site.domain }
    var respondFromRows: (@Sendable (OutgoingRequest) async throws -> SiteResponse)?
    if store.isShared {
      respondFromRows = { request in
        try await store.write(browser) { try $0.response(to: request, registrableDomain: registrableDomain) }
      }
    }
    self.init(
      scripts: SiteScripts(records),
      registrableDomain: registrableDomain,
      save: { host, current in
        let write = live.withLockedValue { _ -> PendingWrite<Void>? in
          guard let script = current() else { return nil }
          return store.submit(browser) { writer in
            let record = SiteRecord(script, host: host)
            // The site may have been replaced or removed in the meantime.
            guard try writer.row(SiteRecord.self, host)?.behavior == record.behavior else { return }
            try writer.save(record)
          }
        }
        // A store that cannot write also fails the decisions that need the position.
        _ = try? await write?.answer()
      }, respondFromRows: respondFromRows)
  }
}

extension SiteScripts {
  fileprivate init(_ records: [SiteRecord]) { self.init(Dictionary(records.map { ($0.host, $0.script) }) { $1 }) }
}

extension BrowserWriter {
  /// Returns the next response of a site, and saves the position of its script.
  fileprivate func response(
    to request: OutgoingRequest, registrableDomain: (_ host: String) -> String
  ) throws -> SiteResponse {
    var scripts = SiteScripts(try sites())
    let (response, host) = scripts.movingResponse(to: request, registrableDomain: registrableDomain)
    if let host, let script = scripts.sites[host] { try save(SiteRecord(script, host: host)) }
    return response
  }
}

extension SiteRecord {
  init(_ script: SiteScript, host: String) {
    let positions = script.positions.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .number(Int64($0.value))) }
    self.init(host: host, behavior: script.behavior.json.text, positions: JSON.object(positions).text)
  }

  fileprivate var script: SiteScript {
    let positions = (JSON(parsing: Array(positions.utf8)) ?? .null).members.compactMap { member -> (String, Int)? in
      guard case .number(let index) = member.value else { return nil }
      return (member.name, Int(clamping: index))
    }
    return SiteScript(
      SiteBehavior(checked: JSON(parsing: Array(behavior.utf8)) ?? .null), positions: Dictionary(positions) { $1 })
  }
}
