import PCMCore
import PCMNetwork
import PCMStore

// A shared store has the cookies of a browser in a row, because the next load may be another instance's.

extension BrowserReader {
  func cookies() throws -> CookieJars {
    try common(.cookies).map { CookieJars(stored: $0) } ?? CookieJars()
  }
}

extension BrowserWriter {
  /// Changes the cookies in a shared store.
  func changeCookies(_ change: (inout CookieJars) -> Void) throws {
    var jars = try cookies()
    let before = jars.stored
    change(&jars)
    guard jars.stored != before else { return }
    try save(InstanceRow(.cookies, value: jars.stored))
  }
}

/// The cookies in a row of a shared store. Their expiries are times of the browser's clock.
extension CookieJars {
  init(stored text: String) {
    self.init()
    let stored = JSON(parsing: Array(text.utf8)) ?? .null
    privateSessions = Int(clamping: stored["endedSessions"]?.integer ?? 0)
    for (name, session) in sessions {
      jars[session] = CookieJar((stored[name] ?? .null).items.compactMap(Cookie.init(stored:)))
    }
  }

  var stored: String {
    let lists = sessions.map { name, session in JSON.Member(name, .array(self[session].cookies.map(\.stored))) }
    return JSON.object([JSON.Member("endedSessions", .number(Int64(privateSessions)))] + lists).text
  }

  private var sessions: [(name: String, session: Session)] {
    [("normal", .normal), ("private", session(isPrivate: true))]
  }
}

extension Cookie {
  fileprivate init?(stored: JSON) {
    guard let domain = stored["domain"]?.string, let path = stored["path"]?.string, let name = stored["name"]?.string,
      let value = stored["value"]?.string
    else { return nil }
    self.init(
      domain: domain, includesSubdomains: stored["subdomains"] == .bool(true), path: path,
      isSecure: stored["secure"] == .bool(true),
      isHTTPOnly: stored["httpOnly"] == .bool(true), name: name, value: value,
      expires: stored["expires"]?.integer.map(Instant.init(milliseconds:)))
  }

  fileprivate var stored: JSON {
    [
      "domain": .string(domain), "subdomains": .bool(includesSubdomains), "path": .string(path), "secure": .bool(isSecure),
      "httpOnly": .bool(isHTTPOnly), "name": .string(name), "value": .string(value),
      "expires": expires.map { .number($0.milliseconds) } ?? .null,
    ]
  }
}
