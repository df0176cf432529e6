package import PCMCore
package import PCMDelivery

/// A network that keeps a record of all that leaves, and lets another one answer: simulated sites, or the real network.
package actor RecordingTransport: Transport {
  private let transport: any Transport
  private let now: @Sendable () async -> Instant
  private var tokens = SentTokens()
  /// In the order in which it left.
  package private(set) var sent: [SentRequest] = []

  /// - Parameter now: asks the browser that sends for its time; it stands still while a request is under way.
  package init(_ transport: any Transport, now: @escaping @Sendable () async -> Instant) {
    self.transport = transport
    self.now = now
  }

  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    let target = RequestTarget(request)
    let body = request.body.flatMap { $0.isEmpty ? nil : JSON(parsing: $0) ?? .string(String(decoding: $0, as: UTF8.self)) }
    let verdicts = target.kind == .report ? body.map(tokens.verdicts) ?? [] : []
    sent.append(SentRequest(kind: target.kind, host: target.host, at: await now(), body: body, tokens: verdicts))
    let exchange = await transport.send(request, route: route)
    if target.kind == .tokenKey { tokens.note(exchange, of: target.host) }
    return exchange
  }
}
