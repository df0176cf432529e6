import Foundation
import PCMCore
import PCMNetwork
import PCMURL

@testable import PCMBrowser
@testable import PCMCurl

extension FuzzTarget {
  /// The values of `Set-Cookie` headers, one on each line: libcurl reads again the cookies that it returned, a response that
  /// changes nothing changes no cookie, and the jar is bounded.
  static let setCookie = FuzzTarget("set-cookie") { bytes in
    guard let text = text(bytes), !text.contains("\0"), !text.contains("\r") else { return false }
    let clocks = clocks()
    // libcurl removes one dot from a domain each time. No host has a domain that begins with two.
    let received = try cookies(text.split(separator: "\n").map { "Set-Cookie: \($0)" }).filter {
      !expiresSoon($0, clocks) && !$0.domain.hasPrefix(".")
    }
    var jar = CookieJar()
    jar.takeBack(received, lent: jar.lend(at: clocks), at: clocks, site: site)
    try check(jar.cookies.count <= CookieJar.limit, "the number of cookies is bounded")
    let (before, lent) = (jar.cookies, jar.lend(at: clocks))
    let returned = try cookies(lent.sent.map(\.line))
    try checkEqual(Set(returned), Set(lent.sent), "libcurl returns the cookies that it was given")
    jar.takeBack(returned, lent: lent, at: clocks, site: site)
    try checkEqual(jar.cookies, before, "the same cookies change nothing")
    return !before.isEmpty
  }

  /// A browser and a machine at different times. libcurl reads the clock of the machine.
  private static func clocks() -> CookieClocks {
    let wall = Instant(milliseconds: Int64(Date().timeIntervalSince1970) * 1_000)
    return CookieClocks(now: Instant(milliseconds: 1_000_000_000_000), wall: wall)
  }

  /// Whether a cookie can expire before the end of the check.
  private static func expiresSoon(_ cookie: Cookie, _ clocks: CookieClocks) -> Bool {
    cookie.expires.map { $0 < clocks.wall + .hours(1) } ?? false
  }

  private static func site(_ host: String) -> Site { sites.site(ofHost: host).site }

  /// The cookies of a handle that was given these lines.
  private static func cookies(_ lines: [String]) throws -> [Cookie] {
    let handle = try EasyHandle()
    try handle.setCookies(lines)
    return (handle.cookieLines ?? []).compactMap(Cookie.init(line:))
  }
}
