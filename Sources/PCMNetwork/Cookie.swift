package import PCMCore

/// A cookie as a value (RFC 6265, section 5.3). The transport decides which cookies a request sends and a response may set.
package struct Cookie: Hashable, Sendable {
  /// The host that set the cookie, or the domain that it named, without a dot before it.
  package let domain: String
  /// Whether hosts below the domain also receive the cookie.
  package let includesSubdomains: Bool
  package let path: String
  package let isSecure: Bool
  package let isHTTPOnly: Bool
  package let name: String
  package let value: String
  /// The expiry; nil for a session cookie. For a transport, a time of the machine's clock in whole seconds.
  package var expires: Instant?

  package init(
    domain: String, includesSubdomains: Bool = false, path: String = "/", isSecure: Bool = false, isHTTPOnly: Bool = false,
    name: String, value: String, expires: Instant? = nil
  ) {
    self.domain = domain
    self.includesSubdomains = includesSubdomains
    self.path = path
    self.isSecure = isSecure
    self.isHTTPOnly = isHTTPOnly
    self.name = name
    self.value = value
    self.expires = expires
  }
}
