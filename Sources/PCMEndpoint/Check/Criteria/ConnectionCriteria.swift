import PCMCore
import PCMNetwork

extension CheckCatalog {
  /// The rules about the URL alone.
  static let endpointCriteria: [Criterion] = [
    CheckRule(
      "endpoint-url-is-https", "The endpoint's URL is an https URL", .error, .apple("NSAdvertisingAttributionReportEndpoint"),
      fix: "Use an https URL: reports are sent only over https."
    ).criterion { context in
      let scheme = context.options.endpoint.scheme
      return scheme == "https" ? .passed : .failed("the URL's scheme is \(scheme)")
    },
    CheckRule(
      "endpoint-has-a-registrable-domain", "The endpoint's host has a registrable domain", .error,
      .apple("NSAdvertisingAttributionReportEndpoint"),
      fix: "Use a registered domain for the endpoint, and map it to a test machine with --connect-to."
    ).criterion { context in
      let endpoint = context.options.endpoint
      return endpoint.hasRegistrableDomain ? .passed : .failed("\(endpoint.host) has no registrable domain")
    },
    CheckRule(
      "endpoint-is-on-registrable-domain", "The endpoint's host is the registrable domain itself", .warning,
      .apple("NSAdvertisingAttributionReportEndpoint"),
      fix: "Serve the well-known paths on the registrable domain, because browsers send nothing to a subdomain."
    ).criterion(within: "endpoint-has-a-registrable-domain") { context in
      let (host, domain) = (context.options.endpoint.host, context.site.domain)
      return host == domain ? .passed : .failed("the URL's host is \(host); reports go to \(domain)")
    },
    CheckRule(
      "endpoint-is-on-the-default-port", "The endpoint's URL has the default port", .warning,
      .apple("NSAdvertisingAttributionReportEndpoint"),
      fix: "Serve the well-known paths on port 443, because browsers ignore a port in the URL."
    ).criterion { context in
      guard let port = context.options.endpoint.port, port != 443 else { return .passed }
      return .failed("the URL's port is \(port); reports go to port 443")
    },
  ]
}

extension CheckCatalog {
  /// The dependencies of all rules that require a response.
  static let connection = [
    "host-name-resolves", "connections-are-accepted", "tls-1-2-or-later-is-spoken", "certificate-key-is-long-enough",
    "certificate-signature-is-sha-2", "certificate-names-the-host", "certificate-is-in-its-time",
    "certificate-chain-is-trusted",
  ]

  static let connectionCriteria: [Criterion] = [
    CheckRule(
      "host-name-resolves", "The registrable domain's name resolves", .error,
      .draft("Private Click Measurement: reports go to the registrable domain, over https"),
      fix: "Add an A or AAAA record for the registrable domain itself."
    ).criterion(probes: [.handshake]) { context in failure(of: .handshake, context, [.nameNotResolved]) },
    CheckRule(
      "connections-are-accepted", "The endpoint accepts connections", .error,
      .draft("Private Click Measurement: reports go to the registrable domain, over https"),
      fix: "Accept connections on port 443 within 10 seconds, and check the route to the server (--connect-to)."
    ).criterion(restsOn: ["host-name-resolves"], probes: [.handshake]) { context in
      failure(of: .handshake, context, [.connectionFailed, .timedOut, .urlRefused, .transportClosed])
    },
    CheckRule(
      "tls-1-2-or-later-is-spoken", "The endpoint supports TLS 1.2 or later", .error,
      .apple("SKAdNetwork for Web Ads: TLS 1.2 or later"),
      fix: "Enable TLS 1.2 and 1.3 with cipher suites that browsers offer."
    ).criterion(restsOn: ["connections-are-accepted"], probes: [.handshake, .plainHTTP]) { context in
      if let status = context.observations.first(.plainHTTP)?.httpStatus, status != 400 {
        // A TLS server returns 400 for a request without TLS.
        return .failed(
          "the port serves plain HTTP instead of TLS: a request without TLS received \(status)",
          fix: "Let a proxy end TLS. To check a plain HTTP server without its proxy, use --forward-to "
            + "\(context.host)=http://ADDRESS:PORT.")
      }
      return failure(of: .handshake, context, CheckContext.failuresOfTLS)
    },
    CheckRule(
      "tls-1-3-is-spoken", "The endpoint supports TLS 1.3", .warning, .advice,
      fix: "Enable TLS 1.3: it saves a round trip for each report, because browsers do not reuse connections."
    ).criterion(restsOn: connectionOrder, probes: [.handshakeFrom13]) { context in
      .none(of: context.observations[.handshakeFrom13].whose { $0.failure != nil }, "a connection with TLS 1.3 or later")
    },
    CheckRule(
      "tls-before-1-2-is-refused", "The endpoint rejects TLS 1.0 and 1.1", .warning, .draft("RFC 8996"),
      fix: "Disable TLS 1.0 and 1.1 (RFC 8996): no browser that sends reports supports them."
    ).criterion(restsOn: connectionOrder, probes: [.handshakeBefore12]) { context in
      let taken = context.observations[.handshakeBefore12].whose { $0.failure == nil }
      return taken.isEmpty ? .passed : .failed("a connection with TLS 1.0 or 1.1 is accepted", taken)
    },
  ]

  /// The dependency of rules that do not consider certificates.
  private static let connectionOrder = ["tls-1-2-or-later-is-spoken"]

  private static func failure(of probe: Probe, _ context: CheckContext, _ codes: Set<TransportFailure.Code>) -> Evaluation {
    guard let failure = context.observations.first(probe)?.failure, codes.contains(failure.code) else { return .passed }
    return .failed("the connection to \(context.host) ended with \(failure.account)")
  }
}

extension CheckContext {
  /// The errors of a connection that is accepted but fails in TLS.
  static let failuresOfTLS: Set<TransportFailure.Code> = [.tlsFailed, .connectionLost, .protocolError]
}
