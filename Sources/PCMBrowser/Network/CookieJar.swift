import PCMCore
import PCMNetwork

/// A conversion between the browser's clock and the machine's, which libcurl and servers use. A cookie with a lifetime of an
/// hour lasts an hour of the browser's time.
struct CookieClocks: Hashable, Sendable {
  let now: Instant
  let wall: Instant

  func received(_ cookie: Cookie) -> Cookie {
    var cookie = cookie
    cookie.expires = cookie.expires.map { now + ($0 - wall) }
    return cookie
  }

  /// Rounds the expiry up to seconds, because a cookie is valid until the end of its lifetime.
  func sent(_ cookie: Cookie) -> Cookie {
    var cookie = cookie
    cookie.expires = cookie.expires.map { Instant(milliseconds: ((wall + ($0 - now)).milliseconds + 999) / 1_000 * 1_000) }
    return cookie
  }

  func hasExpired(_ cookie: Cookie) -> Bool { cookie.expires.map { $0 <= now } ?? false }
}

/// The identity of a cookie for libcurl, which keeps the case of a domain, of a path, and of a name, and ignores it when it compares
/// cookies.
private struct CookieKey: Hashable {
  private let domain: String
  private let includesSubdomains: Bool
  private let path: String
  private let name: String

  init(_ cookie: Cookie) {
    (domain, includesSubdomains) = (cookie.domain.lowercased(), cookie.includesSubdomains)
    (path, name) = (Self.comparedPath(cookie.path), cookie.name.lowercased())
  }

  /// The path that libcurl compares: without quotes around it and a slash at its end, and the root for a path that does not begin
  /// with a slash.
  private static func comparedPath(_ path: String) -> String {
    var path = path.lowercased()[...]
    if path.hasPrefix("\"") { path = path.dropFirst() }
    if path.hasSuffix("\"") { path = path.dropLast() }
    guard path.hasPrefix("/") else { return "/" }
    return String(path.hasSuffix("/") ? path.dropLast() : path)
  }
}

extension Cookie {
  /// The host that set the cookie, or the cookie's domain, in the form of `WebURL.host`.
  var host: String {
    let host = domain.lowercased()
    return host.contains(":") ? "[\(host)]" : host
  }
}

/// The cookies of one session between requests, oldest first, with expiries on the browser's clock. libcurl decides which cookies
/// to send and to accept.
struct CookieJar: Sendable {
  /// The maximum number of cookies. Beyond it, the oldest is removed, starting with cookies of the same site.
  static let limit = 300
  static let siteLimit = 100

  private(set) var cookies: [Cookie]

  init(_ cookies: [Cookie] = []) { self.cookies = cookies }

  /// The cookies given to a request, for comparison with the cookies after its response.
  struct Lent: Sendable {
    /// The cookies with expiries on the machine's clock.
    let sent: [Cookie]
    fileprivate let kept: [Cookie]
  }

  /// Returns the cookies that have not expired.
  mutating func lend(at clocks: CookieClocks) -> Lent {
    cookies.removeAll(where: clocks.hasExpired)
    return Lent(sent: cookies.map(clocks.sent), kept: cookies)
  }

  /// Applies the changes of a response. Changes that other loads made in the meantime are kept.
  mutating func takeBack(_ returned: [Cookie], lent: Lent, at clocks: CookieClocks, site: (_ host: String) -> Site) {
    cookies.removeAll(where: clocks.hasExpired)
    let keys = Set(returned.map(CookieKey.init))
    let gone = Set(lent.kept.filter { !keys.contains(CookieKey($0)) })
    cookies.removeAll { gone.contains($0) }
    let known = Set(lent.sent)
    for cookie in returned where !known.contains(cookie) {
      let cookie = clocks.received(cookie)
      if clocks.hasExpired(cookie) {
        let key = CookieKey(cookie)
        cookies.removeAll { CookieKey($0) == key }
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
    let key = CookieKey(cookie)
    if let index = cookies.firstIndex(where: { CookieKey($0) == key }) {
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
