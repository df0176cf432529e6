import PCMCore
package import PCMNetwork

/// A transport that counts attempts to deliver a report and measures their duration.
package struct MeteredTransport: Transport {
  private let transport: any Transport
  private let metricSet: MetricSet
  private let uptime: @Sendable () -> Duration

  /// - Parameter uptime: A monotonic clock.
  package init(_ transport: any Transport, metricSet: MetricSet, uptime: @escaping @Sendable () -> Duration) {
    self.transport = transport
    self.metricSet = metricSet
    self.uptime = uptime
  }

  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    let start = uptime()
    let exchange = await transport.send(request, route: route)
    // Page loads, requests for token keys and signatures, and requests of a measurement SDK are not deliveries.
    if request.body != nil, !BrowserRequest.isSigning(request), !DeviceRequest.isFromSDK(request) {
      let reason = exchange.undelivered?.code
      metricSet.attempts.add(1, [reason ?? "delivered"])
      metricSet.deliveryTimes.record(uptime() - start, [reason == nil ? "delivered" : "failed"])
    }
    return exchange
  }
}
