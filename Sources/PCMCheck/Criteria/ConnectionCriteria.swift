import PCMCore
import PCMDelivery

extension CheckCatalog {
  /// What the URL alone says.
  static let endpointCriteria: [Criterion] = [
    Criterion(
      CheckRule(
        "endpoint-url-is-https", "The endpoint's URL is an https URL", .error, .apple,
        fix: "Write the endpoint with https: reports go over nothing else.")
    ) { inquiry in
      let scheme = inquiry.options.endpoint.scheme
      return scheme == "https" ? .passed : .failed("the URL's scheme is \(scheme)")
    },
    Criterion(
      CheckRule(
        "endpoint-has-a-registrable-domain", "The endpoint's host has a registrable domain", .error, .apple,
        fix: "Use a domain that you registered as the endpoint, and map it to a test machine with --connect-to.")
    ) { inquiry in
      let endpoint = inquiry.options.endpoint
      return endpoint.hasRegistrableDomain ? .passed : .failed("\(endpoint.host) is no registrable domain and has none")
    },
    Criterion(
      CheckRule(
        "endpoint-is-on-registrable-domain", "The endpoint's host is the registrable domain itself", .warning, .apple,
        fix: "Serve the well-known paths on the registrable domain, because nothing is ever sent to a subdomain."),
      within: "endpoint-has-a-registrable-domain"
    ) { inquiry in
      let (host, domain) = (inquiry.options.endpoint.host, inquiry.site.domain)
      return host == domain ? .passed : .failed("the URL names \(host); reports go to \(domain)")
    },
    Criterion(
      CheckRule(
        "endpoint-is-on-the-default-port", "The endpoint's URL names no port", .warning, .apple,
        fix: "Serve the well-known paths on port 443, because a port in the URL is ignored.")
    ) { inquiry in
      guard let port = inquiry.options.endpoint.port, port != 443 else { return .passed }
      return .failed("the URL names port \(port); reports go to port 443")
    },
  ]
}

extension CheckCatalog {
  /// What all that needs an answer rests on.
  static let connection = [
    "host-name-resolves", "connections-are-accepted", "tls-1-2-or-later-is-spoken", "certificate-key-is-long-enough",
    "certificate-signature-is-sha-2", "certificate-names-the-host", "certificate-is-in-its-time",
    "certificate-chain-is-trusted",
  ]

  static let connectionCriteria: [Criterion] = [
    Criterion(
      CheckRule(
        "host-name-resolves", "The registrable domain's name resolves", .error, .draft,
        fix: "Give the registrable domain itself an A or AAAA record."),
      probes: [.handshake]
    ) { inquiry in failure(of: .handshake, inquiry, [.nameNotResolved]) },
    Criterion(
      CheckRule(
        "connections-are-accepted", "The endpoint takes connections", .error, .draft,
        fix: "Let the server take connections on port 443 within ten seconds, and check the route to it (--connect-to)."),
      restsOn: ["host-name-resolves"], probes: [.handshake]
    ) { inquiry in
      failure(of: .handshake, inquiry, [.connectionFailed, .timedOut, .urlRefused, .transportClosed])
    },
    Criterion(
      CheckRule(
        "tls-1-2-or-later-is-spoken", "The endpoint speaks TLS 1.2 or later as browsers do", .error, .apple,
        fix: "Switch TLS 1.2 and 1.3 on, with the cipher suites that browsers offer."),
      restsOn: ["connections-are-accepted"], probes: [.handshake, .plainHTTP]
    ) { inquiry in
      if let status = inquiry.observations.first(.plainHTTP)?.httpStatus, status != 400 {
        // With 400, a server for TLS answers a request that came without.
        return .failed("the port speaks plain HTTP instead of TLS: a request without TLS is answered with \(status)")
      }
      return failure(of: .handshake, inquiry, CheckContext.failuresOfTLS)
    },
    Criterion(
      CheckRule(
        "tls-1-3-is-spoken", "The endpoint speaks TLS 1.3", .warning, .ours,
        fix: "Switch TLS 1.3 on: it saves each report a round trip, since browsers keep no connection."),
      restsOn: connectionOrder, probes: [.handshakeFrom13]
    ) { inquiry in
      .none(of: inquiry.observations[.handshakeFrom13].whose { $0.failure != nil }, "a connection from TLS 1.3 on")
    },
    Criterion(
      CheckRule(
        "tls-before-1-2-is-refused", "The endpoint refuses TLS 1.0 and 1.1", .warning, .draft,
        fix: "Switch TLS 1.0 and 1.1 off (RFC 8996): no browser that sends reports speaks them."),
      restsOn: connectionOrder, probes: [.handshakeBefore12]
    ) { inquiry in
      let taken = inquiry.observations[.handshakeBefore12].whose { $0.failure == nil }
      return taken.isEmpty ? .passed : .failed("a connection with TLS 1.0 or 1.1 is taken", taken)
    },
  ]

  /// Whatever a browser thinks of the certificates.
  private static let connectionOrder = ["tls-1-2-or-later-is-spoken"]

  private static func failure(of probe: Probe, _ inquiry: CheckContext, _ codes: Set<TransportFailure.Code>) -> Judgement {
    guard let failure = inquiry.observations.first(probe)?.failure, codes.contains(failure.code) else { return .passed }
    return .failed("connecting to \(inquiry.site.domain) ended with \(failure.account)")
  }
}

extension CheckContext {
  /// How a connection fails that is accepted and not understood.
  static let failuresOfTLS: Set<TransportFailure.Code> = [.tlsFailed, .connectionLost, .protocolError]
}
