/// A registrable domain, or the whole host where there is none (`localhost`, an IP address, a public suffix).
///
/// Scheme and port never take part (reference, section 1.1).
package struct Site: Hashable, Comparable, Sendable {
  /// Lower-case ASCII; an IPv6 address in brackets.
  package let domain: String

  package init(_ domain: String) {
    self.domain = domain
  }

  package static func < (left: Site, right: Site) -> Bool { left.domain < right.domain }

  /// Whether a host lies on this site: it is the domain itself or ends with a dot and the domain. This is the test of
  /// the redirect rules (reference, section 1.1); landing compares sites for equality instead.
  package func contains(host: String) -> Bool {
    guard host.utf8.count > domain.utf8.count else { return host == domain }
    return host.hasSuffix(domain) && host.utf8.dropLast(domain.utf8.count).last == UInt8(ascii: ".")
  }
}

/// An absolute URL, taken apart once. `PCMSites` makes it from text; the rules read it.
package struct WebURL: Hashable, Sendable {
  /// The whole URL in its normal form.
  package let text: String
  /// Lower case, without the colon.
  package let scheme: String
  /// Lower-case ASCII (IDN as punycode), without a trailing dot; an IPv6 address in brackets. Empty for a URL that has
  /// no host, such as `about:blank`.
  package let host: String
  /// The port as written; nil when the URL names none.
  package let port: Int?
  /// The path as a browser would send it: dot segments removed, characters outside the path set percent-encoded,
  /// nothing decoded.
  package let path: String
  /// The text behind `?`, undecoded; empty for a bare `?`, nil without one.
  package let query: String?
  /// Whether there is a `#`, bare ones included.
  package let hasFragment: Bool
  /// Whether there is a user name or a password.
  package let hasCredentials: Bool
  /// The site of the host.
  package let site: Site
  /// Whether `site` is a registrable domain rather than a host without one.
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
