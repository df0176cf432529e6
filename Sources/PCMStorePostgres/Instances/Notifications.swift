import Foundation
import NIOConcurrencyHelpers
import PCMStore

/// The notifications between the instances about the browsers that they change.
///
/// A separate thread sends them over a separate connection, after the commits: the server serializes the commits of transactions that
/// notify. A notification is lost when a connection breaks, or when its reader is too slow.
final class Notifications: Sendable {
  /// The browsers that other instances changed.
  let received: AsyncStream<Set<BrowserID>>
  private let receive: AsyncStream<Set<BrowserID>>.Continuation
  private let parameters: PostgresParameters
  private let state = NIOLockedValueBox(State())

  private struct State {
    /// The changed browsers that the next notification names.
    var changed: Set<Int64> = []
    var starter: CheckedContinuation<Void, Never>?
    var isStarted = false
    var isClosed = false
    var closer: CheckedContinuation<Void, Never>?
  }

  /// The time in milliseconds for which the thread waits for notifications. The changes in the meantime share one, and do not wake the
  /// thread.
  private static let period: Int32 = 20
  /// The time in milliseconds after an error.
  private static let pause: Int32 = 1_000
  /// The number of browsers in a notification, which has less than 8,000 bytes.
  private static let limit = 350

  enum NotificationSQL {
    /// A notification is a commit, which may be lost.
    static let prepare = "SET synchronous_commit = off"
    static let send = "SELECT pg_notify(current_schema()::text, $1)"
  }

  init(_ parameters: PostgresParameters) {
    self.parameters = parameters
    (received, receive) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(100))
  }

  /// Notifies the others of possible changes of browsers.
  func add(_ browsers: [Int64]) {
    guard !browsers.isEmpty else { return }
    state.withLockedValue { $0.changed.formUnion(browsers) }
  }

  /// Starts the thread, and returns when it receives notifications or cannot yet.
  func start() async {
    await withCheckedContinuation { starter in
      state.withLockedValue { ($0.isStarted, $0.starter) = (true, starter) }
      Thread.startWithoutSignals { [self] in serve() }
    }
  }

  /// Sends the remaining notifications, and ends the thread.
  func close() async {
    guard state.withLockedValue({ $0.isStarted }) else { return }
    await withCheckedContinuation { closer in
      state.withLockedValue { ($0.isClosed, $0.closer) = (true, closer) }
    }
  }

  private func serve() {
    let sessions = SessionOwner(parameters)
    weak var listening: PostgresSession?
    while true {
      let (changed, isClosed) = state.withLockedValue { state in
        defer { state.changed = [] }
        return (state.changed, state.isClosed)
      }
      do throws(PostgresError) {
        let session = try sessions.open()
        do throws(PostgresError) {
          if session !== listening { try listen(in: session) }
          listening = session
          try send(changed, in: session)
          if !isClosed { try yield(session.notifications(within: Self.period)) }
        } catch {
          session.rollBack()
          listening = nil
          throw error
        }
      } catch {
        if !isClosed { _ = poll(nil, 0, Self.pause) }
      }
      let starter = state.withLockedValue { state in
        defer { state.starter = nil }
        return state.starter
      }
      starter?.resume()
      if isClosed { break }
    }
    receive.finish()
    state.withLockedValue { $0.closer }?.resume()
  }

  /// The channel has the name of the schema.
  private func listen(in session: PostgresSession) throws(PostgresError) {
    for sql in [NotificationSQL.prepare, "LISTEN \(parameters.schema)"] {
      try session.send(PostgresStatement(sql, isPrepared: false))
    }
    try session.synchronize()
  }

  private func send(_ browsers: Set<Int64>, in session: PostgresSession) throws(PostgresError) {
    var rest = Array(browsers)[...]
    while !rest.isEmpty {
      let list = rest.prefix(Self.limit).map(String.init).joined(separator: ",")
      _ = try session.result(of: PostgresStatement(NotificationSQL.send, [list]))
      rest = rest.dropFirst(Self.limit)
    }
  }

  private func yield(_ texts: [String]) {
    let numbers = texts.flatMap { $0.split(separator: ",").compactMap { Int64($0) } }
    if !numbers.isEmpty { receive.yield(Set(numbers.map { BrowserID($0) })) }
  }
}
