import HTTPTypes
import NIOConcurrencyHelpers

/// Limits the calls that wait for events, and the event streams, so that connections are left for other calls.
final class WaitLimit: Sendable {
  private let most: Int
  private let count = NIOLockedValueBox(0)

  init(_ most: Int) { self.most = most }

  /// Reserves the place of one call.
  ///
  /// - Throws: `Problem` when the maximum number of calls waits.
  func enter() throws -> Reservation {
    let isAdmitted = count.withLockedValue { count in
      guard count < most else { return false }
      count += 1
      return true
    }
    guard isAdmitted else {
      throw Problem.busy(
        "\(most) calls wait for events or read event streams, the maximum; end some of them, or try again later")
    }
    return Reservation { [count] in count.withLockedValue { $0 -= 1 } }
  }

  /// Runs a call that waits.
  func wait<Value>(_ call: () async throws -> Value) async throws -> Value {
    let place = try enter()
    defer { place.release() }
    return try await call()
  }
}
