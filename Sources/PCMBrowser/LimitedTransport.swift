import PCMDelivery

/// The kinds of requests. Each has a semaphore for all browsers, so that loads cannot delay reports.
enum RequestKind: CaseIterable, Sendable {
  /// Reports, postbacks, and the keys that reports need. A browser sends one at a time.
  case reports
  /// Exchanges of tokens.
  case tokens
  /// Loads of pages, and requests for the signed values of web ads.
  case loads

  /// The number of requests at a time.
  var capacity: Int { self == .tokens ? 96 : 128 }

  /// The number of requests that wait. A report that waits is not lost.
  var maximumQueue: Int { self == .reports ? .max : 1_000 }

  var semaphore: AsyncSemaphore { AsyncSemaphore(capacity, maximumQueue: maximumQueue) }
}

/// A transport that sends a limited number of requests of a kind at a time. Others wait in order, and their timeouts do not run. A
/// request that would exceed the queue fails.
struct LimitedTransport: Transport {
  let transport: any Transport
  let kind: RequestKind
  let semaphore: AsyncSemaphore

  func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    var route = route
    route.isForPage = kind != .reports
    do {
      return try await semaphore.withPermit { [route] in await transport.send(request, route: route) }
    } catch is AsyncSemaphore.QueueFullError {
      return Self.failure("too many requests of this kind wait, so the request was not sent; try again later", route)
    } catch {
      return Self.failure("the call was canceled before the request was sent", route)
    }
  }

  private static func failure(_ detail: String, _ route: NetworkRoute) -> Exchange {
    Exchange(failure: TransportFailure(.transportClosed, detail), insecure: route.insecure)
  }

  func transportOfMove() -> any Transport {
    LimitedTransport(transport: transport.transportOfMove(), kind: kind, semaphore: semaphore)
  }
}
