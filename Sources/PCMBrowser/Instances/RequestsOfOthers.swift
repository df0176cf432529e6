import NIOConcurrencyHelpers
import PCMCore
import PCMStore

/// The latest requests of this instance that ended with an error. No instance performs them, even if they began.
package final class FailedRequests: Sendable {
  private static let maximumCount = 100
  private let keys = NIOLockedValueBox<[RequestKey]>([])

  func note(_ key: RequestKey) { keys.withLockedValue { $0 = $0.suffix(Self.maximumCount - 1) + [key] } }

  func contains(_ kept: IdempotencyRecord) -> Bool {
    keys.withLockedValue { $0.contains { $0.text == kept.key && $0.receivedAt == kept.receivedAt } }
  }
}

extension IdempotencyStore {
  /// Whether another instance may still perform a kept request without an answer.
  func isUnderWayElsewhere(_ kept: IdempotencyRecord) -> Bool {
    isShared && !failedRequests.contains(kept) && environment.wallClock() < kept.receivedAt + BrowserEnvironment.patience
  }
}

extension KeyedRequest {
  /// Throws `StoreError.keptAlready` when another instance has performed a request with the key after the look of `answerOnce`, at the
  /// start of the first transaction.
  func requireNew(in reader: any BrowserReader) throws {
    guard let kept = try reader.row(IdempotencyRecord.self, key.text), kept.receivedAt > limits.expiry else { return }
    throw StoreError.keptAlready
  }
}
