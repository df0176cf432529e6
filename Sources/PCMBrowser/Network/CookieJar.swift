import PCMCore

/// A cookie in libcurl's format, with its expiry on the browser's clock.
struct Cookie: Hashable, Sendable {
  /// The identity of a cookie for libcurl.
  struct Key: Hashable, Sendable {
    /// The domain, with a leading dot when subdomains receive the cookie, too.
    let domain: String
    /// The path in the form in which libcurl compares it.
    let path: String
    let name: String
  }

  let key: Key
  /// The seven fields of the line.
  private let fields: [String]
  /// The expiry; nil for a session cookie.
  let expires: Instant?

  private static let httpOnlyMark = "#HttpOnly_"
  private static let expiryField = 4

  /// Parses a line. Returns nil when it does not have seven fields.
  init?(line: String, at clocks: CookieClocks) {
    var fields = line.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 7, let seconds = Int64(fields[Self.expiryField]) else { return nil }
    // libcurl sends a cookie with one of these paths to every path. Read back, an empty path is `/`, and a word is the next field.
    if ["", "TRUE", "FALSE"].contains(fields[2]) { fields[2] = "/" }
    self.fields = fields
    let domain = fields[0].hasPrefix(Self.httpOnlyMark) ? String(fields[0].dropFirst(Self.httpOnlyMark.count)) : fields[0]
    // libcurl keeps the case of a domain, of a path, and of a name, and ignores it when it compares cookies.
    key = Key(domain: domain.lowercased(), path: Self.comparedPath(fields[2]), name: fields[5].lowercased())
    expires = seconds == 0 ? nil : clocks.browserInstant(wallSeconds: seconds)
  }

  /// The path that libcurl compares: without quotes around it and a slash at its end, and the root for one that does not begin
  /// with a slash.
  private static func comparedPath(_ path: String) -> String {
    var path = path.lowercased()[...]
    if path.hasPrefix("\"") { path = path.dropFirst() }
    if path.hasSuffix("\"") { path = path.dropLast() }
    guard path.hasPrefix("/") else { return "/" }
    return String(path.hasSuffix("/") ? path.dropLast() : path)
  }

  func line(at clocks: CookieClocks) -> String {
    guard let expires else { return fields.joined(separator: "\t") }
    var fields = fields
    fields[Self.expiryField] = String(clocks.wallSeconds(of: expires))
    return fields.joined(separator: "\t")
  }

  func isExpired(at clocks: CookieClocks) -> Bool { expires.map { $0 <= clocks.now } ?? false }

  /// The host that set the cookie, or the cookie's domain, in the form of `WebURL.host`.
  var host: String {
    let host = (key.domain.hasPrefix(".") ? String(key.domain.dropFirst()) : key.domain).lowercased()
    return host.contains(":") ? "[\(host)]" : host
  }
}

/// A conversion between the browser's clock and the machine's, which libcurl and servers use. A cookie with a lifetime of an
/// hour lasts an hour of the browser's time.
struct CookieClocks: Hashable, Sendable {
  let now: Instant
  let wall: Instant

  func browserInstant(wallSeconds: Int64) -> Instant {
    let latest = Instant.latest.milliseconds / 1_000
    return now + (Instant(milliseconds: max(0, min(wallSeconds, latest)) * 1_000) - wall)
  }

  /// Returns the time in seconds, rounded up because a cookie is valid until the end of its lifetime.
  func wallSeconds(of instant: Instant) -> Int64 {
    ((wall + (instant - now)).milliseconds + 999) / 1_000
  }
}

/// The cookies of one session between requests, oldest first. libcurl decides which cookies to send and to accept.
struct CookieJar: Sendable {
  /// The maximum number of cookies. Beyond it, the oldest is removed, starting with cookies of the same site.
  static let limit = 300
  static let siteLimit = 100

  private(set) var cookies: [Cookie]

  init(_ cookies: [Cookie] = []) { self.cookies = cookies }

  /// The cookies given to a request, for comparison with those after its response.
  struct Lent: Sendable {
    let lines: [String]
    fileprivate let cookies: [Cookie]
  }

  /// Returns the cookies that have not expired.
  mutating func lend(at clocks: CookieClocks) -> Lent {
    cookies.removeAll { $0.isExpired(at: clocks) }
    return Lent(lines: cookies.map { $0.line(at: clocks) }, cookies: cookies)
  }

  /// Applies the changes of a response. Changes that other loads made in the meantime are kept.
  mutating func takeBack(_ lines: [String], lent: Lent, at clocks: CookieClocks, site: (_ host: String) -> Site) {
    cookies.removeAll { $0.isExpired(at: clocks) }
    let returned = lines.compactMap { line in Cookie(line: line, at: clocks).map { (line, $0) } }
    let keys = Set(returned.map(\.1.key))
    let gone = Set(lent.cookies.filter { !keys.contains($0.key) })
    cookies.removeAll { gone.contains($0) }
    let known = Set(lent.lines)
    for (line, cookie) in returned where !known.contains(line) {
      if cookie.isExpired(at: clocks) {
        cookies.removeAll { $0.key == cookie.key }
      } else {
        put(cookie, site: site)
      }
    }
  }

  mutating func removeAll(on site: Site) {
    cookies.removeAll { site.contains(host: $0.host) }
  }

  private mutating func put(_ cookie: Cookie, site: (_ host: String) -> Site) {
    // Replaced in place: a cookie that is set again keeps its age (RFC 6265, section 5.3).
    if let index = cookies.firstIndex(where: { $0.key == cookie.key }) {
      cookies[index] = cookie
      return
    }
    let home = site(cookie.host)
    let neighbours = cookies.indices.filter { home.contains(host: cookies[$0].host) }
    if neighbours.count >= Self.siteLimit {
      cookies.remove(at: neighbours[0])
    } else if cookies.count >= Self.limit {
      cookies.removeFirst()
    }
    cookies.append(cookie)
  }
}

/// The cookie jars of a browser's sessions. Each private session has a separate jar that ends with it.
struct CookieJars: Sendable {
  enum Session: Hashable, Sendable {
    case normal
    case privateBrowsing(number: Int)
  }

  var jars: [Session: CookieJar] = [:]
  var privateSessions = 0

  func session(isPrivate: Bool) -> Session { isPrivate ? .privateBrowsing(number: privateSessions) : .normal }

  /// Returns false for a private session that has ended.
  func isOpen(_ session: Session) -> Bool { session == .normal || session == self.session(isPrivate: true) }

  subscript(session: Session) -> CookieJar {
    get { jars[session] ?? CookieJar() }
    set { if isOpen(session) { jars[session] = newValue } }
  }

  mutating func endPrivateSession() {
    jars[session(isPrivate: true)] = nil
    privateSessions += 1
  }

  /// Clears the cookies of all sites, or of one.
  mutating func clear(_ site: Site?) {
    guard let site else { return jars.removeAll() }
    for session in jars.keys { jars[session]?.removeAll(on: site) }
  }
}
