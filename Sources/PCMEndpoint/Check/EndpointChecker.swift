package import PCMCore
import PCMCrypto
package import PCMNetwork
package import PCMURL

/// Checks an endpoint: sends the probes step by step and evaluates the rules.
package struct EndpointChecker: Sendable {
  private let options: CheckOptions
  private let parser: SiteParser
  private let prober: any Prober

  package init(options: CheckOptions, parser: SiteParser, prober: any Prober) {
    self.options = options
    self.parser = parser
    self.prober = prober
  }

  /// - Parameter now: The wall-clock time, for the validity of certificates.
  package func run(at now: Instant) async throws(CheckError) -> CheckReport {
    var expectation = CheckExpectation(criteria: CheckCatalog.needed(options.rules, of: options.kind))
    var context = CheckContext(options: options, now: now, parser: parser)
    var sentRequests = 0
    var pace = Pace(options.patience)
    for step in Probe.steps {
      expectation.evaluate(context)
      for rule in expectation.passable(context) {
        context.pass(rule)
        expectation.evaluate(context)
      }
      let due = step.filter(expectation.needs)
      if due.contains(.sign) { context.observations.blinded = blinded(context) }
      sentRequests += try await perform(due, &context, &pace)
      guard !pace.isOver else { break }
      // Probes that are no longer needed are also recorded as processed.
      for probe in step { context.observations.note([], of: probe) }
    }
    if pace.isOver {
      expectation.end(because: "the check ended after \(options.patience.total.words)")
    } else {
      expectation.evaluate(context)
    }
    var report = CheckReport(
      endpoint: options.requestURL, kind: options.kind, role: options.role, startedAt: now,
      plannedRequests: options.plannedRequests, sentRequests: sentRequests, insecure: options.route.insecure,
      forwardedTo: options.route.forward(of: context.host)?.target,
      findings: expectation.findings(of: CheckCatalog.wanted(options.rules, of: options.kind).map(\.rule), options.kind))
    report.isIncomplete = pace.isOver
    return report
  }

  /// Returns a blinded token. Blinding is retried, because it can fail by chance with an invalid key whose modulus has small
  /// factors, and the result must not depend on chance.
  private func blinded(_ context: CheckContext) -> BlindedToken? {
    guard let key = context.key, let token = context.token else { return nil }
    for _ in 0..<64 {
      if let blinded = try? token.blind(with: key) { return blinded }
    }
    return nil
  }

  /// Sends requests in rounds until no probe has further requests.
  ///
  /// - Returns: The number of requests.
  private func perform(_ probes: [Probe], _ context: inout CheckContext, _ pace: inout Pace) async throws(CheckError) -> Int {
    var sent = 0
    while true {
      let batch = probes.flatMap { probe in context.requests(of: probe).map { (probe: probe, request: $0) } }
      guard !batch.isEmpty else { return sent }
      sent += batch.count
      for probe in probes where !context.observations.has(probe) { context.observations.note([], of: probe) }
      let exchanges = await send(batch.map { ($0.request, route(of: $0.probe, pace)) })
      pace.note(exchanges)
      guard !Task.isCancelled else { throw .canceled }
      for (entry, exchange) in zip(batch, exchanges) {
        context.observations.note([Sent(request: entry.request, exchange: exchange)], of: entry.probe)
        if let failure = exchange.failure, failure.code == .addressRefused {
          throw .addressRefused(host: parser.host(of: entry.request), account: failure.detail)
        }
        if entry.probe == .mint, let admin = options.admin, !exchange.isAccepted {
          throw .noNonces(url: admin.url, account: exchange.account)
        }
      }
      guard !pace.isOver else { return sent }
    }
  }

  /// Sends requests concurrently and returns the exchanges in their order.
  private func send(_ requests: [(ProbeRequest, NetworkRoute)]) async -> [ProbeExchange] {
    let prober = prober
    return await withTaskGroup(of: (Int, ProbeExchange).self) { group in
      for (index, (request, route)) in requests.enumerated() {
        group.addTask { (index, await prober.send(request, route: route)) }
      }
      var exchanges = [ProbeExchange](repeating: ProbeExchange(), count: requests.count)
      for await (index, exchange) in group { exchanges[index] = exchange }
      return exchanges
    }
  }

  private func route(of probe: Probe, _ pace: Pace) -> NetworkRoute {
    var route = options.route
    // Each request represents a browser without earlier connections.
    route.freshConnections = true
    route.totalTimeout = pace.timeout
    // Only the first handshake reports errors of the certificate.
    if [.inspection, .handshakeFrom13, .handshakeBefore12].contains(probe) { route.insecure = true }
    if [.mint, .listing].contains(probe) {
      // The user specified this address.
      route.allowPrivateNetworks = true
      // A page contains 1,000 reports.
      route.responseLimit = 16 * 1_048_576
    }
    return route
  }
}

