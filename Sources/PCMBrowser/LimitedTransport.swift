import PCMCore
import PCMDelivery

/// A transport that sends a limited number of requests at a time. Others wait in order, and their timeouts do not run.
///
/// Loads and token exchanges, which callers cause in any number, have limits in each browser and in total, below the number of
/// transfers of the network. Reports have none of their own, so that their transfers always find capacity.
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
