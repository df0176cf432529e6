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

/// The idempotency key of a request.
package struct RequestKey: Sendable {
  fileprivate let text: String
  fileprivate let digest: String
  fileprivate let receivedAt: Instant

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
  private let key: RequestKey
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

  /// Returns the answer, which is usually rendered already.
  package func answer(to outcome: Outcome) -> PostAnswer { rendered.withLockedValue { $0 } ?? answer(outcome) }

  /// Records that the request takes effect, in its first transaction of several.
  func begin(in writer: any BrowserWriter) throws {
    try writer.keep(kept(nil), within: limits)
  }

  /// Keeps the answer, in the last transaction.
  func finish(_ outcome: Outcome, in writer: any BrowserWriter) throws {
    try writer.keep(kept(outcome), within: limits)
  }

  fileprivate var limits: KeptRequestLimits { .standard(at: key.receivedAt) }

  fileprivate func kept(_ outcome: Outcome?) -> KeptRequest {
    let answer = outcome.map { self.answer($0).rendered }
    // A transaction may run again, with another outcome.
    rendered.withLockedValue { $0 = answer }
    return KeptRequest(key: key.text, digest: key.digest, receivedAt: key.receivedAt, answer: answer?.text)
  }
}

extension KeyedRequest<Configuration> {
  /// The request with its answer for the transaction that creates or copies a browser.
  func creation(of configuration: Configuration) -> KeptCreation {
    KeptCreation(request: kept(configuration), limits: limits)
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

/// Keeps the answers to requests with idempotency keys. A key identifies a request within a browser, or, for the creation of
/// browsers, within the service.
package protocol RequestKeeping: Sendable {
  var world: World { get }
  /// Serializes the requests with the same key.
  var keyLocks: NamedLocks { get }

  /// Returns the kept request with this key.
  func keptRequest(_ key: String) async throws -> KeptRequest?

  /// Returns the error for the repetition of a request that was interrupted before its answer.
  func interruption(of request: KeptRequest) async throws -> BrowserError
}

extension RequestKeeping {
  /// Returns the kept answer to a request, or nil when it is no repetition. The caller has locked the key.
  ///
  /// The kept request is read before the decision, because a repetition draws no random numbers and does not read the clock.
  /// No other request with the key comes in between: they wait, and one process owns a store.
  ///
  /// - Throws: `BrowserError.keyReused` for another request with the same key, and `BrowserError.requestInterrupted` when the
  ///   first request took effect without an answer.
  package func keptAnswer(to key: RequestKey) async throws -> PostAnswer? {
    guard let kept = try await keptRequest(key.text), kept.receivedAt > key.receivedAt - KeptRequestLimits.period else {
      return nil
    }
    guard kept.digest == key.digest else { throw BrowserError.keyReused(key: key.text) }
    guard let answer = try PostAnswer(keptFor: kept) else { throw try await interruption(of: kept) }
    return answer
  }
}

extension Browser: RequestKeeping {
  package func keptRequest(_ key: String) async throws -> KeptRequest? {
    try await store.read(record.id) { try $0.row(KeptRequest.self, key) }
  }

  package func interruption(of request: KeptRequest) async throws -> BrowserError {
    let now = try await now()
    return .requestInterrupted(
      key: request.key, since: request.receivedAt, clock: record.clockMode == .manual ? now : nil)
  }
}
