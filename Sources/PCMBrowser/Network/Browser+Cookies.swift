import PCMCore
import PCMStore

/// The cookies of the sessions. They are in memory, so that no disk has them. Only a shared store has them in a row.
extension Browser {
  func cookies() async throws -> CookieJars {
    guard store.isShared else { return withState { $0.cookies } }
    return try await read { try $0.cookies() }
  }

  /// Returns the session of a load that begins in a transaction.
  func cookieSession(in reader: any BrowserReader) throws -> CookieJars.Session {
    let isPrivate = try reader.state().settings.measurement.privateBrowsing
    let jars = try store.isShared ? reader.cookies() : withState { $0.cookies }
    return jars.session(isPrivate: isPrivate)
  }

  /// Changes the cookies.
  ///
  /// - Parameter change: Depends only on its argument and its captured values, because it may run more than once.
  func changeCookies(_ change: @escaping @Sendable (inout CookieJars) -> Void) async throws {
    guard store.isShared else { return withState { change(&$0.cookies) } }
    try await store.write(record.id) { try $0.changeCookies(change) }
  }
}
