import Dispatch
import Foundation
import NIOConcurrencyHelpers
import PCMStore

/// The row of this instance in the table `instances`. Others delete it, and take over the instance's claims, unless it is renewed in
/// time.
///
/// A separate thread renews the lease with a separate connection, so that other work does not delay a renewal.
final class Lease: Sendable {
  private let parameters: PostgresParameters
  private let uptime: @Sendable () -> Duration
  private let state = NIOLockedValueBox(State())
  /// Wakes the thread before the next renewal.
  private let wakeUp = DispatchSemaphore(value: 0)

  private struct State {
    /// The last number of the instance.
    var number: Int64 = 0
    /// Whether the instance has no row, or is to have another one.
    var needsNumber = true
    /// When the instance stops acting.
    var end = Duration.zero
    var callers: [CheckedContinuation<Void, any Error>] = []
    var isStarted = false
    var isClosed = false
    var closer: CheckedContinuation<Void, Never>?
  }

  /// The seconds between two renewals.
  private static let period = 2.0
  /// How long the instance acts after it sent a renewal: two seconds less than the lease, which the server counts from the arrival.
  private static let term = Duration.seconds(8)

  enum LeaseSQL {
    private static let end = "clock_timestamp() + interval '10 s'"
    static let register = "INSERT INTO instances (lease_until) VALUES (\(end)) RETURNING id"
    static let renew = "UPDATE instances SET lease_until = \(end) WHERE id = $1"
    static let remove = "DELETE FROM instances WHERE id = $1"
    /// Instances that renew a lease at this moment are not waited for.
    static let removeEnded = """
      DELETE FROM instances WHERE id IN (
        SELECT id FROM instances WHERE lease_until < clock_timestamp() FOR UPDATE SKIP LOCKED)
      """
  }

  /// - Parameter uptime: A monotonic clock that goes on while the process or the machine is paused.
  init(_ parameters: PostgresParameters, uptime: @escaping @Sendable () -> Duration) {
    self.parameters = parameters
    self.uptime = uptime
  }

  /// The number of the instance. It changes when others have deleted its row.
  var number: Int64 { state.withLockedValue { $0.number } }

  /// Whether others do not take over the claims of the instance yet.
  var mayAct: Bool { state.withLockedValue { !$0.needsNumber && uptime() < $0.end } }

  /// Starts the thread, and returns when the instance is registered.
  func start() async throws {
    state.withLockedValue { $0.isStarted = true }
    Thread.startWithoutSignals { [self] in serve() }
    try await renew()
  }

  /// Renews the lease now.
  func renew() async throws {
    try await withCheckedThrowingContinuation { caller in
      state.withLockedValue { $0.callers.append(caller) }
      wakeUp.signal()
    }
  }

  /// Registers the instance under another number, so that what it has claimed is recovered: the outcome of a commit is not known.
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
      _ = wakeUp.wait(timeout: .now() + Self.period)
    }
    state.withLockedValue { $0.closer }?.resume()
  }

  private func renew(in session: PostgresSession) throws(PostgresError) {
    // The lease ends early, whenever the renewal arrives.
    let end = uptime() + Self.term
    let (known, isRegistered) = state.withLockedValue { ($0.number, !$0.needsNumber) }
    let isRenewed = isRegistered ? try session.result(of: PostgresStatement(LeaseSQL.renew, [known])).affectedCount == 1 : false
    if !isRenewed {
      state.withLockedValue { $0.needsNumber = true }
      try remove(known, in: session)
      let rows = try session.result(of: PostgresStatement(LeaseSQL.register))
      guard let number = try? rows.map(of: "instances", { try $0.integer() }).first else {
        throw PostgresError(.rejected, "the server made no number")
      }
      state.withLockedValue { ($0.number, $0.needsNumber) = (number, false) }
    }
    state.withLockedValue { $0.end = end }
    _ = try session.result(of: PostgresStatement(LeaseSQL.removeEnded))
  }

  private func remove(_ number: Int64, in session: PostgresSession) throws(PostgresError) {
    _ = try session.result(of: PostgresStatement(LeaseSQL.remove, [number]))
  }
}
