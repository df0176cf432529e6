import PCMNetwork
import Testing

@testable import PCMHTTP

/// A metered network is the network that it measures.
@Suite struct MeteredTransportTests {
  private struct Network: Transport {
    func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange { Exchange(httpStatus: 503) }
  }

  @Test("Requests go through the network, and reports are counted")
  func requests() async {
    let metricSet = MetricSet()
    let metered = MeteredTransport(Network(), metricSet: metricSet, uptime: { .zero })
    let report = BrowserRequest.report(url: "https://shop.example/", body: "{}")
    #expect(await metered.send(report, route: NetworkRoute()).httpStatus == 503)
    let text = metricSet.attempts.text
    #expect(text.contains("pcm_delivery_attempts_total{result=\"http-status\"} 1\n"), "\(text)")
  }

  /// A network that finds no name.
  private actor NamelessNetwork: Transport {
    private(set) var count = 0

    func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
      await route.lookingUpOnce(request) {
        count += 1
        return Exchange(failure: TransportFailure(.nameNotResolved, "there is no such host"))
      }
    }
  }

  @Test("Attempts whose failed lookup is cached are counted")
  func moves() async {
    let (metricSet, network) = (MetricSet(), NamelessNetwork())
    let metered = MeteredTransport(network, metricSet: metricSet, uptime: { .zero })
    var route = NetworkRoute()
    route.failedLookups = FailedLookups()
    let report = BrowserRequest.report(url: "https://shop.example/", body: "{}")
    for _ in 0..<3 { _ = await metered.send(report, route: route) }
    #expect(await network.count == 1)
    let text = metricSet.attempts.text
    #expect(text.contains("pcm_delivery_attempts_total{result=\"name-not-resolved\"} 3\n"), "\(text)")
  }
}
