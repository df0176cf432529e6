import NIOConcurrencyHelpers
package import PCMCore
package import PCMStore

/// The answer to a POST that took effect.
package struct PostAnswer: Sendable {
  package let json: JSON
  package let status: Int
  /// The path of a created resource.
  package let location: String?

  package init(json: JSON, status: Int = 200, location: String? = nil) {
    (self.json, self.status, self.location) = (json, status, location)
  }

  /// The answer with its JSON as text.
  fileprivate var rendered: PostAnswer { PostAnswer(json: .verbatim(json.text), status: status, location: location) }

  /// The answer as it is kept: the status, the location, and the bytes of the body on the next line. The events that it is rendered
  /// from may be trimmed before a repetition.
  fileprivate var text: String { "\(status) \(location ?? "")\n\(json.text)" }

  /// - Parameter request: A request with the value of ``text``.
  /// - Throws: `StoreError.unreadable` for another text.
  fileprivate init?(keptFor request: IdempotencyRecord) throws {
    guard let text = request.answer else { return nil }
    let end = text.utf8.firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
    let (head, body) = (text[..<end].split(separator: " ", maxSplits: 1), String(text.utf8[end...].dropFirst()) ?? "")
    guard let status = head.first.flatMap({ Int($0) }), (100...599).contains(status), JSON.isValid(Array(body.utf8)) else {
      throw StoreError.unreadable(table: IdempotencyRecord.table.name, row: request.key, column: "answer")
    }
    self.init(json: .verbatim(body), status: status, location: head.count == 2 ? String(head[1]) : nil)
  }
}

/// The idempotency key of a request.
package struct RequestKey: Sendable {
  let text: String
  fileprivate let digest: String
  let receivedAt: Instant

  /// - Parameters:
  ///   - text: 1 to 255 ASCII characters.
  ///   - digest: A digest of the whole request.
  ///   - receivedAt: The machine's time.
  package init(_ text: String, digest: String, at receivedAt: Instant) {
    (self.text, self.digest, self.receivedAt) = (text, digest, receivedAt)
  }
}

/// A request with an idempotency key. The transaction of its effect keeps its answer.
package struct KeyedRequest<Outcome: Sendable>: Sendable {
  let key: RequestKey
  private let answer: @Sendable (Outcome) -> PostAnswer
  /// The kept answer, once it is rendered.
  private let rendered = NIOLockedValueBox<PostAnswer?>(nil)

  /// Creates the request; nil without a key.
  ///
  /// - Parameter answer: Returns the answer with an outcome.
  package init?(_ key: RequestKey?, answer: @escaping @Sendable (Outcome) -> PostAnswer) {
    guard let key else { return nil }
    (self.key, self.answer) = (key, answer)
  }

  var keyText: String { key.text }

  /// Returns the answer, which is usually rendered already.
  package func answer(to outcome: Outcome) -> PostAnswer { rendered.withLockedValue { $0 } ?? answer(outcome) }

  /// Records that the request takes effect, in its first transaction of several.
  func begin(in writer: any BrowserWriter) throws {
    try writer.saveRequest(keptRequest(with: nil), trimmingTo: limits)
  }

  /// Keeps the answer, in the last transaction.
  func finish(_ outcome: Outcome, in writer: any BrowserWriter) throws {
    try writer.saveRequest(keptRequest(with: outcome), trimmingTo: limits)
  }

  var limits: IdempotencyLimits { .standard(at: key.receivedAt) }

  fileprivate func keptRequest(with outcome: Outcome?) -> IdempotencyRecord {
    let answer = outcome.map { self.answer($0).rendered }
    // A transaction may run again, with another outcome.
    rendered.withLockedValue { $0 = answer }
    return IdempotencyRecord(key: key.text, digest: key.digest, receivedAt: key.receivedAt, answer: answer?.text)
  }
}

