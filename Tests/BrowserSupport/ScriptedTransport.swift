import PCMCore
package import PCMNetwork

/// A network with scripted, immediate answers, which records its requests.
///
/// It argues back: a request that no browser would make ends the exchange as refused, so a test cannot pass on it.
package actor ScriptedTransport: Transport {
  package private(set) var requests: [OutgoingRequest] = []
  private let answer: @Sendable (OutgoingRequest, _ number: Int) async -> Exchange

  /// - Parameter answer: decides about each request; the first is number 1. It may take its time.
  package init(
    answer: @escaping @Sendable (OutgoingRequest, _ number: Int) async -> Exchange = { _, _ in Exchange(httpStatus: 200) }
  ) {
    self.answer = answer
  }

  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    let mayBePlain = request.kind != .measurement && request.url.hasPrefix("http://")
    guard mayBePlain || request.url.hasPrefix("https://"), request.method == .get || request.body != nil else {
      return Exchange(failure: TransportFailure(.urlRefused, "no browser sends this"))
    }
    // Like the real network, looks a name up once in a move of the clock.
    return await route.lookingUpOnce(request) {
      requests.append(request)
      return await answer(request, requests.count)
    }
  }
}
