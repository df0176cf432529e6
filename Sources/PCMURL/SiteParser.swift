package import PCMCore

/// A parser of URLs and sites.
///
/// libcurl parses, because libcurl also sends. `URLText` and `HostName` prepare the text so that libcurl's result equals
/// a browser's.
package struct SiteParser: Sendable {
  private let publicSuffixList: PublicSuffixList
  private let names = InternationalNames()

  package init(publicSuffixList: PublicSuffixList) {
    self.publicSuffixList = publicSuffixList
  }

  /// Parses an absolute URL of any scheme, of at most 8,192 bytes. URLs of http, https, ws, wss, or ftp must have a host.
  /// Other URLs without a host (`about:blank`) have an empty site.
  ///
  /// The normal form in `text` omits user information, which is private and must not appear in logs and reports, and the
  /// default port of the scheme.
  package func url(_ text: String) throws(URLParsingError) -> WebURL {
    let text = try URLText(text)
    guard let authority = text.authority, !authority.isEmpty else {
      guard !text.needsHost else { throw .noHost }
      return try hostless(text)
    }
    let isOpaque = !text.needsHost && text.scheme != "file"
    let host = isOpaque ? try HostName.opaque(authority.host) : try HostName.normal(authority.host, names: names)
    guard text.scheme != "file" || host != "localhost" else { return try hostless(text) }
    // libcurl parses the rest. It rejects hosts in file URLs and has no opaque hosts, so it receives substitutes for them.
    let scheme = text.scheme == "file" ? "http" : text.scheme
    let curl = try CurlURL(
      parsing: "\(scheme)://" + String(text: authority.userInformation) + (isOpaque ? "host.invalid" : host)
        + String(text: authority.port + text.path + text.queryWithMark))
    let port = authority.port.isEmpty ? nil : try curl.port
    let writtenPort = port.map { $0 == text.defaultPort ? "" : ":\($0)" } ?? ""
    let path = try curl.path
    // A site is lower case; an opaque host may not be.
    let (site, isRegistrableDomain) = site(ofHost: host.lowercased())
    return WebURL(
      text: "\(text.scheme)://\(host)\(writtenPort)\(path)" + String(text: text.queryWithMark + text.fragmentWithMark),
      scheme: text.scheme, host: host, port: port, path: path,
      query: text.query == nil ? nil : try curl.query, hasFragment: text.fragment != nil,
      hasCredentials: authority.userInformation.isEmpty ? false : try curl.hasCredentials, site: site,
      hasRegistrableDomain: isRegistrableDomain)
  }

  /// Returns the registrable domain of a host, or the entire host when there is none: an address, `localhost`, a public
  /// suffix. The host must be in the normal form of `WebURL.host`. An empty host has an empty site.
  package func site(ofHost host: String) -> (site: Site, isRegistrableDomain: Bool) {
    guard !host.hasPrefix("["), !HostName.endsInNumber(host) else { return (Site(host), false) }
    guard let domain = publicSuffixList.registrableDomain(ofName: host) else { return (Site(host), false) }
    return (Site(domain), true)
  }

  /// Returns the registrable domain of a host in the normal form; nil for a host without one.
  @Sendable
  package func registrableDomain(ofHost host: String) -> String? {
    let (site, isRegistrableDomain) = site(ofHost: host)
    return isRegistrableDomain ? site.domain : nil
  }

  /// Whether a site is a name at a hosting service (`team.workers.dev`): its public suffix belongs to the owner of a domain.
  package func isHosted(_ site: Site) -> Bool {
    guard let dot = site.domain.firstIndex(of: ".") else { return false }
    return publicSuffixList.isPrivateSuffix(String(site.domain[site.domain.index(after: dot)...]))
  }

  private func hostless(_ text: URLText) throws(URLParsingError) -> WebURL {
    var path = String(text: text.path)
    // libcurl only removes dot segments in URLs with a host, so the URL gets a temporary host.
    if path.hasPrefix("/") { path = try CurlURL(parsing: "http://host.invalid\(path)").path }
    // Without the dot, the path would be parsed as a host in the normal form.
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

extension SiteParser {
  /// Returns, as text, the absolute URL of a redirect by `base` with this `Location`. It is resolved as in
  /// the URL Standard (section 4.4, from "scheme state" on), and inherits the fragment of `base` when it has none (Fetch
  /// Standard, "location URL"; a bare `#` is a fragment).
  ///
  /// Parse the text with `url`, which detects errors. The text preserves parts that a normal form omits, such as user
  /// information, because the rules for triggers examine them.
  ///
  /// - Parameter base: An http or https URL.
  /// - Throws: `URLParsingError` when the result cannot be a URL.
  package func redirectTarget(of location: String, from base: WebURL) throws(URLParsingError) -> String {
    let target = String(text: try URLReference(location).resolved(against: base))
    guard !target.utf8.contains(UInt8(ascii: "#")), let mark = base.text.firstIndex(of: "#") else { return target }
    return target + base.text[mark...]
  }
}

/// An absolute or relative URL reference, cleaned as in a browser.
private struct URLReference {
  private let bytes: [UInt8]

  init(_ text: String) throws(URLParsingError) {
    bytes = try URLText.cleaned(text)
  }

  /// Concatenates texts. Dot segments, backslashes, and other details are resolved when the result is parsed.
  func resolved(against base: WebURL) -> [UInt8] {
    guard let colon = URLText.endOfScheme(bytes) else { return Self.join(bytes[...], base) }
    let rest = bytes[(colon + 1)...]
    // A reference with the scheme of the base is relative unless two slashes follow, for historical reasons.
    let isRelative =
      String(decoding: bytes[..<colon], as: UTF8.self).lowercased() == base.scheme && !rest.starts(with: "//".utf8)
    return isRelative ? Self.join(rest, base) : bytes
  }

  private static func join(_ reference: ArraySlice<UInt8>, _ base: WebURL) -> [UInt8] {
    let scheme = Array("\(base.scheme):".utf8)
    // A normal form with a host always has a path.
    let whole = Array(base.text.utf8.prefix { $0 != UInt8(ascii: "#") })
    let start = whole[(scheme.count + 2)...].firstIndex(of: UInt8(ascii: "/")) ?? whole.endIndex
    let (origin, pathAndQuery) = (whole[..<start], whole[start...])
    let path = pathAndQuery.prefix { $0 != UInt8(ascii: "?") }
    switch reference.first {
    case nil, UInt8(ascii: "#"): return whole + Array(reference)
    case UInt8(ascii: "?"): return Array(origin + path + reference)
    case let first? where isSlash(first):
      return reference.dropFirst().first.map(isSlash) == true ? scheme + Array(reference) : Array(origin + reference)
    default:
      let folder = path.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? []
      return Array(origin + folder + reference)
    }
  }

  private static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
}
