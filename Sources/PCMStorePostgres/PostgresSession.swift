import CLibPQ
internal import DequeModule
import Foundation

/// One session of the server: the owner of libpq's handle, which is nonblocking and in pipeline mode.
///
/// Statements are sent without waiting for the results of earlier statements. After an error, the server ignores the rest, up to the
/// next synchronization. A transaction also waits for results with a synchronization: the server limits the time that a
/// session is idle in a transaction only after one.
///
/// The session is confined to the thread that created it, which its calls check, and which waits in them.
final class PostgresSession {
  private let pointer: OpaquePointer
  private let silence: Int32
  private let owner = pthread_self()
  /// The names of the prepared statements, by their SQL.
  private var names: [String: String] = [:]
  private var nameCount = 0
  /// The texts that were prepared since the last synchronization.
  private var recentTexts: [String] = []
  /// Whether an error may have prevented preparations.
  private var isPreparationUnknown = false
  /// Whether the results of all statements have arrived.
  private var isSynchronized = true
  /// The first error since the last rollback.
  private(set) var failure: PostgresError?
  private var isBroken = false

  /// Connects to the first host that accepts writes.
  init(_ parameters: PostgresParameters) throws(PostgresError) {
    guard let pointer = parameters.withStrings({ PQconnectdbParams($0, $1, 1) }) else {
      throw PostgresError(.unreachable, "out of memory")
    }
    (self.pointer, silence) = (pointer, parameters.silence)
    // Notices would otherwise be printed to standard error.
    PQsetNoticeProcessor(pointer, { _, _ in }, nil)
    guard PQstatus(pointer) == CONNECTION_OK else {
      // A server whose disk is full has no room for a session. libpq has only the text.
      guard !["No space left on device", "could not write init file"].contains(where: message.contains) else {
        throw PostgresError(.full, message)
      }
      throw PostgresError(.unreachable, "cannot connect to \(parameters.address): \(message); \(remedy)")
    }
    let version = PQserverVersion(pointer) / 10_000
    guard version >= 15 else {
      throw PostgresError(.unreachable, "PostgreSQL \(version) is too old; pcm-browser requires 15 or later")
    }
    let encoding = PQparameterStatus(pointer, "server_encoding").map { String(cString: $0) } ?? ""
    guard encoding == "UTF8" else {
      throw PostgresError(.unreachable, "the database has the encoding \(encoding); create it with the encoding UTF8")
    }
    guard PQsetnonblocking(pointer, 1) == 0, PQenterPipelineMode(pointer) == 1 else {
      throw PostgresError(.unreachable, message)
    }
  }

  deinit { PQfinish(pointer) }

  /// Whether the session can run a transaction. A session that ended since the last transaction is found here, so that the next one is
  /// not sent to it.
  func isUsable() -> Bool {
    checkConfinement()
    // The first call may read the server's last message, and the second one the end.
    while !isBroken, let ready = try? wait(for: POLLIN, milliseconds: 0), ready != 0 {
      isBroken = PQconsumeInput(pointer) != 1 || PQisBusy(pointer) != 0 || PQstatus(pointer) != CONNECTION_OK
    }
    return !isBroken
  }

  // MARK: Statements

  /// Sends a statement, whose error a later call throws.
  func send(_ statement: PostgresStatement) throws(PostgresError) {
    checkConfinement()
    if let failure { throw failure }
    isSynchronized = false
    let name = try statement.isPrepared ? name(of: statement.sql) : nil
    try check(
      statement.withValues { count, addresses, lengths, formats in
        guard let name else {
          return PQsendQueryParams(pointer, statement.sql, count, nil, addresses, lengths, formats, 1)
        }
        return PQsendQueryPrepared(pointer, name, count, addresses, lengths, formats, 1)
      })
  }

  /// Sends a statement, and returns its result.
  func result(of statement: PostgresStatement) throws(PostgresError) -> PostgresRows {
    try send(statement)
    guard let result = try synchronize() else { throw lose("the server sent no result") }
    return result
  }

  /// Waits for the results of all statements, and returns the last one. Throws the first error since the last rollback.
  @discardableResult
  func synchronize() throws(PostgresError) -> PostgresRows? {
    checkConfinement()
    guard !isBroken else { throw failure ?? lose() }
    try check(PQpipelineSync(pointer))
    let last = try receive()
    defer { (recentTexts, isSynchronized) = ([], true) }
    guard let failure else { return last }
    isPreparationUnknown = isPreparationUnknown || !recentTexts.isEmpty
    throw failure
  }

