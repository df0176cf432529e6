/// The session of a thread. It connects at the first use, and again when the session has ended.
final class SessionOwner {
  private let parameters: PostgresParameters
  private var session: PostgresSession?

  init(_ parameters: PostgresParameters) {
    self.parameters = parameters
  }

  func open() throws(PostgresError) -> PostgresSession {
    if let session, session.isUsable() { return session }
    // Before the next one, because the server counts both.
    session = nil
    let new = try PostgresSession(parameters)
    session = new
    return new
  }
}
