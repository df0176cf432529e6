import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMNetwork
import PCMURL

/// A good postback endpoint in memory: the receiver's rules behind a prober. A test spoils some of its responses.
struct GoodPostbackEndpoint: Prober {
  private let endpoint: ReportEndpoint
  private let certificate: String
  private let framework: AdFramework
  private let change: GoodEndpoint.Change
  let log = RequestLog()

  init(_ framework: AdFramework, certificate: String, change: @escaping GoodEndpoint.Change) throws {
    let key = try TokenPrivateKey(pem: try TestFile.text("tokens/signing-key-2048.pem"))
    endpoint = ReportEndpoint(
      keys: KeyRing(common: KeySeries(current: key)), appAds: try AppAds(), now: { Instant(milliseconds: 0) }, record: { _ in })
    self.framework = framework
    self.certificate = certificate
    self.change = change
  }

  func send(_ request: ProbeRequest, route: NetworkRoute) async -> ProbeExchange {
    let before = await log.note(request).count { $0 == request }
    var exchange = ProbeExchange(connected: request, certificate: certificate)
    if !request.terms.endsWithHandshake { exchange.take(GoodEndpoint.Answer(status: await status(request))) }
    change(request, before, &exchange)
    return exchange
  }

  private func status(_ request: ProbeRequest) async -> Int {
    guard !request.isUnrelated else { return 404 }
    guard request.method == .post else { return 405 }
    guard (request.body?.count ?? 0) < 65_536 else { return 413 }
    let received = ReceivedRequest(
      kind: .postback, host: "ads.example", method: "POST", path: request.path, headers: [], body: request.body ?? [])
    do {
      _ = try await endpoint.takePostback(received, for: framework)
      return 200
    } catch {
      return error.status
    }
  }
}

/// A check of a postback endpoint in memory.
struct PostbackCheckup {
  var options: CheckOptions
  var change: GoodEndpoint.Change = { _, _, _ in }
  private let certificate: String
  private let framework: AdFramework

  init(_ framework: AdFramework, _ url: String = "https://in.ads.example/postbacks?a=1", testKeys: Bool = true) throws {
    let url = try Checkup.parser.url(url)
    self.framework = framework
    certificate = try TestCertificate.pem(names: ["in.ads.example", "ads.example"])
    options = CheckOptions(endpoint: url)
    options.postbacks = try PostbackSubjects(framework, endpoint: url, trustsTestKeys: testKeys, seed: 7)
  }

  func run() async throws -> (report: CheckReport, requests: [ProbeRequest]) {
    let endpoint = try GoodPostbackEndpoint(framework, certificate: certificate, change: change)
    let checker = EndpointChecker(options: options, parser: Checkup.parser, prober: endpoint)
    return (try await checker.run(at: TestCertificate.now), await endpoint.log.requests)
  }
}
