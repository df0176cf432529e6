package import PCMDelivery
package import PCMSimulation

/// A transport that records the responses of sites while a browser handles a call, so that a scenario can repeat them.
package actor ExchangeRecorder: Transport {
  private let transport: any Transport
  /// Nil when no call is recorded.
  private var recorded: (browser: String, exchanges: [RecordedExchange])?

  package init(_ transport: any Transport) {
    self.transport = transport
  }

  /// Sends a request that does not belong to a browser, without recording it.
  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    await transport.send(request, route: route)
  }

  package nonisolated func transport(of browser: String) -> any Transport {
    BrowserTransport(browser: browser, recorder: self, transport: transport)
  }

  package nonisolated func observing(_ other: any Transport, of browser: String) -> any Transport {
    BrowserTransport(browser: browser, recorder: self, transport: other)
  }

  fileprivate func send(
    _ request: OutgoingRequest, route: NetworkRoute, over transport: any Transport, of browser: String
  ) async -> Exchange {
    let exchange = await transport.send(request, route: route)
    // Browsers with a real clock send at any time, including during a call to another browser.
    if recorded?.browser == browser { recorded?.exchanges.append(RecordedExchange(request, exchange)) }
    return exchange
  }

  /// Starts recording the exchanges of a browser.
  package func start(_ browser: String) { recorded = (browser, []) }

  /// Stops recording and returns the exchanges, oldest first.
  package func stop() -> [RecordedExchange] {
    defer { recorded = nil }
    return recorded?.exchanges ?? []
  }
}

/// The transport of a browser.
private struct BrowserTransport: Transport {
  let browser: String
  let recorder: ExchangeRecorder
  let transport: any Transport

  func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    await recorder.send(request, route: route, over: transport, of: browser)
  }

  func transportOfMove() -> any Transport {
    BrowserTransport(browser: browser, recorder: recorder, transport: transport.transportOfMove())
  }
}
