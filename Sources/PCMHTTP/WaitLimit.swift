import HTTPTypes
import NIOConcurrencyHelpers

/// Limits the calls that wait for events, and the event streams, so that connections are left for other calls.
final class WaitLimit: Sendable {
  private let most: Int
  private let count = NIOLockedValueBox(0)

  init(_ most: Int) { self.most = most }

  /// The place of one call, which is free again when the call leaves it, or when the last reference to the object is gone.
  final class Place: Sendable {
    private let limit: NIOLockedValueBox<WaitLimit?>

    fileprivate init(_ limit: WaitLimit) { self.limit = NIOLockedValueBox(limit) }

    deinit { leave() }

    func leave() {
      let left = limit.withLockedValue { limit in
        defer { limit = nil }
        return limit
      }
      left?.count.withLockedValue { $0 -= 1 }
    }
  }

  /// - Throws: `Problem` when the maximum number of calls waits.
  func enter() throws -> Place {
    let isAdmitted = count.withLockedValue { count in
      guard count < most else { return false }
      count += 1
      return true
    }
    guard isAdmitted else {
      throw Problem(
        code: "busy", title: "Busy", status: .serviceUnavailable,
        detail: "\(most) calls wait for events or read event streams, the maximum; end some of them, or try again later",
        headers: [.retryAfter: "1"])
    }
    return Place(self)
  }

  /// Runs a call that waits.
  func wait<Value>(_ call: () async throws -> Value) async throws -> Value {
    let place = try enter()
    defer { withExtendedLifetime(place) {} }
    return try await call()
  }
}
