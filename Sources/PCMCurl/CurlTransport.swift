package import PCMDelivery

/// Sends requests with libcurl, all of them on one thread of its own (its multi interface).
///
/// Requests on routes that differ in anything that decides where a connection goes or whom it trusts share nothing:
/// no looked-up name, no connection, no TLS session.
package final class CurlTransport: Transport {
  private let loop: CurlLoop
  private let thread: LoopThread

  /// - Parameter maximumInFlight: Sends under way at one time; more wait in line, without their timeouts running. Each
  ///   may take a file descriptor, and 256 leave room below the usual limit of 1,024.
  /// - Throws: `CurlError` when libcurl or the thread cannot be set up.
  package init(maximumInFlight: Int = 256) throws {
    let loop = try CurlLoop(maximumInFlight: max(1, maximumInFlight))
    self.loop = loop
    thread = try LoopThread { loop.run() }
  }

  deinit {
    loop.requestEnd()
    thread.letGo()
  }

  /// Sends one request and waits for its end. A task that is cancelled gets its answer, `transportClosed`, as soon as
  /// the transfer is taken down; the other side may have acted on the request by then.
  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    await exchange(of: Transfer(request, route))
  }

  /// Sends one request as `send` does, on a connection that offers what `options` say, and tells what it saw of the
  /// server's side.
  package func inspect(_ request: OutgoingRequest, route: NetworkRoute, options: Inspection.Options) async -> Inspection {
    let transfer = Transfer(request, route, inspection: options)
    return Inspection(exchange: await exchange(of: transfer), facts: transfer.facts)
  }

  private func exchange(of transfer: Transfer) async -> Exchange {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !loop.submit(transfer, resuming: continuation) else { return }
        let failure = TransportFailure(.transportClosed, "the transport was closed")
        continuation.resume(returning: Exchange(failure: failure, insecure: transfer.route.insecure))
      }
    } onCancel: {
      loop.cancel(transfer)
    }
  }

  /// Ends the thread and returns when it is gone and every connection with it. Sends under way are answered with
  /// `transportClosed`, and so are later ones. May be called more than once.
  package func close() async {
    await loop.end()
    thread.join()
  }
}

/// An exchange on a connection that offers what its caller chose, with what was seen of the server's side.
///
/// Browsers have no such choice, so none of it is part of ``Transport``.
package struct Inspection: Hashable, Sendable {
  package let exchange: Exchange
  package let facts: Facts

  /// What the connection offers.
  package struct Options: Hashable, Sendable {
    package var tls: ClosedRange<TLSVersion>
    package var offersHTTP2: Bool
    /// The connection is made and taken down again, and no request goes out on it.
    package var endsWithHandshake: Bool

    /// What browsers offer, unless something else is given.
    package init(
      tls: ClosedRange<TLSVersion> = .v12 ... .v13, offersHTTP2: Bool = true, endsWithHandshake: Bool = false
    ) {
      self.tls = tls
      self.offersHTTP2 = offersHTTP2
      self.endsWithHandshake = endsWithHandshake
    }
  }

  package enum TLSVersion: Int, Comparable, Sendable {
    case v10
    case v11
    case v12
    case v13

    package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
  }

  package struct Facts: Hashable, Sendable {
    /// The certificates that the server showed, its own first, each as PEM. Empty when the handshake did not come to its
    /// end, as it does not when a certificate is refused.
    package var certificates: [String] = []
    /// What the TLS library made of the chain: 0 when it is in order, otherwise OpenSSL's number (`openssl-verify(1)`). A
    /// certificate for another name is refused later, and leaves 1, which says nothing.
    package var verification = 0
    /// Whether the answer has a `Set-Cookie`.
    package var setsCookies = false
  }
}
