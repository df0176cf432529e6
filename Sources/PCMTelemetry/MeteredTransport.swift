import PCMCore
package import PCMDelivery

/// A network that measures how reports are delivered.
package struct MeteredTransport: Transport {
  private let transport: any Transport
  private let instruments: Instruments
  private let uptime: @Sendable () -> Duration

  /// - Parameter uptime: a clock that nobody sets.
  package init(_ transport: any Transport, instruments: Instruments, uptime: @escaping @Sendable () -> Duration) {
    self.transport = transport
    self.instruments = instruments
    self.uptime = uptime
  }

  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    let start = uptime()
    let exchange = await transport.send(request, route: route)
    // A page's loads and what is asked about tokens are not deliveries.
    if request.body != nil, !BrowserRequest.isSigning(request) { count(exchange, took: uptime() - start) }
    return exchange
  }

  private func count(_ exchange: Exchange, took duration: Duration) {
    let problem = DeliveryRule.problem(of: exchange)?.code
    instruments.attempts.add(AttemptLabels(result: problem.map(ReasonCodes.bounded) ?? AttemptLabels.delivered))
    instruments.deliveryTimes.record(DeliveryLabels(isDelivered: problem == nil), duration)
  }
}
