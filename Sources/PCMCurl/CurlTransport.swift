package import PCMNetwork

/// A transport that sends requests with libcurl's multi interface on two dedicated threads: one for reports, postbacks, and the
/// keys that reports need, and one for everything that pages ask for. A site that keeps one thread busy does not delay the
/// requests of the other.
///
/// Requests share names, connections, and TLS sessions only if their routes have the same targets and trust, and if they are on the same thread.
package final class CurlTransport: Transport {
  private let reports: RunningLoop
  private let pages: RunningLoop

  /// - Parameter maximumInFlight: The maximum number of concurrent transfers of each thread. Others wait, and their timeouts do
  ///   not run. Each transfer may use a file descriptor, and 256 are well below the usual limit of 1,024.
  /// - Throws: `CurlError` when libcurl or a thread cannot be set up.
  package init(maximumInFlight: Int = 256) throws {
    reports = try RunningLoop(maximumInFlight: max(1, maximumInFlight))
    pages = try RunningLoop(maximumInFlight: max(1, maximumInFlight))
  }

  /// Sends one request and returns its exchange. After cancellation, it returns `transportClosed` as soon as the transfer is
  /// removed; the server may have processed the request by then.
  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    await route.lookingUpOnce(request) { await exchange(of: Transfer(request, route)) }
  }

  /// Sends one request like `send`, on a connection with `options`, and returns facts about the server.
  package func inspect(_ request: OutgoingRequest, route: NetworkRoute, options: Inspection.Options) async -> Inspection {
    let transfer = Transfer(request, route, inspection: options)
    return Inspection(exchange: await exchange(of: transfer), facts: transfer.facts)
  }

  private func exchange(of transfer: Transfer) async -> Exchange {
    let loop = (transfer.route.isForPage ? pages : reports).loop
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !loop.submit(transfer, resuming: continuation) else { return }
        let failure = TransportFailure(.transportClosed, "the transport was closed")
        continuation.resume(returning: Exchange(failure: failure, insecure: transfer.route.insecure))
      }
    } onCancel: {
      loop.cancel(transfer)
    }
  }

  /// Ends the threads, and returns when they have ended and all connections are closed. Current and later requests return
  /// `transportClosed`. It may be called more than once.
  package func close() async {
    await reports.end()
    await pages.end()
  }
}

/// A loop and its thread.
private final class RunningLoop: Sendable {
  let loop: CurlLoop
  private let thread: LoopThread

  init(maximumInFlight: Int) throws {
    let loop = try CurlLoop(maximumInFlight: maximumInFlight)
    self.loop = loop
    thread = try LoopThread { loop.run() }
  }

  deinit {
    loop.requestEnd()
    thread.letGo()
  }

  func end() async {
    await loop.end()
    thread.join()
  }
}

/// An exchange on a connection with options of the caller, and facts about the server.
///
/// Browsers do not have these options, so they are not part of ``Transport``.
package struct Inspection: Hashable, Sendable {
  package let exchange: Exchange
  package let facts: Facts

  /// The options of the connection.
  package struct Options: Hashable, Sendable {
    package var tls: ClosedRange<TLSVersion>
    package var offersHTTP2: Bool
    /// The connection is opened and closed without a request.
    package var endsWithHandshake: Bool

    /// Creates options with the defaults of browsers.
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
    /// The certificates of the server as PEM, its own first. Empty when the handshake did not complete, such as after an
    /// untrusted certificate.
    package var certificates: [String] = []
    /// The result for the chain: 0 when browsers accept it, otherwise OpenSSL's number (`openssl-verify(1)`).
    package var verification = 0
    /// Whether the response has a `Set-Cookie` header.
    package var setsCookies = false
    /// The headers of the response in their order, without cookies. Empty without a response.
    package var headers: [OutgoingRequest.Header] = []
  }
}
