import PCMCore
import PCMDelivery

/// A transport that sends a limited number of requests at a time. A limited number of others wait in order, and their timeouts
/// do not run. Further ones fail.
///
/// Loads, token exchanges, and requests for web ads each have a limit in each browser and a limit in total. All of them are
/// requests of pages. Reports have a ``ReportTransport``.
struct LimitedTransport: Transport {
  let transport: any Transport
  let limits: [AsyncSemaphore]

  func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    var route = route
    route.isForPage = true
    return await send(request, route: route, limits[...])
  }

  private func send(_ request: OutgoingRequest, route: NetworkRoute, _ limits: ArraySlice<AsyncSemaphore>) async -> Exchange {
    guard let first = limits.first else { return await transport.send(request, route: route) }
    do {
      return try await first.withPermit { await send(request, route: route, limits.dropFirst()) }
    } catch is AsyncSemaphore.QueueFullError {
      return Self.failure("too many requests of this kind wait, so the request was not sent; try again later", route)
    } catch {
      return Self.failure("the call was canceled before the request was sent", route)
    }
  }

  private static func failure(_ detail: String, _ route: NetworkRoute) -> Exchange {
    Exchange(failure: TransportFailure(.transportClosed, detail), insecure: route.insecure)
  }

  func transportOfMove() -> any Transport { LimitedTransport(transport: transport.transportOfMove(), limits: limits) }
}

/// The maximum numbers of requests of one purpose.
struct RequestLimits: Sendable {
  /// The numbers in all browsers together.
  let total: Numbers
  let perBrowser: Numbers
  private let totalSemaphore: AsyncSemaphore

  struct Numbers: Sendable {
    /// The number of requests at a time.
    let running: Int
    /// The number of requests that wait.
    let waiting: Int
  }

  init(total: Numbers, perBrowser: Numbers) {
    self.total = total
    self.perBrowser = perBrowser
    totalSemaphore = AsyncSemaphore(total.running, maximumQueue: total.waiting)
  }

  /// The limits of loads.
  static var loads: RequestLimits {
    RequestLimits(total: Numbers(running: 96, waiting: 928), perBrowser: Numbers(running: 32, waiting: 224))
  }

  /// The limits of token exchanges. Moves of a clock wait for them, so fewer wait than of loads.
  static var tokens: RequestLimits {
    RequestLimits(total: Numbers(running: 96, waiting: 928), perBrowser: Numbers(running: 32, waiting: 96))
  }

  /// The limits of requests for the signed values of web ads. The click waits for them, so few wait.
  static var webAds: RequestLimits {
    RequestLimits(total: Numbers(running: 32, waiting: 96), perBrowser: Numbers(running: 16, waiting: 16))
  }

  /// Limits the requests of one browser.
  func transport(over transport: any Transport) -> any Transport {
    let own = AsyncSemaphore(perBrowser.running, maximumQueue: perBrowser.waiting)
    return LimitedTransport(transport: transport, limits: [own, totalSemaphore])
  }
}
