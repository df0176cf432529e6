import NIOConcurrencyHelpers

/// The names that did not resolve during one move of a manual clock. A transport looks each of them up once.
///
/// Days pass in the browser, but only an instant in the real world, so a second lookup would take a fraction of a second for
/// the same result. Other failures are not kept: another connection may succeed.
package final class FailedLookups: Hashable, Sendable {
  fileprivate let failures = NIOLockedValueBox<[Substring: TransportFailure]>([:])

  package init() {}

  package static func == (left: FailedLookups, right: FailedLookups) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension NetworkRoute {
  /// Returns the result of `send`, or the failure of an earlier lookup of the request's name.
  package func lookingUpOnce(_ request: OutgoingRequest, send: () async -> Exchange) async -> Exchange {
    guard let failedLookups else { return await send() }
    let authority = request.authority
    if let failure = failedLookups.failures.withLockedValue({ $0[authority] }) {
      return Exchange(failure: failure, insecure: insecure)
    }
    let exchange = await send()
    if let failure = exchange.failure, failure.code == .nameNotResolved {
      failedLookups.failures.withLockedValue { $0[authority] = failure }
    }
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
