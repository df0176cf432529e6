import PCMCore
package import PCMDelivery

/// A network that answers as it is told, at once, and remembers what it was asked.
///
/// It argues back: a request that no browser would make ends the exchange as refused, so a test cannot pass on it.
package actor ScriptedTransport: Transport {
  package private(set) var requests: [OutgoingRequest] = []
  private let answer: @Sendable (OutgoingRequest, _ number: Int) -> Exchange

  /// - Parameter answer: decides about each request; the first is number 1.
  package init(answer: @escaping @Sendable (OutgoingRequest, _ number: Int) -> Exchange = { _, _ in Exchange(httpStatus: 200) })
  {
    self.answer = answer
  }

  package func send(_ request: OutgoingRequest, route: NetworkRoute) -> Exchange {
    let mayBePlain = request.kind != .measurement && request.url.hasPrefix("http://")
    guard mayBePlain || request.url.hasPrefix("https://"), request.method == .get || request.body != nil else {
      return Exchange(failure: TransportFailure(.urlRefused, "no browser sends this"))
    }
    requests.append(request)
    return answer(request, requests.count)
  }
}
