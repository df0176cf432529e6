import PCMCore
import PCMStore

extension SQLiteBrowser {
  enum RequestSQL {
    private static let columns = "key, digest, received_at, size, status, location, body"
    static let find = "SELECT \(columns) FROM kept_requests WHERE browser = ? AND key = ?"
    static let size = "SELECT size FROM kept_requests WHERE browser = ? AND key = ?"
    /// The first columns are the key of a row with a damaged size, and whether there is one.
    static let total = """
      SELECT max(key) FILTER (WHERE \(RowReader.isDamagedSize)), max(\(RowReader.isDamagedSize)) AS size, count(*),
        sum(size) FILTER (WHERE NOT \(RowReader.isDamagedSize)), min(received_at)
      FROM kept_requests WHERE browser = ?
      """
    static let oldest = """
      SELECT key, size, received_at FROM kept_requests WHERE browser = ? AND key <> ? ORDER BY received_at, key LIMIT 1
      """
    static let save = """
      INSERT INTO kept_requests (browser, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (browser, key) DO UPDATE SET digest = excluded.digest, received_at = excluded.received_at,
        size = excluded.size, status = excluded.status, location = excluded.location,
        body = excluded.body
      """
    static let remove = "DELETE FROM kept_requests WHERE browser = ? AND key = ?"
    static let plain = [find, size, total, oldest, save, remove]
  }

  /// The requests of the service as a whole, which create browsers, are kept under this number. No browser has it.
  static let service: Int64 = 0

  func keptRequest(_ key: String) throws -> KeptRequest? {
    try row(RequestSQL.find, [id, key], of: "kept_requests", Self.decodeRequest)
  }

  func keep(_ request: KeptRequest, within limits: KeptRequestLimits) throws {
    try request.requireStorableTimes()
    var total = try keptTotal()
    if let size = try row(RequestSQL.size, [id, request.key], of: "kept_requests", { try $0.count() }) {
      total.count -= 1
      total.byteCount -= size
    }
    try save(request)
    total.count += 1
    total.byteCount += request.byteCount
    while limits.areExceeded(by: total), let oldest = try oldestRequest(besides: request.key) {
      total.oldest = oldest.receivedAt
      guard limits.areExceeded(by: total) else { break }
      try execute(RequestSQL.remove, [id, oldest.key])
      total.count -= 1
      total.byteCount -= oldest.size
    }
    // The request itself may have arrived before all others.
    total.oldest = min(total.oldest, request.receivedAt)
    cache?.keptRequests = total
  }

  private func keptTotal() throws -> KeptRequestTotal {
    if let known = cache?.keptRequests { return known }
    return try row(RequestSQL.total, [id], of: "kept_requests") { row in
      _ = try row.optionalText()
      try row.noDamage()
      return KeptRequestTotal(
        count: try row.count(), byteCount: try row.optionalCount() ?? 0, oldest: try row.optionalInstant() ?? .latest)
    } ?? KeptRequestTotal()
  }

  private func oldestRequest(besides key: String) throws -> (key: String, size: Int, receivedAt: Instant)? {
    try row(RequestSQL.oldest, [id, key], of: "kept_requests") { (try $0.text(), try $0.count(), try $0.instant()) }
  }

  private func save(_ request: KeptRequest) throws {
    let answer = request.answer
    try execute(
      RequestSQL.save,
      [
        id, request.key, request.digest, request.receivedAt.milliseconds, request.byteCount, answer?.status, answer?.location,
        answer?.body,
      ])
  }

  private static func decodeRequest(_ row: inout RowReader) throws -> KeptRequest {
    let (key, digest, receivedAt, _) = (try row.text(), try row.text(), try row.instant(), try row.count())
    let status = try row.optionalInteger(in: 100...599)
    let location = try row.optionalText()
    guard let status else {
      return KeptRequest(key: key, digest: digest, receivedAt: receivedAt, answer: nil)
    }
    let answer = KeptAnswer(status: Int(status), location: location, body: try row.jsonText())
    return KeptRequest(key: key, digest: digest, receivedAt: receivedAt, answer: answer)
  }
}
