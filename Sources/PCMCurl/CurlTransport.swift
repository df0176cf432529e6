package import PCMNetwork

/// A transport that sends requests with libcurl's multi interface on two dedicated threads: one for reports, postbacks, and the
/// keys that reports need, and one for everything that pages ask for. A site that keeps one thread busy does not delay the
/// requests of the other.
///
/// Requests on the same thread share names, and without fresh connections, connections and TLS sessions. All requests that share
/// connections therefore have the same route: a process has one.
package final class CurlTransport: Transport {
  private let reports: CurlLoop
  private let pages: CurlLoop

  /// - Parameter maximumInFlight: The maximum number of concurrent transfers of each thread. Others wait, and their timeouts do
  ///   not run. Each transfer may use a file descriptor, and 256 are well below the usual limit of 1,024.
  /// - Throws: `CurlError` when libcurl cannot be set up, or a thread cannot be created.
  package init(maximumInFlight: Int = 256) throws {
    reports = try CurlLoop(maximumInFlight: max(1, maximumInFlight))
    pages = try CurlLoop(maximumInFlight: max(1, maximumInFlight))
    for loop in [reports, pages] { try loop.start() }
  }

  deinit { for loop in [reports, pages] { loop.requestEnd() } }

  /// Sends one request and returns its exchange. After cancellation, it returns `transportClosed` as soon as the transfer is
  /// removed; the server may have processed the request by then.
  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    await route.lookingUpOnce(request) { await exchange(of: Transfer(request, route)) }
  }

  private func exchange(of transfer: Transfer) async -> Exchange {
    let loop = transfer.route.isForPage ? pages : reports
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

extension CurlTransport: Prober {
  /// Sends one request on a connection with its terms, and returns facts about the server.
  package func send(_ request: ProbeRequest, route: NetworkRoute) async -> ProbeExchange {
    let transfer = Transfer(request.request, route, terms: request.terms)
    let exchange = await exchange(of: transfer)
    var result = transfer.facts
    result.exchange = exchange
    return result
  }
}
