package import PCMCore
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

/// The answer to a POST that took effect.
package struct PostAnswer: Sendable {
  package let json: JSON
  package let status: Int
  /// The path of a created resource.
  package var location: String?

  package init(json: JSON, status: Int = 200, location: String? = nil) {
    (self.json, self.status, self.location) = (json, status, location)
  }

  /// The answer as it is kept: the status, the location, and the bytes of the body on the next line. The events that it is rendered
  /// from may be trimmed before a repetition.
  fileprivate var text: String { "\(status) \(location ?? "")\n\(json.text)" }

  /// - Parameter request: A request with the value of ``text``.
  /// - Throws: `StoreError.unreadable` for another text.
  fileprivate init?(keptFor request: KeptRequest) throws {
    guard let text = request.answer else { return nil }
    let end = text.utf8.firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
    let (head, body) = (text[..<end].split(separator: " ", maxSplits: 1), String(text.utf8[end...].dropFirst()) ?? "")
    guard let status = head.first.flatMap({ Int($0) }), (100...599).contains(status), JSON.isValid(Array(body.utf8)) else {
      throw StoreError.unreadable(UnreadableRow(table: KeptRequest.table.name, row: request.key, column: "answer"))
    }
    self.init(json: .verbatim(body), status: status, location: head.count == 2 ? String(head[1]) : nil)
  }
}

/// A request with an idempotency key that takes effect now. The transaction of its effect keeps its answer.
package struct KeyedRequest<Outcome: Sendable>: Sendable {
  fileprivate let identity: RequestIdentity
  fileprivate let receivedAt: Instant
  fileprivate let answer: @Sendable (Outcome) -> PostAnswer

  /// Records that the request takes effect, in its first transaction of several.
  func begin(in writer: any BrowserWriter) throws {
    try writer.keep(kept(nil), within: .standard(at: receivedAt))
  }

  /// Keeps the answer, in the last transaction.
  func finish(_ outcome: Outcome, in writer: any BrowserWriter) throws {
    try writer.keep(kept(answer(outcome)), within: .standard(at: receivedAt))
  }

  private func kept(_ answer: PostAnswer?) -> KeptRequest {
    KeptRequest(key: identity.key, digest: identity.digest, receivedAt: receivedAt, answer: answer?.text)
  }
}

extension KeyedRequest<Configuration> {
  /// The request with its answer for the transaction that creates or copies a browser.
  func creation(of configuration: Configuration) -> KeptCreation {
    KeptCreation(request: kept(answer(configuration)), limits: .standard(at: receivedAt))
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
  case kept(PostAnswer)
}

/// Keeps the answers to requests with idempotency keys. A key identifies a request within a browser, or, for the creation of
/// browsers, within the service.
package protocol RequestKeeping: Sendable {
  var requestQueue: RequestQueue { get }

  /// Returns the kept request with this key.
  func keptRequest(_ key: String) async throws -> KeptRequest?

  /// Returns the error for the repetition of a request that was interrupted before its answer.
  func interruption(of request: KeptRequest) -> BrowserError
}

/// Serializes the requests with the same key.
package final class RequestQueue: Sendable {
  fileprivate let keys = NamedLocks()
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
  ///   - perform: Performs the request. If it throws without an effect, the next request with the key is performed.
  ///   - answer: Renders an outcome, in the transaction that keeps it.
  /// - Throws: `BrowserError.keyReused` for another request with the same key, `BrowserError.requestInterrupted` when the
  ///   first request took effect without an answer, and `CancellationError` when the task is canceled while it waits for an
  ///   earlier request with the same key.
  package func performUnlessKept<Outcome: Sendable>(
    _ identity: RequestIdentity, perform: (KeyedRequest<Outcome>) async throws -> Outcome,
    answer: @escaping @Sendable (Outcome) -> PostAnswer
  ) async throws -> Repeatable<Outcome> {
    try await requestQueue.keys.withLock(identity.key) {
      let now = requestQueue.wallClock()
      if let kept = try await keptRequest(identity.key), kept.receivedAt > now - KeptRequestLimits.period {
        guard kept.digest == identity.digest else { throw BrowserError.keyReused(key: identity.key) }
        guard let answer = try PostAnswer(keptFor: kept) else { throw interruption(of: kept) }
        return .kept(answer)
      }
      return .performed(try await perform(KeyedRequest(identity: identity, receivedAt: now, answer: answer)))
    }
  }
}

extension Browser: RequestKeeping {
  package func keptRequest(_ key: String) async throws -> KeptRequest? {
    try await store.read(record.id) { try $0.row(KeptRequest.self, key) }
  }

  package func interruption(of request: KeptRequest) -> BrowserError {
    .requestInterrupted(
      key: request.key, since: request.receivedAt, clock: record.clockMode == .manual ? now : nil)
  }
}
