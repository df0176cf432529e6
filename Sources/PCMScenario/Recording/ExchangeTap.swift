package import PCMDelivery

/// A network that remembers what sites answered a browser while a call to it is under way, so that a scenario can let them
/// answer so again.
package actor ExchangeTap: Transport {
  private let transport: any Transport
  /// Nil while no call is under way.
  private var heard: (browser: String, exchanges: [RecordedExchange])?

  package init(_ transport: any Transport) {
    self.transport = transport
  }

  /// What nobody sends as a browser is not remembered.
  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    await transport.send(request, route: route)
  }

  package nonisolated func transport(of browser: String) -> any Transport { BrowserLine(browser: browser, tap: self) }

  fileprivate func send(_ request: OutgoingRequest, route: NetworkRoute, of browser: String) async -> Exchange {
    let exchange = await transport.send(request, route: route)
    // Browsers on the real clock send whenever they are due, also while another one is called.
    if heard?.browser == browser { heard?.exchanges.append(RecordedExchange(request, exchange)) }
    return exchange
  }

  package func listen(to browser: String) { heard = (browser, []) }

  /// What was heard since `listen`, oldest first.
  package func stop() -> [RecordedExchange] {
    defer { heard = nil }
    return heard?.exchanges ?? []
  }
}

/// What one browser sends through.
private struct BrowserLine: Transport {
  let browser: String
  let tap: ExchangeTap

  func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    await tap.send(request, route: route, of: browser)
  }
}
