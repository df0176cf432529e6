package import PCMDelivery

/// A transport that records the responses of sites while a browser handles a call, so that a scenario can repeat them.
package actor ExchangeTap: Transport {
  private let transport: any Transport
  /// Nil when no call is recorded.
  private var heard: (browser: String, exchanges: [RecordedExchange])?

  package init(_ transport: any Transport) {
    self.transport = transport
  }

  /// Sends a request that does not belong to a browser, without recording it.
  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    await transport.send(request, route: route)
  }

  package nonisolated func transport(of browser: String) -> any Transport { BrowserLine(browser: browser, tap: self) }

  fileprivate func send(_ request: OutgoingRequest, route: NetworkRoute, of browser: String) async -> Exchange {
    let exchange = await transport.send(request, route: route)
    // Browsers with a real clock send at any time, including during a call to another browser.
    if heard?.browser == browser { heard?.exchanges.append(RecordedExchange(request, exchange)) }
    return exchange
  }

  package func listen(to browser: String) { heard = (browser, []) }

  /// Stops recording and returns the exchanges, oldest first.
  package func stop() -> [RecordedExchange] {
    defer { heard = nil }
    return heard?.exchanges ?? []
  }
}

/// The transport of a browser.
private struct BrowserLine: Transport {
  let browser: String
  let tap: ExchangeTap

  func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    await tap.send(request, route: route, of: browser)
  }
}
