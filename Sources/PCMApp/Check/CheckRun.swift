import PCMCore
import PCMCurl
import PCMEndpoint
import PCMNetwork
import PCMURL

/// A check over the network of this machine, with its terminal.
struct CheckRun {
  let options: CheckOptions
  /// The hosts of requests other than the endpoint.
  let others: [WebURL]
  let sites: SiteParser

  private var plannedRequests: Int { options.plannedRequests }
  private var endpoint: String { options.requestURL }

  /// Asks for confirmation that the hosts are the caller's.
  ///
  /// - Throws: `StartError` without confirmation.
  func confirm() throws {
    // Some rules evaluate only the URL.
    guard plannedRequests > 0 else { return }
    let strangers = Ownership.strangers(among: [try sites.url(endpoint)] + others, route: options.route)
    let amount = "up to \(counted(plannedRequests, "request")), including malformed ones,"
    try Ownership.confirm(strangers, sending: amount, to: "check", ask: Ownership.askOnTerminal)
  }

  /// The line on standard error before the first request.
  static func announcement(requests: Int, hosts: [String]) -> String {
    "pcm-browser check: at most \(counted(requests, "request")) to \(hosts.joined(separator: " and "))\n"
  }

  func run() async throws -> CheckReport {
    let network = try CurlTransport()
    let shown: any Prober =
      StandardError.isTerminal
      ? CheckProgress(
        around: network, site: options.endpoint.site, postbacks: options.postbacks?.url, write: { StandardError.write($0) })
      : network
    let hosts = others.map(\.host).reduce(into: [options.requestHost]) { if !$0.contains($1) { $0.append($1) } }
    StandardError.write(Self.announcement(requests: plannedRequests, hosts: hosts))
    let result: Result<CheckReport, CheckError>
    let uptime = SystemTime.uptime()
    do throws(CheckError) {
      var report = try await EndpointChecker(options: options, parser: sites, prober: shown).run(at: SystemTime.now)
      report.duration = uptime()
      result = .success(report)
    } catch {
      result = .failure(error)
    }
    await network.close()
    return try result.mapError { StartError(description: $0.detail) }.get()
  }
}

/// Writes the progress of a check: a line at the beginning of each part.
actor CheckProgress: Prober {
  private let prober: any Prober
  private let site: Site
  private let postbacks: String?
  private let write: @Sendable (String) -> Void
  private var announced: Set<String> = []

  init(around prober: any Prober, site: Site, postbacks: String? = nil, write: @escaping @Sendable (String) -> Void) {
    self.prober = prober
    self.site = site
    self.postbacks = postbacks
    self.write = write
  }

  func send(_ request: ProbeRequest, route: NetworkRoute) async -> ProbeExchange {
    let part = part(of: request)
    if announced.insert(part).inserted { write("  \(part) …\n") }
    return await prober.send(request, route: route)
  }

  private func part(of request: ProbeRequest) -> String {
    if request.terms.endsWithHandshake { return "connection" }
    if request.url == postbacks { return "postbacks" }
    return switch request.url {
    case ReportBody.url(at: site): "reports"
    case TokenExchange.keyURL(at: site): "token key"
    case TokenExchange.signingURL(at: site): "token signing"
    case "http://\(site.domain):443/": "connection"
    default: if case .pageLoad = request.kind { "pixel" } else { "nonces and counts" }
    }
  }
}
