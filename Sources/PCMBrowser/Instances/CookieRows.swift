import PCMCore
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
  private static let clocks = CookieClocks(now: Instant(milliseconds: 0), wall: Instant(milliseconds: 0))

  init(stored text: String) {
    self.init()
    let stored = JSON(parsing: Array(text.utf8)) ?? .null
    privateSessions = Int(clamping: stored["endedSessions"]?.integer ?? 0)
    for (name, session) in sessions {
      let lines = (stored[name] ?? .null).items.compactMap(\.string)
      jars[session] = CookieJar(lines.compactMap { Cookie(line: $0, at: Self.clocks) })
    }
  }

  var stored: String {
    let lists = sessions.map { name, session in
      JSON.Member(name, .array(self[session].cookies.map { .string($0.line(at: Self.clocks)) }))
    }
    return JSON.object([JSON.Member("endedSessions", .number(Int64(privateSessions)))] + lists).text
  }

  private var sessions: [(name: String, session: Session)] {
    [("normal", .normal), ("private", session(isPrivate: true))]
  }
}