extension KeyedRequest<BrowserSnapshot> {
  /// The request with its answer for the transaction that creates or copies a browser.
  func creation(of configuration: BrowserSnapshot) -> IdempotentCreation {
    IdempotentCreation(request: keptRequest(with: configuration), limits: limits)
  }
}

extension IdempotencyLimits {
  /// Returns the defaults: 24 hours, 10,000 keys, and 16 MiB.
  static func standard(at now: Instant) -> IdempotencyLimits {
    IdempotencyLimits(maximumCount: 10_000, maximumBytes: 16 << 20, expiry: now - period)
  }

  fileprivate static let period = Interval.hours(24)
}

/// Keeps the answers to requests with idempotency keys. A key identifies a request within a browser, or, for the creation of
/// browsers, within the service.
package protocol IdempotencyStore: Sendable {
  var environment: BrowserEnvironment { get }
  /// Whether other instances also perform requests.
  var isShared: Bool { get }
  /// Serializes the requests of this instance with the same key.
  var keyLocks: NamedLocks { get }
  var failedRequests: FailedRequests { get }

  /// Returns the kept request with this key.
  func keptRequest(_ key: String) async throws -> IdempotencyRecord?

  /// Returns the error for the repetition of a request that has no answer: it was interrupted, or takes too long.
  func interruption(of request: IdempotencyRecord) async throws -> BrowserError
}

extension IdempotencyStore {
  /// Performs a request, unless it took effect before. Waits for an earlier request with the same key that is under way, also at
  /// another instance.
  ///
  /// The kept request is read before the decision, because a repetition draws no random numbers and does not read the clock, and
  /// again in the transaction of the decision, because other instances do not wait.
  ///
  /// - Parameter perform: Performs the request with its key. Throws `StoreError.keptAlready` when another instance did.
  /// - Returns: The answer, and whether it is the kept one.
  /// - Throws: `BrowserError.keyReused` for another request with the same key, and `BrowserError.requestInterrupted` when the
  ///   first request took effect without an answer.
  package func answerOnce(
    _ key: RequestKey, perform: () async throws -> PostAnswer
  ) async throws -> (answer: PostAnswer, isRepetition: Bool) {
    try await keyLocks.withLock(key.text) {
      while true {
        if let kept = try await keptAnswer(to: key) { return (kept, true) }
        do { return (try await perform(), false) } catch StoreError.keptAlready {
          continue
        } catch StoreError.browserExists(let name) {
          // Another instance may have created the browser with the request.
          guard let kept = try await keptAnswer(to: key) else { throw StoreError.browserExists(name: name) }
          return (kept, true)
        } catch {
          failedRequests.note(key)
          throw error
        }
      }
    }
  }

  /// Returns the kept answer to a request, or nil when it is no repetition.
  private func keptAnswer(to key: RequestKey) async throws -> PostAnswer? {
    while let kept = try await keptRequest(key.text), kept.receivedAt > key.receivedAt - IdempotencyLimits.period {
      guard kept.digest == key.digest else { throw BrowserError.keyReused(key: key.text) }
      if let answer = try PostAnswer(keptFor: kept) { return answer }
      guard isUnderWayElsewhere(kept) else { throw try await interruption(of: kept) }
      try await environment.pauseForOthers()
    }
    return nil
  }
}

extension Browser: IdempotencyStore {
  package var isShared: Bool { store.isShared }

  package func keptRequest(_ key: String) async throws -> IdempotencyRecord? {
    try await store.read(record.id) { try $0.row(IdempotencyRecord.self, key) }
  }

  package func interruption(of request: IdempotencyRecord) async throws -> BrowserError {
    let instance = store.instance
    let (now, owner) = try await read { [self] in (try self.currentTime(in: $0), try $0.state().claim.instance) }
    // Another instance still moves the clock.
    if record.clockMode == .manual, store.isShared, owner ?? instance != instance { return .busy }
    return .requestInterrupted(
      key: request.key, since: request.receivedAt, clock: record.clockMode == .manual ? now : nil)
  }
}
