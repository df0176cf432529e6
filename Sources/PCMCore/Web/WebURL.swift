/// A registrable domain, or the entire host when there is none (`localhost`, an IP address, a public suffix).
///
/// Scheme and port are not part of a site (reference, section 1.1).
package struct Site: Hashable, Comparable, Codable, Sendable {
  /// Lower-case ASCII; an IPv6 address in brackets.
  package let domain: String

  package init(_ domain: String) {
    self.domain = domain
  }

  package static func < (left: Site, right: Site) -> Bool { left.domain < right.domain }

  /// Returns whether a host is the domain or one of its subdomains. The redirect rules use this test (reference, section
  /// 1.1); the landing rule compares sites for equality.
  package func contains(host: String) -> Bool {
    guard host.utf8.count > domain.utf8.count else { return host == domain }
    return host.hasSuffix(domain) && host.utf8.dropLast(domain.utf8.count).last == UInt8(ascii: ".")
  }
}

/// A parsed absolute URL. `PCMURL` creates it from text.
package struct WebURL: Hashable, Sendable {
  /// The normalized URL.
  package let text: String
  /// The scheme in lower case, without the colon.
  package let scheme: String
  /// The host in lower-case ASCII (IDN as Punycode), without a trailing dot; an IPv6 address is in brackets. Empty for a URL
  /// without a host, such as `about:blank`.
  package let host: String
  /// The port as written; nil when the URL has none.
  package let port: Int?
  /// The path as a browser sends it: without dot segments, with characters outside the path set percent-encoded, and not
  /// decoded.
  package let path: String
  /// The text after `?`, not decoded; empty for a bare `?`, nil without one.
  package let query: String?
  /// Whether the URL contains `#`, even without a fragment after it.
  package let hasFragment: Bool
  /// Whether the URL contains a user name or a password.
  package let hasCredentials: Bool
  /// The site of the host.
  package let site: Site
  /// Whether `site` is a registrable domain and not a host without one.
  package let hasRegistrableDomain: Bool

  package init(
    text: String, scheme: String, host: String, port: Int?, path: String, query: String?, hasFragment: Bool,
    hasCredentials: Bool, site: Site, hasRegistrableDomain: Bool
  ) {
    self.text = text
    self.scheme = scheme
    self.host = host
    self.port = port
    self.path = path
    self.query = query
    self.hasFragment = hasFragment
    self.hasCredentials = hasCredentials
    self.site = site
    self.hasRegistrableDomain = hasRegistrableDomain
  }

  package var isHTTPFamily: Bool { scheme == "https" || scheme == "http" }
}
