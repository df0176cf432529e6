package import PCMCore

/// Turns text into URLs and hosts into sites.
///
/// libcurl's reading decides, because libcurl also sends. `URLText` and `HostName` prepare the text so that libcurl reads
/// what a browser would.
package struct SiteParser: Sendable {
  private let publicSuffixList: PublicSuffixList
  private let names = InternationalNames()

  package init(publicSuffixList: PublicSuffixList) {
    self.publicSuffixList = publicSuffixList
  }

  /// Parses an absolute URL of any scheme, of at most 8,192 bytes. A URL of http, https, ws, wss or ftp has a host; any
  /// other may do without one (`about:blank`), and then has an empty site.
  ///
  /// The normal form in `text` has no user information, which is nobody's business in a log or a report, and no port
  /// that is the scheme's own.
  package func url(_ text: String) throws(URLRefusal) -> WebURL {
    if let plain = PlainURL(text) { return url(plain) }
    let text = try URLText(text)
    guard let authority = text.authority, !authority.isEmpty else {
      guard !text.needsHost else { throw .noHost }
      return try hostless(text)
    }
    let isOpaque = !text.needsHost && text.scheme != "file"
    let host = isOpaque ? try HostName.opaque(authority.host) : try HostName.normal(authority.host, names: names)
    guard text.scheme != "file" || host != "localhost" else { return try hostless(text) }
    // libcurl reads the rest. It refuses hosts in file URLs and knows no opaque ones, so it is handed others in their place.
    let scheme = text.scheme == "file" ? "http" : text.scheme
    let curl = try CurlURL(
      parsing: "\(scheme)://" + String(text: authority.userInformation) + (isOpaque ? "host.invalid" : host)
        + String(text: authority.port + text.path + text.queryWithMark))
    let port = try curl.port
    let writtenPort = port.map { $0 == text.defaultPort ? "" : ":\($0)" } ?? ""
    let path = try curl.path
    // A site is lowercase, which an opaque host need not be.
    let (site, isRegistrableDomain) = site(ofHost: host.lowercased())
    return WebURL(
      text: "\(text.scheme)://\(host)\(writtenPort)\(path)" + String(text: text.queryWithMark + text.fragmentWithMark),
      scheme: text.scheme, host: host, port: port, path: path,
      query: text.query == nil ? nil : try curl.query, hasFragment: text.fragment != nil,
      hasCredentials: try curl.hasCredentials, site: site, hasRegistrableDomain: isRegistrableDomain)
  }

  private func url(_ plain: PlainURL) -> WebURL {
    let path = plain.path.isEmpty ? "/" : plain.path
    let (site, isRegistrableDomain) = site(ofName: plain.host)
    return WebURL(
      text: "\(plain.scheme)://\(plain.host)\(path)\(plain.query.map { "?\($0)" } ?? "")", scheme: plain.scheme,
      host: plain.host,
      port: nil, path: path, query: plain.query, hasFragment: false, hasCredentials: false, site: site,
      hasRegistrableDomain: isRegistrableDomain)
  }

  /// The registrable domain of a host, or the whole host where there is none: an address, `localhost`, a public suffix.
  /// The host is in the normal form that `WebURL.host` has; an empty one has an empty site.
  package func site(ofHost host: String) -> (site: Site, isRegistrableDomain: Bool) {
    guard !host.hasPrefix("["), !HostName.endsInNumber(host) else { return (Site(host), false) }
    return self.site(ofName: host)
  }

  private func site(ofName name: String) -> (site: Site, isRegistrableDomain: Bool) {
    guard let domain = publicSuffixList.registrableDomain(ofName: name) else { return (Site(name), false) }
    return (Site(domain), true)
  }

  private func hostless(_ text: URLText) throws(URLRefusal) -> WebURL {
    var path = String(text: text.path)
    // libcurl removes dot segments in URLs with a host only, so it is lent one.
    if path.hasPrefix("/") { path = try CurlURL(parsing: "http://host.invalid\(path)").path }
    // Without the dot the path would be read as a host when the normal form is parsed.
    let mark = text.authority != nil ? "//" : path.hasPrefix("//") ? "/." : ""
    return WebURL(
      text: "\(text.scheme):\(mark)\(path)" + String(text: text.queryWithMark + text.fragmentWithMark),
      scheme: text.scheme, host: "", port: nil, path: path, query: text.query.map { String(text: $0) },
      hasFragment: text.fragment != nil, hasCredentials: false, site: Site(""), hasRegistrableDomain: false)
  }
}

extension String {
  init(text: [UInt8]) {
    self.init(decoding: text, as: UTF8.self)
  }
}
