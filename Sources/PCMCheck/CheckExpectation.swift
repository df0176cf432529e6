import PCMDelivery
package import PCMTokens

/// A request and what came of it.
package struct Sent: Hashable, Sendable {
  package let request: ProbeRequest
  package let exchange: ProbeExchange

  package init(_ request: ProbeRequest, _ exchange: ProbeExchange) {
    self.request = request
    self.exchange = exchange
  }
}

/// All that was seen of an endpoint so far.
package struct Observations: Sendable {
  private var sent: [Probe: [Sent]] = [:]
  /// What `Probe.sign` asks a signature for; nil before, and when the endpoint's key blinds nothing.
  package var blinded: BlindedToken?

  package init() {}

  /// What a probe sent, in the order of its requests; nothing for one that was not due or had nothing to send.
  package subscript(probe: Probe) -> [Sent] {
    sent[probe] ?? []
  }

  /// Whether a probe's turn has come.
  package func has(_ probe: Probe) -> Bool { sent[probe] != nil }

  /// Notes what a probe sent; a probe that is passed over has sent nothing.
  package mutating func note(_ more: [Sent], of probe: Probe) {
    sent[probe, default: []] += more
  }

  /// What the endpoint did not take because too much came before, in the order of the probes.
  var throttled: [Sent] { Probe.steps.joined().flatMap { self[$0] }.filter(\.exchange.isThrottled) }

  func first(_ probe: Probe) -> ProbeExchange? { self[probe].first?.exchange }

  func all(_ probes: Probe...) -> [Sent] { probes.flatMap { self[$0] } }
}

/// What the rules make of what was seen so far.
struct CheckExpectation {
  private(set) var verdicts: [String: CheckReport.Verdict] = [:]
  private(set) var evidence: [String: [Sent]] = [:]
  private let criteria: [Criterion]

  /// - Parameter criteria: in the order of the catalogue.
  init(_ criteria: [Criterion]) {
    self.criteria = criteria
  }

  /// Judges what can be judged by now. A rule is left open while one on which it rests is, or a probe of its own has not
  /// had its turn; one that is judged stays so, since nothing is sent for it any more.
  mutating func judge(_ inquiry: CheckContext) {
    for criterion in criteria where verdicts[criterion.id] == nil {
      if let verdict = barred(criterion) {
        verdicts[criterion.id] = verdict
      } else if criterion.grounds.allSatisfy({ verdicts[$0] != nil }), criterion.probes.allSatisfy(inquiry.observations.has) {
        settle(criterion, inquiry)
      }
    }
  }

  /// Whether a rule that is still open needs the probe.
  func needs(_ probe: Probe) -> Bool {
    criteria.contains { verdicts[$0.id] == nil && $0.probes.contains(probe) }
  }

  /// What a rule is without being looked at, because of those on which it rests.
  private func barred(_ criterion: Criterion) -> CheckReport.Verdict? {
    for id in criterion.grounds {
      switch verdicts[id] {
      case .failed: return .notReached(id)
      case .notReached(let root): return .notReached(root)
      case .notApplicable(let why) where id == criterion.within: return .notApplicable(why)
      default: continue
      }
    }
    return nil
  }

  private mutating func settle(_ criterion: Criterion, _ inquiry: CheckContext) {
    let seen = criterion.probes.flatMap { inquiry.observations[$0] }
    switch criterion.judge(inquiry) {
    case .passed:
      verdicts[criterion.id] = .passed
      evidence[criterion.id] = Array(seen.prefix(1))
    case .failed(_, let shown) where isThrottled(shown.isEmpty ? seen : shown, criterion, inquiry):
      verdicts[criterion.id] = .notReached(CheckCatalog.loadRule)
    case .failed(let what, let shown):
      verdicts[criterion.id] = .failed(what)
      evidence[criterion.id] = shown.isEmpty ? seen : shown
    case .notApplicable(let why): verdicts[criterion.id] = .notApplicable(why)
    }
  }

  /// Whether a rule fails only because the endpoint limits how many requests it takes, which is for another rule to say.
  private func isThrottled(_ shown: [Sent], _ criterion: Criterion, _ inquiry: CheckContext) -> Bool {
    criterion.id != CheckCatalog.loadRule && criteria.contains { $0.id == CheckCatalog.loadRule } && inquiry.isLimited(shown)
  }
}
