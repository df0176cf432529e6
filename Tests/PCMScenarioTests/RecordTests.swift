import PCMCore
import PCMNetwork
import PCMScenario
import PCMSimulatedSites
import Testing

/// The record of a scenario's network.
@Suite struct RecordTests {
  private static let key = BrowserRequest.tokenKey(at: Site("news.example"))
  private static let forged: JSON = [
    "source_site": "news.example", "attributed_on_site": "shop.example", "source_secret_token": "AAAA",
    "source_secret_token_signature": "AAAA",
  ]

  private func record() throws -> RecordingTransport {
    let sites = SimulatedSites(registrableDomain: { $0 })
    return RecordingTransport(sites, now: { Instant(milliseconds: 5) })
  }

  private func report(_ body: String) -> OutgoingRequest {
    BrowserRequest.report(url: "https://Shop.example:8443/exactly?here", body: body)
  }

  @Test func aRequestIsRecordedWithItsKind() async throws {
    let record = try record()
    _ = await record.send(report("{}"), route: NetworkRoute())
    _ = await record.send(Self.key, route: NetworkRoute())
    _ = await record.send(BrowserRequest.signing(at: Site("news.example"), body: [:]), route: NetworkRoute())
    _ = await record.send(
      BrowserRequest.pageLoad(method: .post, url: "http://[::1]/pixel", cookies: []), route: NetworkRoute())
    let sent = await record.sent
    #expect(sent.map(\.kind) == [.report, .tokenKey, .sign, .load])
    #expect(sent.map(\.host) == ["shop.example", "news.example", "news.example", "[::1]"])
    #expect(sent.map(\.at) == Array(repeating: Instant(milliseconds: 5), count: 4))
    #expect(sent.map(\.body) == [[:], nil, [:], nil])
  }

  /// A network without names, which caches its failures.
  private struct NamelessNetwork: Transport {
    func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
      await route.lookingUpOnce(request) {
        Exchange(failure: TransportFailure(.nameNotResolved, "there is no such host"), remoteAddress: "looked up")
      }
    }
  }

  @Test func requestsWithACachedFailureAreRecorded() async throws {
    let record = RecordingTransport(NamelessNetwork(), now: { Instant(milliseconds: 5) })
    var route = NetworkRoute()
    route.failedLookups = FailedLookups()
    #expect(await record.send(report("1"), route: route).remoteAddress == "looked up")
    #expect(await record.send(report("2"), route: route).remoteAddress == nil)
    #expect(await record.sent.map(\.body) == [1, 2])
  }

  @Test func aTokenIsVerifiedWithTheServedKey() async throws {
    let record = try record()
    _ = await record.send(report(Self.forged.text), route: NetworkRoute())
    _ = await record.send(Self.key, route: NetworkRoute())
    _ = await record.send(report(Self.forged.text), route: NetworkRoute())
    _ = await record.send(report("no JSON"), route: NetworkRoute())
    let sent = await record.sent
    #expect(sent.map { $0.tokens.map(\.verdict) } == [[.unverified], [], [.rejected], []])
    #expect(sent.map { $0.tokens.map(\.recipient) } == [[.source], [], [.source], []])
    #expect(sent.last?.body == "no JSON")
  }
}
