/// A transport that looks up a name at most once if it does not resolve. Later requests to the same host and port fail with
/// the same failure without a lookup.
///
/// It belongs to one move of a manual clock. Days pass in the browser, but only an instant in the real world, so a second
/// lookup would take a fraction of a second for the same result. Other failures are not cached: another connection may
/// succeed.
package actor FailedLookupCache: Transport {
  private let transport: any Transport
  private var failures: [Substring: TransportFailure] = [:]

  package init(_ transport: any Transport) {
    self.transport = transport
  }

  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    let authority = request.authority
    if let failure = failures[authority] { return Exchange(failure: failure, insecure: route.insecure) }
    let exchange = await transport.send(request, route: route)
    if let failure = exchange.failure, failure.code == .nameNotResolved { failures[authority] = failure }
    return exchange
  }
}

extension OutgoingRequest {
  /// The host and port. Routes map names by both, so the same name may resolve at another port.
  fileprivate var authority: Substring {
    let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    return url[start...].prefix { !"/?#".contains($0) }
  }
}
