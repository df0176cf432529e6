import PCMCore
import PCMDelivery

/// A transport that sends a limited number of requests at a time. Others wait in order, and their timeouts do not run.
///
/// Loads and token exchanges have a limit in each browser and a limit in total. The totals leave 64 of the network's 256
/// transfers to reports, which have no limit of their own.
struct LimitedTransport: Transport {
  let transport: any Transport
  let limits: [AsyncSemaphore]

  func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    await send(request, route: route, limits[...])
  }

  private func send(_ request: OutgoingRequest, route: NetworkRoute, _ limits: ArraySlice<AsyncSemaphore>) async -> Exchange {
    guard let first = limits.first else { return await transport.send(request, route: route) }
    do {
      return try await first.withPermit { await send(request, route: route, limits.dropFirst()) }
    } catch {
      let failure = TransportFailure(.transportClosed, "the call was canceled before the request was sent")
      return Exchange(failure: failure, insecure: route.insecure)
    }
  }

  func transportOfMove() -> any Transport { LimitedTransport(transport: transport.transportOfMove(), limits: limits) }
}

/// The maximum numbers of requests of one purpose at a time.
struct RequestLimits: Sendable {
  /// In all browsers.
  let total: AsyncSemaphore
  let perBrowser: Int

  init(total: Int, perBrowser: Int) {
    self.total = AsyncSemaphore(total)
    self.perBrowser = perBrowser
  }

  /// Limits the requests of one browser.
  func transport(over transport: any Transport) -> any Transport {
    LimitedTransport(transport: transport, limits: [AsyncSemaphore(perBrowser), total])
  }
}
