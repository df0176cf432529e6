import PCMNetwork
import Testing

/// A name that does not resolve is looked up once. Everything else is sent.
@Suite struct FailedLookupsTests {
  /// A network that fails in one way, and counts the requests to each URL.
  private actor FailingNetwork: Transport {
    private(set) var requests: [String] = []
    private let failure: TransportFailure?

    init(_ code: TransportFailure.Code?) {
      failure = code.map { TransportFailure($0, "failure \($0)") }
    }

    func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
      await route.lookingUpOnce(request) {
        requests.append(request.url)
        let timings = Exchange.Timings(dns: 200_000, connect: 0, tls: 0, firstByte: 0, total: 200_000)
        return Exchange(failure: failure, timings: timings)
      }
    }
  }

  private static func route(insecure: Bool = false, _ lookups: FailedLookups = FailedLookups()) -> NetworkRoute {
    var route = NetworkRoute(insecure: insecure)
    route.failedLookups = lookups
    return route
  }

  private static func request(_ url: String) -> OutgoingRequest { BrowserRequest.report(url: url, body: "{}") }

  @Test("The second failure is the first one, without the times of a lookup")
  func failures() async {
    let network = FailingNetwork(.nameNotResolved)
    let lookups = FailedLookups()
    let first = await network.send(Self.request("https://shop.example/a"), route: Self.route(lookups))
    let second = await network.send(Self.request("https://shop.example/b"), route: Self.route(insecure: true, lookups))
    #expect(first.failure?.code == .nameNotResolved && first.timings != nil)
    #expect(second == Exchange(failure: first.failure, insecure: true))
    #expect(await network.requests == ["https://shop.example/a"])
  }

  @Test("Each host and each port is looked up")
  func authorities() async {
    let network = FailingNetwork(.nameNotResolved)
    let route = Self.route()
    let urls = [
      "https://shop.example/", "https://shop.example:8443/", "https://shop.example?a", "https://www.shop.example/",
      "https://shop.example:8443/b",
    ]
    for url in urls { _ = await network.send(Self.request(url), route: route) }
    #expect(await network.requests == [urls[0], urls[1], urls[3]])
  }

  @Test("Other results are not cached", arguments: [nil] + TransportFailure.Code.allCases.filter { $0 != .nameNotResolved })
  func others(_ code: TransportFailure.Code?) async {
    let network = FailingNetwork(code)
    let route = Self.route()
    for _ in 0..<3 { _ = await network.send(Self.request("https://shop.example/"), route: route) }
    #expect(await network.requests.count == 3)
  }
}
