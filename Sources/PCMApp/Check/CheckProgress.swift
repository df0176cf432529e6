import PCMCheck
import PCMCore
import PCMDelivery

/// Writes what an examination is at, as its requests go by: a line for each part when it begins.
actor CheckProgress: Prober {
  private let prober: any Prober
  private let site: Site
  private let write: @Sendable (String) -> Void
  private var told: Set<String> = []

  init(around prober: any Prober, site: Site, write: @escaping @Sendable (String) -> Void) {
    self.prober = prober
    self.site = site
    self.write = write
  }

  func send(_ request: ProbeRequest, route: NetworkRoute) async -> ProbeExchange {
    let part = part(of: request)
    if told.insert(part).inserted { write("  \(part) …\n") }
    return await prober.send(request, route: route)
  }

  private func part(of request: ProbeRequest) -> String {
    if request.terms.endsWithHandshake { return "connection" }
    return switch request.url {
    case ReportBody.url(at: site): "reports"
    case TokenExchange.keyURL(at: site): "token key"
    case TokenExchange.signingURL(at: site): "token signing"
    case "http://\(site.domain):443/": "connection"
    default: if case .pageLoad = request.kind { "pixel" } else { "nonces and counts" }
    }
  }
}
