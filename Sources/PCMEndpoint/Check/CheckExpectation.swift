import PCMCrypto
import PCMNetwork

/// A request and its result.
struct Sent: Hashable, Sendable {
  let request: ProbeRequest
  let exchange: ProbeExchange
}

/// The observations of an endpoint so far.
struct Observations: Sendable {
  private var sent: [Probe: [Sent]] = [:]
  /// The blinded token for `Probe.sign`; nil before that probe, and when the endpoint's key cannot blind a token.
  var blinded: BlindedToken?

  /// The first message, if an accepted variant is in its place.
  var refused: Sent?

  /// The requests that a probe sent, in order; empty for a skipped probe and for a probe without requests.
  subscript(probe: Probe) -> [Sent] {
    sent[probe] ?? []
  }

  /// Whether the probe was processed.
  func has(_ probe: Probe) -> Bool { sent[probe] != nil }

  /// Records the requests of a probe; an empty array for a skipped probe.
  mutating func note(_ more: [Sent], of probe: Probe) {
    sent[probe, default: []] += more
  }

  /// Replaces the requests of a probe.
  mutating func replace(_ probe: Probe, with one: Sent) { sent[probe] = [one] }

  /// The requests that the endpoint rejected because of a rate limit, in the order of the probes.
  var throttled: [Sent] { Probe.steps.joined().flatMap { self[$0] }.filter(\.exchange.isThrottled) }

  func first(_ probe: Probe) -> ProbeExchange? { self[probe].first?.exchange }

  func all(_ probes: Probe...) -> [Sent] { probes.flatMap { self[$0] } }
}

/// The evaluation of the rules against the observations so far.
struct CheckExpectation {
  /// The findings by the identifiers of the rules.
  private(set) var findings: [String: CheckReport.Finding] = [:]
  /// The criteria in the order of the catalog.
  let criteria: [Criterion]

  /// Evaluates the rules that can be evaluated. A rule remains open while one of its dependencies is open or one of its
  /// probes is unprocessed. A verdict is final, because no further requests are sent for the rule.
  mutating func evaluate(_ context: CheckContext) {
    for criterion in criteria where findings[criterion.id] == nil && !isWaiting(criterion, context) {
      if let verdict = barred(criterion, context) {
        findings[criterion.id] = .init(rule: criterion.rule, verdict: verdict)
      } else if criterion.grounds.allSatisfy({ findings[$0] != nil }), criterion.probes.allSatisfy(context.observations.has) {
        findings[criterion.id] = finding(criterion, context)
      }
    }
  }

  /// Returns the failed rules that the next requests can go around.
  func passable(_ context: CheckContext) -> [String] {
    criteria.map(\.id).filter { hasFailed($0) && !context.passedRules.contains($0) && context.passage(around: $0) != nil }
  }

  /// Gives the rules without a verdict a reason.
  mutating func end(because why: String) {
    for criterion in criteria where findings[criterion.id] == nil {
      findings[criterion.id] = .init(rule: criterion.rule, verdict: .notApplicable(why))
    }
  }

  private func hasFailed(_ id: String) -> Bool { if case .failed = findings[id]?.verdict { true } else { false } }

  /// Whether a rule waits for a way around a failed rule.
  private func isWaiting(_ criterion: Criterion, _ context: CheckContext) -> Bool {
    criterion.grounds.contains { hasFailed($0) && !context.passedRules.contains($0) && context.mayPass($0) }
  }

  /// Whether an open rule requires the probe.
  func needs(_ probe: Probe) -> Bool {
    criteria.contains { findings[$0.id] == nil && $0.probes.contains(probe) }
  }

  /// Returns the verdict of a rule that follows from its dependencies or from the route; nil if the rule must be evaluated.
  private func barred(_ criterion: Criterion, _ context: CheckContext) -> CheckReport.Verdict? {
    if criterion.needsTLS, let forward = context.options.route.forward(of: context.host) {
      return .notApplicable("requests go to \(forward.target) without TLS (--forward-to)")
    }
    for id in criterion.grounds {
      switch findings[id]?.verdict {
      case .failed where !context.passedRules.contains(id): return .notReached(id)
      case .notReached(let root): return .notReached(root)
      case .notApplicable(let why) where id == criterion.within: return .notApplicable(why)
      default: continue
      }
    }
    return nil
  }

  /// The maximum number of exchanges of a finding.
  private static let shownEvidence = 8

  private func finding(_ criterion: Criterion, _ context: CheckContext) -> CheckReport.Finding {
    let seen = criterion.probes.flatMap { context.observations[$0] }
    let dependencies = criterion.grounds.flatMap { id in
      (findings[id]?.dependsOn ?? []) + (context.passedRules.contains(id) ? [id] : [])
    }.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    func finding(_ verdict: CheckReport.Verdict, _ evidence: [Sent] = [], fix: String? = nil) -> CheckReport.Finding {
      .init(
        rule: criterion.rule, verdict: verdict, fix: fix, evidence: evidence.prefix(Self.shownEvidence).map { .init($0) },
        dependsOn: dependencies)
    }
    switch criterion.evaluate(context) {
    case .passed: return finding(.passed, Array(seen.prefix(1)))
    case .failed(_, let shown, _) where isThrottled(shown.isEmpty ? seen : shown, criterion, context):
      return finding(.notReached(CheckCatalog.loadRule))
    case .failed(let what, let shown, let fix): return finding(.failed(what), shown.isEmpty ? seen : shown, fix: fix)
    case .notApplicable(let why): return finding(.notApplicable(why))
    }
  }

  /// Returns whether a rule fails only because of a rate limit, which another rule reports.
  private func isThrottled(_ shown: [Sent], _ criterion: Criterion, _ context: CheckContext) -> Bool {
    criterion.id != CheckCatalog.loadRule && criteria.contains { $0.id == CheckCatalog.loadRule } && context.isLimited(shown)
  }
}