  /// Returns the texts of the notifications that other sessions sent. Waits for them when there are none.
  func notifications(within milliseconds: Int32) throws(PostgresError) -> [String] {
    checkConfinement()
    if try wait(for: POLLIN, milliseconds: milliseconds) != 0, PQconsumeInput(pointer) != 1 { throw lose() }
    var texts: [String] = []
    while let notification = PQnotifies(pointer) {
      defer { PQfreemem(notification) }
      guard notification.pointee.be_pid != PQbackendPID(pointer) else { continue }
      texts.append(String(cString: notification.pointee.extra))
    }
    return texts
  }

  /// Ends the transaction without its changes. A session that cannot do so ends.
  func rollBack() {
    // After an error, the server would ignore the statement.
    if !isSynchronized { _ = try? synchronize() }
    guard !isBroken else { return }
    failure = nil
    try? send(PostgresStatement("ROLLBACK", isPrepared: !isPreparationUnknown))
    if isPreparationUnknown {
      try? send(PostgresStatement("DEALLOCATE ALL", isPrepared: false))
      (names, isPreparationUnknown) = ([:], false)
    }
    do { try synchronize() } catch { isBroken = true }
  }

  private func name(of sql: String) throws(PostgresError) -> String {
    if let name = names[sql] { return name }
    nameCount += 1
    let name = "s\(nameCount)"
    try check(PQsendPrepare(pointer, name, sql, 0, nil))
    names[sql] = name
    recentTexts.append(sql)
    return name
  }

  // MARK: Results

  /// Receives the results up to the synchronization, and returns the last one.
  private func receive() throws(PostgresError) -> PostgresRows? {
    var last: PostgresRows?
    // A statement ends with nil.
    var endCount = 0
    while endCount < 3 {
      guard let result = try nextResult().map(PostgresRows.init) else {
        endCount += 1
        continue
      }
      endCount = 0
      switch result.status {
      case PGRES_PIPELINE_SYNC: return last
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK: last = result
      default:
        // The results after the first error say that their statements were ignored.
        let error = failure ?? PostgresError(result)
        failure = error
        guard error.kind != .lost else { throw lose() }
      }
    }
    throw lose()
  }

  /// Waits for the next result; nil after the last one of a statement.
  private func nextResult() throws(PostgresError) -> OpaquePointer? {
    while PQisBusy(pointer) != 0 {
      let unsent = PQflush(pointer)
      guard unsent >= 0 else { throw lose() }
      let ready = try wait(for: unsent > 0 ? POLLIN | POLLOUT : POLLIN, milliseconds: silence)
      guard ready != 0 else { throw lose("the server sent nothing for \(silence / 1_000) s") }
      guard ready & ~POLLOUT == 0 || PQconsumeInput(pointer) == 1 else { throw lose() }
    }
    return PQgetResult(pointer)
  }

  /// Waits until the socket is ready, and returns how; 0 when the time is over.
  private func wait(for events: Int32, milliseconds: Int32) throws(PostgresError) -> Int32 {
    var descriptor = pollfd(fd: PQsocket(pointer), events: Int16(events), revents: 0)
    var count: Int32
    repeat { count = poll(&descriptor, 1, milliseconds) } while count < 0 && errno == EINTR
    guard count >= 0 else { throw lose("poll: \(String(cString: strerror(errno)))") }
    return Int32(descriptor.revents)
  }

  private func check(_ code: Int32) throws(PostgresError) {
    guard code == 1 else { throw lose() }
  }

  /// Notes that the connection ended, and returns the error.
  private func lose(_ text: String? = nil) -> PostgresError {
    isBroken = true
    let error = PostgresError(.lost, text ?? message)
    failure = failure ?? error
    return failure ?? error
  }

  /// libpq's last error, in one line.
  private var message: String {
    let lines = String(cString: PQerrorMessage(pointer)).split(separator: "\n").map { $0.drop(while: \.isWhitespace) }
    return lines.isEmpty ? "the connection to the server ended" : lines.joined(separator: "; ")
  }

  /// The remedy for a failed connection. libpq has only the text of the cause.
  private var remedy: String {
    switch message {
    case let text where text.contains("certificate"):
      "correct the host, or name the authority of the server's certificate with sslrootcert"
    case let text where text.contains("too many") || text.contains("connection slots"):
      "raise the server's max_connections, or the limit of the user or of the database"
    default: "start the server, or correct the address, the name of the database, or the password in the file of PGPASSFILE"
    }
  }

  private func checkConfinement() {
    precondition(pthread_equal(owner, pthread_self()) != 0, "the session belongs to its thread")
  }
}
