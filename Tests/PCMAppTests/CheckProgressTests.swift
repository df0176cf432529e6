import PCMCore
import PCMNetwork
import Testing

@testable import PCMApp
@testable import PCMEndpoint

@Suite struct CheckProgressTests {
  private static let site = Site("ads.example")
  private static let folder = "https://ads.example/.well-known/private-click-measurement/"

  private static func request(
    _ url: String, _ kind: OutgoingRequest.Kind = .measurement, _ terms: ConnectionTerms = ConnectionTerms()
  ) -> ProbeRequest {
    ProbeRequest(OutgoingRequest(kind: kind, method: .get, url: url, headers: [], body: nil), terms)
  }

  @Test func eachPartIsReportedOnceAndEachRequestIsSent() async {
    let requests = [
      Self.request("https://ads.example/", .measurement, ConnectionTerms(endsWithHandshake: true)),
      Self.request("http://ads.example:443/", .pageLoad(cookies: [])),
      Self.request(Self.folder + "report-attribution/"),
      Self.request(Self.folder + "report-attribution/", .measurement, ConnectionTerms(offersHTTP2: false)),
      Self.request(Self.folder + "get-token-public-key/"), Self.request("https://127.0.0.1/admin/nonces"),
      Self.request(Self.folder + "sign-unlinkable-token/"), Self.request(Self.folder + "report-attribution/"),
      Self.request("https://ads.example/pixel", .pageLoad(cookies: [])),
    ]
    let (lines, end) = AsyncStream.makeStream(of: String.self)
    let network = Network()
    let progress = CheckProgress(around: network, site: Self.site, write: { end.yield($0) })
    for request in requests {
      #expect(await progress.send(request, route: NetworkRoute()).location == request.url)
    }
    end.finish()
    #expect(await network.sent == requests)
    #expect(
      await lines.reduce(into: []) { $0.append($1) } == [
        "  connection …\n", "  reports …\n", "  token key …\n", "  nonces and counts …\n", "  token signing …\n", "  pixel …\n",
      ])
  }

  /// Answers with the requested result.
  private actor Network: Prober {
    private(set) var sent: [ProbeRequest] = []

    func send(_ request: ProbeRequest, route: NetworkRoute) async -> ProbeExchange {
      sent.append(request)
      return ProbeExchange(Exchange(location: request.url))
    }
  }
}
