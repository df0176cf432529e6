package import PCMCore

/// A request that its caller may repeat with the same key, kept with its answer so that it takes effect once.
package struct IdempotencyRecord: Hashable, Sendable {
  /// The key of the caller: 1 to 255 ASCII characters.
  package let key: String
  /// The digest of the request, which distinguishes it from another request with the same key.
  package let digest: String
  /// The machine's time at which the request arrived first.
  package let receivedAt: Instant
  /// The answer, which a store does not read; nil while the request is under way, and when it was interrupted after it took effect
  /// in part.
  package let answer: String?

  package init(key: String, digest: String, receivedAt: Instant, answer: String?) {
    (self.key, self.digest, self.receivedAt, self.answer) = (key, digest, receivedAt, answer)
  }
}

extension IdempotencyRecord: StoredRow {
  package static let table = RowTable(
    name: "kept_requests",
    columns: [
      "key TEXT NOT NULL", "digest TEXT NOT NULL", "received_at INTEGER NOT NULL", "size INTEGER NOT NULL", "answer TEXT",
    ], key: ["key"], position: "key", times: ["received_at", "key", "size"], hasTimesOfGroups: true, hasSizes: true)

  package var rowKey: String { key }
  package var time: Instant? { receivedAt }
  package var countedSize: Int { key.utf8.count + digest.utf8.count + (answer?.utf8.count ?? 0) }
  package var columns: [any ColumnValue] { [key, digest, receivedAt, countedSize, answer] }

  package init(columns row: inout RowReader) throws {
    let (key, digest, receivedAt, _) = (try row.text(), try row.text(), try row.instant(), try row.count())
    self.init(key: key, digest: digest, receivedAt: receivedAt, answer: try row.optionalText())
  }

  package static func table(in tables: MemoryTables) -> MemoryTable<IdempotencyRecord> { tables.keptRequests }
}

/// The limits of kept requests. The request that is being saved does not exceed them.
package struct IdempotencyLimits: Hashable, Sendable {
  package let maximumCount: Int
  package let maximumBytes: Int
  /// The latest instant of arrival at which a request is too old.
  package let expiry: Instant

  package init(maximumCount: Int, maximumBytes: Int, expiry: Instant) {
    (self.maximumCount, self.maximumBytes, self.expiry) = (maximumCount, maximumBytes, expiry)
  }
}

/// The request that creates or copies a browser, with its answer. It is kept with the browser, but outlives it.
package struct IdempotentCreation: Hashable, Sendable {
  package let request: IdempotencyRecord
  package let limits: IdempotencyLimits

  package init(request: IdempotencyRecord, limits: IdempotencyLimits) {
    (self.request, self.limits) = (request, limits)
  }
}

extension BrowserReader {
  /// Returns whether a request with the key of a creation is kept, and not too old.
  package func hasKept(_ creation: IdempotentCreation?) throws -> Bool {
    guard let creation, let kept = try row(IdempotencyRecord.self, creation.request.key) else { return false }
    return kept.receivedAt > creation.limits.expiry
  }
}

extension BrowserWriter {
  /// Keeps the request of a creation. Throws `StoreError.keptAlready` when an earlier request with its key took effect.
  package func saveCreationRequest(_ creation: IdempotentCreation) throws {
    guard try !hasKept(creation) else { throw StoreError.keptAlready }
    try saveRequest(creation.request, trimmingTo: creation.limits)
  }

  /// Adds a request, or replaces the request with its key, and then removes the others in the order of their arrival until none
  /// exceeds a limit. The cost depends only on the number of removed requests.
  package func saveRequest(_ request: IdempotencyRecord, trimmingTo limits: IdempotencyLimits) throws {
    try save(request)
    while let oldest = try keysOfOldest(limits).first(where: { $0 != request.key }) {
      try remove(IdempotencyRecord.self, oldest)
    }
  }

  /// Returns the keys of the oldest two requests if they exceed a limit.
  private func keysOfOldest(_ limits: IdempotencyLimits) throws -> [String] {
    let total = try total(of: IdempotencyRecord.self)
    let isFull = total.count > limits.maximumCount || total.byteCount > limits.maximumBytes
    return try keysOfKeptRequests(until: isFull ? nil : limits.expiry, limit: 2)
  }
}
