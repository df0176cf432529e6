import PCMCheck
import PCMCore
import PCMCurl
import PCMDelivery
import PCMSites

/// An examination with the network of this machine, and whoever sits at it.
struct CheckSession {
  let options: CheckOptions
  /// Where requests go besides the endpoint.
  let others: [WebURL]
  let sites: SiteParser

  private var plannedRequests: Int { CheckPlan(options).plannedRequests }
  private var endpoint: String { ReportBody.url(at: options.endpoint.site) }

  /// Asks whether strangers' hosts are the caller's.
  ///
  /// - Throws: `StartFailure` when nobody says yes.
  func confirm() throws {
    // Some rules look at the URL alone.
    guard plannedRequests > 0 else { return }
    let strangers = Ownership.strangers(among: [try sites.url(endpoint)] + others, route: options.route)
    try Ownership.confirm(strangers, requests: plannedRequests) { question in
      guard StandardInput.isTerminal, StandardError.isTerminal else { return nil }
      StandardError.write(question)
      return StandardInput.line() ?? ""
    }
  }

  /// The line on standard error before the first request.
  static func announcement(requests: Int, hosts: [String]) -> String {
    "pcm-browser check: at most \(counted(requests, "request")) to \(hosts.joined(separator: " and "))\n"
  }

  func examine() async throws -> Examination {
    let network = try CurlTransport()
    let prober = CurlProber(network)
    let shown: any Prober =
      StandardError.isTerminal
      ? CheckProgress(around: prober, site: options.endpoint.site, write: { StandardError.write($0) }) : prober
    let hosts = others.map(\.host).reduce(into: [options.endpoint.site.domain]) { if !$0.contains($1) { $0.append($1) } }
    StandardError.write(Self.announcement(requests: plannedRequests, hosts: hosts))
    let result: Result<Examination, Examiner.Fault>
    do throws(Examiner.Fault) {
      result = .success(try await Examiner(options: options, parser: sites, prober: shown).run(at: SystemTime.now))
    } catch {
      result = .failure(error)
    }
    await network.close()
    return try result.mapError { StartFailure(description: $0.detail) }.get()
  }
}
