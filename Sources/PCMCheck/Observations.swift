package import PCMDelivery
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
