package import PCMCheck
package import PCMCurl
package import PCMDelivery

/// The probes of an examination over libcurl.
package struct CurlProber: Prober {
  private let transport: CurlTransport

  package init(_ transport: CurlTransport) {
    self.transport = transport
  }

  package func send(_ request: ProbeRequest, route: NetworkRoute) async -> ProbeExchange {
    let inspection = await transport.inspect(request.request, route: route, options: request.terms.options)
    let facts = inspection.facts
    return ProbeExchange(
      inspection.exchange, certificates: facts.certificates, verification: facts.verification, setsCookies: facts.setsCookies)
  }
}

extension ConnectionTerms {
  fileprivate var options: Inspection.Options {
    let tls: ClosedRange<Inspection.TLSVersion> =
      switch tls {
      case .browser: .v12 ... .v13
      case .from13: .v13 ... .v13
      case .before12: .v10 ... .v11
      }
    return Inspection.Options(tls: tls, offersHTTP2: httpVersion == .negotiated, endsWithHandshake: endsWithHandshake)
  }
}
