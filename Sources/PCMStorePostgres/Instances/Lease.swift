import Foundation
import NIOConcurrencyHelpers
import PCMCore
import PCMStore

/// The row of this instance in the table `instances`. Others delete it, and take over the instance's claims, unless it is renewed in
/// time.
///
/// A separate thread renews the lease with a separate connection, so that other work does not delay a renewal.
final class Lease: Sendable {
  private let parameters: PostgresParameters
  private let uptime: @Sendable () -> Duration
  private let wallClock: (@Sendable () -> Instant)?
  private let state = NIOLockedValueBox(State())
  /// Wakes the thread before the next renewal.
  private let wakeUp: WakeUp

  private struct State {
    /// The last number of the instance.
    var number: Int64 = 0
    /// Whether the instance has no row, or needs a new row.
    var needsNumber = true
    /// When the instance stops acting.
    var end = Duration.zero
    var skew = Interval.seconds(0)
    var callers: [CheckedContinuation<Void, any Error>] = []
    var isStarted = false
    var isClosed = false
    var closer: CheckedContinuation<Void, Never>?
  }

  /// The milliseconds between two renewals.
  private static let period: Int32 = 2_000
  /// How long the instance acts after it sent a renewal: two seconds less than the lease, which the server counts from the arrival.
  private static let term = Duration.seconds(8)
  /// The greatest skew with which the instance is ready.
  private static let skewLimit = Interval.seconds(30)

  enum LeaseSQL {
    private static let end = "clock_timestamp() + interval '10 s'"
    private static let time = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    static let register = "INSERT INTO instances (lease_until) VALUES (\(end)) RETURNING id, \(time)"
    static let renew = "UPDATE instances SET lease_until = \(end) WHERE id = $1 RETURNING id, \(time)"
    static let remove = "DELETE FROM instances WHERE id = $1"
    /// Instances that renew a lease at this moment are not waited for.
    static let removeEnded = """
      DELETE FROM instances WHERE id IN (
        SELECT id FROM instances WHERE lease_until < clock_timestamp() FOR UPDATE SKIP LOCKED)
      """
  }

  /// - Parameters:
  ///   - uptime: A monotonic clock that goes on while the process or the machine is paused.
  ///   - wallClock: The machine's clock, which is compared with the server's; nil for no comparison.
  init(
    _ parameters: PostgresParameters, uptime: @escaping @Sendable () -> Duration, wallClock: (@Sendable () -> Instant)?
  ) throws {
    wakeUp = try WakeUp()
    self.parameters = parameters
    self.uptime = uptime
    self.wallClock = wallClock
  }

  /// The number of the instance. It changes when others have deleted its row.
  var number: Int64 { state.withLockedValue { $0.number } }

  /// Whether others do not take over the claims of the instance yet.
  var mayAct: Bool { state.withLockedValue { !$0.needsNumber && uptime() < $0.end } }

  /// The difference between the clocks of the machine and the server at the last renewal, which its duration does not explain.
  var skew: Interval { state.withLockedValue { $0.skew } }

  /// Renews the lease. Throws `StoreError.notReady` when others take over the claims of the instance, or when its clock differs from the
  /// server's.
  func requireReady() async throws {
    do { try await renew() } catch {
      guard mayAct || error as? StoreError == .closed else {
        throw StoreError.notReady("the lease of this instance ended; it sends nothing until the store responds")
      }
      throw error
    }
    guard skew <= Self.skewLimit else {
      let seconds = skew.milliseconds / 1_000
      throw StoreError.notReady("the clock of this machine differs by \(seconds) s from that of PostgreSQL; synchronize it")
    }
  }

  /// Starts the thread, and returns when the instance is registered.
  func start() async throws {
    state.withLockedValue { $0.isStarted = true }
    Thread.startWithoutSignals { [self] in serve() }
    try await renew()
  }

  /// Renews the lease now.
  func renew() async throws {
    try await withCheckedThrowingContinuation { caller in
      let isClosed = state.withLockedValue { state in
        if !state.isClosed { state.callers.append(caller) }
        return state.isClosed
      }
      if isClosed { caller.resume(throwing: StoreError.closed) } else { wakeUp.signal() }
    }
  }

  /// Registers the instance under another number, so that its claims are recovered: the outcome of a commit is not known.
  func abandonClaims() {
    state.withLockedValue { $0.needsNumber = true }
    wakeUp.signal()
  }

  /// Lets others take over at once, and ends the thread.
  func close() async {
    guard state.withLockedValue({ $0.isStarted }) else { return }
    await withCheckedContinuation { closer in
      state.withLockedValue { ($0.isClosed, $0.closer) = (true, closer) }
      wakeUp.signal()
    }
  }

  private func serve() {
    let sessions = SessionOwner(parameters)
    while true {
      let (isClosed, callers) = state.withLockedValue { state in
        defer { state.callers = [] }
        return (state.isClosed, state.callers)
      }
      let result = Result { () throws(PostgresError) in
        let session = try sessions.open()
        do throws(PostgresError) {
          if isClosed { try remove(number, in: session) } else { try renew(in: session) }
        } catch {
          session.rollBack()
          throw error
        }
      }
      for caller in callers { caller.resume(with: result.mapError { StoreError.leaving($0) }) }
      if isClosed { break }
      wakeUp.wait(milliseconds: Self.period)
    }
    state.withLockedValue { $0.closer }?.resume()
  }

  private func renew(in session: PostgresSession) throws(PostgresError) {
    // The lease ends early, whenever the renewal arrives.
    let (end, start) = (uptime() + Self.term, wallClock?())
    let (known, isRegistered) = state.withLockedValue { ($0.number, !$0.needsNumber) }
    var row = isRegistered ? Self.row(try session.result(of: PostgresStatement(LeaseSQL.renew, [known]))) : nil
    let isNew = row == nil
    if isNew {
      state.withLockedValue { $0.needsNumber = true }
      try remove(known, in: session)
      row = Self.row(try session.result(of: PostgresStatement(LeaseSQL.register)))
    }
    guard let (number, time) = row else { throw PostgresError(.rejected, "the server made no number") }
    let skew = if let wallClock, let start { Self.skew(of: time, from: start, to: wallClock()) } else { Interval.seconds(0) }
    state.withLockedValue { state in
      (state.number, state.end, state.skew) = (number, end, skew)
      if isNew { state.needsNumber = false }
    }
    _ = try session.result(of: PostgresStatement(LeaseSQL.removeEnded))
  }

  private static func row(_ rows: PostgresRows) -> (number: Int64, time: Instant)? {
    try? rows.map(of: "instances") { (try $0.integer(), Instant(milliseconds: try $0.integer())) }.first
  }

  /// Returns the difference between a time of the server and the interval of the machine's clock in which it was read.
  static func skew(of time: Instant, from start: Instant, to end: Instant) -> Interval {
    max(start - time, time - end, .seconds(0))
  }

  private func remove(_ number: Int64, in session: PostgresSession) throws(PostgresError) {
    _ = try session.result(of: PostgresStatement(LeaseSQL.remove, [number]))
  }
}
