package import PCMCore
import PCMDelivery
package import PCMSites
import PCMTokens

/// Examines an endpoint: sends what the plan says, step by step, and lets the rules judge what came of it.
package struct EndpointChecker: Sendable {
  private let options: CheckOptions
  private let parser: SiteParser
  private let prober: any Prober
  private let plan: CheckPlan

  package init(options: CheckOptions, parser: SiteParser, prober: any Prober) {
    self.options = options
    self.parser = parser
    self.prober = prober
    plan = CheckPlan(options)
  }

  /// The most requests that are sent, connections without a request among them.
  package var plannedRequests: Int { plan.plannedRequests }

  /// Why an examination came to no result.
  package enum Fault: Error, Hashable, Sendable {
    /// A request more than was said before the start, which is this program's own mistake. It was not sent.
    case budgetExceeded(planned: Int)
    case cancelled
    /// Nonces were asked for where the caller said, and none came: an examination without them would not be the one that
    /// was wanted.
    case noNonces(url: String, account: String)

    /// An address that is not public, which the options do not allow.
    case addressRefused(host: String, account: String)

    /// A sentence for people.
    package var detail: String {
      switch self {
      case .budgetExceeded(let planned): "The examination needs more requests than the \(planned) it announced."
      case .cancelled: "The examination was cancelled."
      case .noNonces(let url, let account):
        "No nonces came from \(url): the request \(account). Is it the admin address of pcm-browser receive, and the token right?"
      case .addressRefused(let host, let account):
        "No result: \(account), and check connects to public addresses only. Give the endpoint by its domain and say "
          + "where its server is, as in check https://ads.example --connect-to ads.example:443:127.0.0.1:8443, or add "
          + "--allow-private-networks to reach \(host) as it is."
      }
    }
  }

  /// - Parameter now: on the wall clock; certificates are held against it.
  package func run(at now: Instant) async throws(Fault) -> CheckReport {
    var conclusion = CheckExpectation(CheckCatalog.needed(options.rules))
    var inquiry = CheckContext(options: options, now: now, parser: parser)
    var budget = RequestBudget(plan.plannedRequests)
    for step in plan.steps {
      conclusion.judge(inquiry)
      let due = step.filter(conclusion.needs)
      if due.contains(.sign) { inquiry.observations.blinded = blinded(inquiry) }
      try await perform(due, &inquiry, &budget)
      // Those that nobody needs any more have had their turn, too.
      for probe in step { inquiry.observations.note([], of: probe) }
    }
    conclusion.judge(inquiry)
    return CheckReport(
      endpoint: ReportBody.url(at: inquiry.site), role: options.role, startedAt: now, plannedRequests: plan.plannedRequests,
      sentRequests: budget.spent, insecure: options.route.insecure,
      findings: conclusion.findings(of: CheckCatalog.wanted(options.rules).map(\.rule)))
  }

  /// With a modulus that has small factors, as one has that is no key at all, a draw may blind nothing and the next one
  /// does: what such a key is worth shall not depend on chance.
  private func blinded(_ inquiry: CheckContext) -> BlindedToken? {
    guard let key = inquiry.key, let token = inquiry.token else { return nil }
    for _ in 0..<64 {
      if let blinded = try? token.blind(with: key) { return blinded }
    }
    return nil
  }

  /// Round after round, until none of the probes has anything more to send.
  private func perform(_ probes: [Probe], _ inquiry: inout CheckContext, _ budget: inout RequestBudget) async throws(Fault) {
    while true {
      let batch = probes.flatMap { probe in inquiry.requests(of: probe).map { (probe: probe, request: $0) } }
      guard !batch.isEmpty else { return }
      guard budget.spend(batch.count) else { throw .budgetExceeded(planned: plan.plannedRequests) }
      for probe in probes where !inquiry.observations.has(probe) { inquiry.observations.note([], of: probe) }
      let exchanges = await send(batch.map { ($0.request, route(of: $0.probe)) })
      guard !Task.isCancelled else { throw .cancelled }
      for (entry, exchange) in zip(batch, exchanges) {
        inquiry.observations.note([Sent(entry.request, exchange)], of: entry.probe)
        if let failure = exchange.failure, failure.code == .addressRefused {
          throw .addressRefused(host: parser.host(of: entry.request), account: failure.detail)
        }
        if entry.probe == .mint, let admin = options.admin, !exchange.isAccepted {
          throw .noNonces(url: admin.url, account: exchange.account)
        }
      }
    }
  }

  /// All at once; what came of them in the order of the requests.
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

  private func route(of probe: Probe) -> NetworkRoute {
    var route = options.route
    // Each as a browser that has not been here before.
    route.freshConnections = true
    route.totalTimeout = options.patience.most
    // What is wrong with the certificate is said by the first handshake alone.
    if [.inspection, .handshakeFrom13, .handshakeBefore12].contains(probe) { route.insecure = true }
    if [.mint, .listing].contains(probe) {
      // Whoever runs the examination named the address.
      route.allowPrivateNetworks = true
      // A thousand reports a page.
      route.responseLimit = 16 * 1_048_576
    }
    return route
  }
}

extension CheckExpectation {
  /// Those of the rules, and of each that failed and kept one of them from being judged: what was not judged has not passed.
  func findings(of wanted: [CheckRule]) -> [CheckReport.Finding] {
    var ids = Set(wanted.map(\.id))
    for rule in wanted {
      if case .notReached(let root) = verdicts[rule.id] { ids.insert(root) }
    }
    return CheckCatalog.rules.filter { ids.contains($0.id) }.compactMap(finding)
  }

  /// Nil for a rule that was not judged.
  private func finding(of rule: CheckRule) -> CheckReport.Finding? {
    verdicts[rule.id].map { verdict in
      CheckReport.Finding(rule: rule, verdict: verdict, evidence: (evidence[rule.id] ?? []).prefix(5).map { .init($0) })
    }
  }
}

extension SiteParser {
  fileprivate func host(of request: ProbeRequest) -> String { (try? url(request.url))?.host ?? request.url }
}

/// What an examination sends, known before it starts.
package struct CheckPlan: Sendable {
  /// The probes that may be due, in their order; what stands together is sent at once.
  let steps: [[Probe]]
  /// The most requests that are sent, connections without a request among them.
  package let plannedRequests: Int

  package init(_ options: CheckOptions) {
    let due = Set(CheckCatalog.needed(options.rules).flatMap(\.probes))
    steps = Probe.steps.map { $0.filter(due.contains) }.filter { !$0.isEmpty }
    plannedRequests = due.reduce(0) { $0 + $1.mostRequests(options) }
  }
}

/// What may still be sent.
struct RequestBudget {
  let planned: Int
  private(set) var spent = 0

  init(_ planned: Int) { self.planned = planned }

  /// False, and nothing is spent, when there is less left.
  mutating func spend(_ count: Int) -> Bool {
    guard spent + count <= planned else { return false }
    spent += count
    return true
  }
}
