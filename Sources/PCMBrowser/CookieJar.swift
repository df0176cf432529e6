import PCMCore

/// One cookie, as libcurl writes it down, with its expiry on the browser's clock.
struct Cookie: Hashable, Sendable {
  /// What makes two cookies the same one, in libcurl's eyes.
  struct Key: Hashable, Sendable {
    /// With a dot in front when hosts below it get the cookie, too.
    let domain: String
    let path: String
    let name: String
  }

  let key: Key
  /// The seven fields of the line.
  private let fields: [String]
  /// Nil for a cookie that lasts as long as its session.
  let expires: Instant?

  private static let httpOnlyMark = "#HttpOnly_"
  private static let expiryField = 4

  /// Nil for a line that has not seven fields.
  init?(line: String, at clocks: CookieClocks) {
    let fields = line.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 7, let seconds = Int64(fields[Self.expiryField]) else { return nil }
    self.fields = fields
    let domain = fields[0].hasPrefix(Self.httpOnlyMark) ? String(fields[0].dropFirst(Self.httpOnlyMark.count)) : fields[0]
    key = Key(domain: domain, path: fields[2], name: fields[5])
    expires = seconds == 0 ? nil : clocks.browserInstant(wallSeconds: seconds)
  }

  func line(at clocks: CookieClocks) -> String {
    guard let expires else { return fields.joined(separator: "\t") }
    var fields = fields
    fields[Self.expiryField] = String(clocks.wallSeconds(of: expires))
    return fields.joined(separator: "\t")
  }

  func isExpired(at clocks: CookieClocks) -> Bool { expires.map { $0 <= clocks.now } ?? false }

  /// The host that set it, or the domain that it named, in the form of `WebURL.host`.
  var host: String {
    let host = (key.domain.hasPrefix(".") ? String(key.domain.dropFirst()) : key.domain).lowercased()
    return host.contains(":") ? "[\(host)]" : host
  }
}

/// The browser's clock beside the machine's, which libcurl and the servers go by: a cookie that is to last an hour lasts
/// an hour of the browser's time.
struct CookieClocks: Hashable, Sendable {
  let now: Instant
  let wall: Instant

  func browserInstant(wallSeconds: Int64) -> Instant {
    let latest = Instant.latest.milliseconds / 1_000
    return now + (Instant(milliseconds: max(0, min(wallSeconds, latest)) * 1_000) - wall)
  }

  /// Rounded up, because a cookie is good until its time is over.
  func wallSeconds(of instant: Instant) -> Int64 {
    ((wall + (instant - now)).milliseconds + 999) / 1_000
  }
}

/// The cookies of one session, oldest first. libcurl decides which are sent and which are taken; this is where they are
/// between two requests.
struct CookieJar: Sendable {
  /// What a jar holds at most; then the oldest goes, first among those of the same site.
  static let limit = 300
  static let siteLimit = 100

  private(set) var cookies: [Cookie] = []

  /// What a request was given, to tell later what its answer changed.
  struct Lent: Sendable {
    let lines: [String]
    fileprivate let cookies: [Cookie]
  }

  /// Everything that has not expired.
  mutating func lend(at clocks: CookieClocks) -> Lent {
    cookies.removeAll { $0.isExpired(at: clocks) }
    return Lent(lines: cookies.map { $0.line(at: clocks) }, cookies: cookies)
  }

  /// Takes over what an answer changed. Whatever other loads changed meanwhile stays as they left it.
  mutating func takeBack(_ lines: [String], lent: Lent, at clocks: CookieClocks, site: (_ host: String) -> Site) {
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
    // In its place: a cookie that is set anew is as old as it was (RFC 6265, section 5.3).
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

/// The jars of a browser's sessions. Each private session has one of its own, which ends with it.
struct CookieJars: Sendable {
  enum Session: Hashable, Sendable {
    case normal
    case privateBrowsing(number: Int)
  }

  private var jars: [Session: CookieJar] = [:]
  private var privateSessions = 0

  func session(isPrivate: Bool) -> Session { isPrivate ? .privateBrowsing(number: privateSessions) : .normal }

  /// False for a private session that has ended.
  func isOpen(_ session: Session) -> Bool { session == .normal || session == self.session(isPrivate: true) }

  subscript(session: Session) -> CookieJar {
    get { jars[session] ?? CookieJar() }
    set { if isOpen(session) { jars[session] = newValue } }
  }

  mutating func endPrivateSession() {
    jars[session(isPrivate: true)] = nil
    privateSessions += 1
  }

  /// Everything, or what belongs to a site.
  mutating func clear(_ site: Site?) {
    guard let site else { return jars.removeAll() }
    for session in jars.keys { jars[session]?.removeAll(on: site) }
  }
}
