import PCMCore

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
