import PCMCore
package import PCMStore

/// The identity of a request with an idempotency key.
package struct RequestIdentity: Hashable, Sendable {
  /// 1 to 255 ASCII characters.
  package let key: String
  /// A digest of the whole request.
  package let digest: String

  package init(key: String, digest: String) {
    self.key = key
    self.digest = digest
  }
}

/// A request with an idempotency key that takes effect now. The transaction of its effect keeps its answer.
package struct KeyedRequest<Outcome: Sendable>: Sendable {
  fileprivate let identity: RequestIdentity
  fileprivate let receivedAt: Instant
  /// What an interrupted request noted for its continuation; nil for the first request.
  let continuation: String?
  fileprivate let answer: @Sendable (Outcome) -> KeptAnswer

  /// Records that the request takes effect, in its first transaction of several.
  ///
  /// - Parameter note: What the request needs to be continued after an interruption; nil when it cannot be continued.
  func begin(_ note: String? = nil, in writer: any BrowserWriter) throws {
    try writer.keep(kept(.begun(note)), within: .standard(at: receivedAt))
  }

  /// Keeps the answer, in the last transaction.
  func finish(_ outcome: Outcome, in writer: any BrowserWriter) throws {
    try writer.keep(kept(.answered(answer(outcome))), within: .standard(at: receivedAt))
  }

  private func kept(_ progress: KeptRequest.Progress) -> KeptRequest {
    KeptRequest(key: identity.key, digest: identity.digest, receivedAt: receivedAt, progress: progress)
  }
}

extension KeyedRequest<Configuration> {
  /// The request and its answer for the transaction that creates a browser.
  func creation(storage: StorageKind) -> KeptCreation {
    KeptCreation(limits: .standard(at: receivedAt)) { record in
      kept(.answered(answer(Configuration(new: record, storage: storage))))
    }
  }

  /// The request and its answer for the transaction that copies a browser.
  func copy(of original: Configuration) -> KeptCreation {
    KeptCreation(limits: .standard(at: receivedAt)) { record in
      kept(.answered(answer(Configuration(copy: record, of: original))))
    }
  }
}

extension KeptRequestLimits {
  /// A repetition follows within minutes. A busy browser answers 10,000 requests in some seconds, and an answer of the usual
  /// size takes one KiB.
  static func standard(at now: Instant) -> KeptRequestLimits {
    KeptRequestLimits(maximumCount: 10_000, maximumBytes: 16 << 20, expiry: now - period)
  }

  fileprivate static let period = Interval.hours(24)
}

/// The result of a request that may be a repetition.
package enum Repeatable<Outcome: Sendable>: Sendable {
  case performed(Outcome)
  /// The answer to the first request with the key.
  case kept(KeptAnswer)
}

/// Keeps the answers to requests with idempotency keys. A key identifies a request within a browser, or, for the creation of
/// browsers, within the service.
package protocol RequestKeeping: Sendable {
  var requestQueue: RequestQueue { get }

  /// Returns the kept request with this key.
  func keptRequest(_ key: String) async throws -> KeptRequest?
}

/// Serializes the requests with the same key.
package final class RequestQueue: Sendable {
  fileprivate let mutexes = NamedMutexes()
  fileprivate let wallClock: @Sendable () -> Instant

  init(wallClock: @escaping @Sendable () -> Instant) {
    self.wallClock = wallClock
  }
}

extension RequestKeeping {
  /// Performs a request unless its answer is kept, because it is a repetition. A repetition waits for the first request.
  ///
  /// The kept request is read before the decision, because a repetition draws no random numbers and does not read the clock.
  /// No other request with the key comes in between: they wait, and one process owns a store.
  ///
  /// - Parameters:
  ///   - waiting: Runs the wait for an earlier request with the same key.
  ///   - perform: Performs the request, or continues it after an interruption. If it throws without an effect, the next
  ///     request with the key is performed.
  ///   - answer: Renders an outcome, in the transaction that keeps it.
  /// - Throws: `BrowserError.keyReused` for another request with the same key, and `BrowserError.requestInterrupted` when the
  ///   first request took effect without an answer.
  package func performUnlessKept<Outcome: Sendable>(
    _ identity: RequestIdentity, waiting: CallWait,
    perform: (KeyedRequest<Outcome>) async throws -> Outcome, answer: @escaping @Sendable (Outcome) -> KeptAnswer
  ) async throws -> Repeatable<Outcome> {
    try await requestQueue.mutexes.withLock(identity.key, waiting: waiting) {
      let now = requestQueue.wallClock()
      var (receivedAt, continuation): (Instant, String?) = (now, nil)
      if let kept = try await keptRequest(identity.key), kept.receivedAt > now - KeptRequestLimits.period {
        guard kept.digest == identity.digest else { throw BrowserError.keyReused(key: identity.key) }
        switch kept.progress {
        case .answered(let answer): return .kept(answer)
        case .begun(nil): throw BrowserError.requestInterrupted(key: identity.key, since: kept.receivedAt)
        case .begun(let note?): (receivedAt, continuation) = (kept.receivedAt, note)
        }
      }
      return .performed(
        try await perform(
          KeyedRequest(identity: identity, receivedAt: receivedAt, continuation: continuation, answer: answer)))
    }
  }
}

extension Browser: RequestKeeping {
  package func keptRequest(_ key: String) async throws -> KeptRequest? {
    try await store.read(record.id) { try $0.keptRequest(key) }
  }
}
