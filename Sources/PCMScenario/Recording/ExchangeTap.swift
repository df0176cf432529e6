package import PCMDelivery

/// A network that remembers what sites answered while a call is under way, so that a scenario can let them answer so again.
package actor ExchangeTap: Transport {
  private let transport: any Transport
  /// Nil while no call is under way.
  private var heard: [RecordedExchange]?

  package init(_ transport: any Transport) {
    self.transport = transport
  }

  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    let exchange = await transport.send(request, route: route)
    heard?.append(RecordedExchange(request, exchange))
    return exchange
  }

  package func listen() { heard = [] }

  /// What was heard since `listen`, oldest first.
  package func stop() -> [RecordedExchange] {
    defer { heard = nil }
    return heard ?? []
  }
}