/// The time that a check has used, by the durations of its exchanges. The requests of a batch are concurrent.
private struct Pace {
  private let patience: CheckOptions.Patience
  private var elapsed = Interval(milliseconds: 0)
  private var hasTimedOut = false
  /// Whether the limit of the check was reached, or ended a request before its own timeout.
  private(set) var isOver = false

  init(_ patience: CheckOptions.Patience) { self.patience = patience }

  private var wanted: Interval { hasTimedOut ? min(patience.afterTimeout, patience.maximum) : patience.maximum }

  /// The timeout of the next requests.
  var timeout: Interval { min(wanted, patience.total - elapsed) }

  mutating func note(_ exchanges: [ProbeExchange]) {
    let late = exchanges.contains { $0.failure?.code == .timedOut }
    let longest = exchanges.map { $0.timings == nil && $0.failure?.code == .timedOut ? timeout : $0.duration }.max()
    isOver = late && timeout < wanted
    elapsed = elapsed + (longest ?? Interval(milliseconds: 0))
    isOver = isOver || elapsed >= patience.total
    hasTimedOut = hasTimedOut || late
  }
}

/// An error that ends a check without a result.
package enum CheckError: Error, Hashable, Sendable {
  case canceled
  /// The specified source returned no nonces, which the requested check requires.
  case noNonces(url: String, account: String)

  /// The address is not public, and the options do not allow such addresses.
  case addressRefused(host: String, account: String)

  /// A description for people.
  package var detail: String {
    switch self {
    case .canceled: "The check was canceled."
    case .noNonces(let url, let account):
      "\(url) returned no nonces: the request \(account). Check the admin URL of pcm-browser receive and its token."
    case .addressRefused(let host, let account):
      "No result: \(account), and check connects only to public addresses. Specify the endpoint by its domain and the "
        + "address of its server, as in check https://ads.example --connect-to ads.example:443:127.0.0.1:8443, or add "
        + "--allow-private-networks to connect to \(host)."
    }
  }
}

extension CheckExpectation {
  /// Returns the findings for the rules, and for each failed rule that prevented an evaluation. A rule without an evaluation
  /// has not passed.
  func findings(of wanted: [CheckRule], _ kind: CheckKind) -> [CheckReport.Finding] {
    var ids = Set(wanted.map(\.id))
    for rule in wanted {
      if case .notReached(let root) = findings[rule.id]?.verdict { ids.insert(root) }
    }
    return CheckCatalog.rules(of: kind).filter { ids.contains($0.id) }.compactMap { findings[$0.id] }
  }
}

extension SiteParser {
  fileprivate func host(of request: ProbeRequest) -> String { (try? url(request.url))?.host ?? request.url }
}

extension CheckOptions {
  /// The maximum number of requests of the check, including connections without a request.
  package var plannedRequests: Int {
    Set(CheckCatalog.needed(rules, of: kind).flatMap(\.probes)).reduce(0) { $0 + $1.maximumRequests(self) }
  }
}
