/// The parameters of a session.
struct PostgresParameters: Sendable {
  let address: PostgresAddress
  /// The schema of the tables.
  let schema: String
  /// Whether statements may take long.
  var isUnlimited = false

  /// The time in milliseconds after which a server that sends nothing counts as lost; negative for no limit. The server ends
  /// statements before.
  var silence: Int32 { isUnlimited ? -1 : 15_000 }

  /// The settings of the session, which the server's configuration does not change.
  private var settings: [String] {
    [
      "search_path=\(schema)", "synchronous_commit=on", "default_transaction_isolation=read\\ committed",
      "statement_timeout=\(isUnlimited ? 0 : 10_000)", "lock_timeout=\(isUnlimited ? 0 : 5_000)",
      // A lost machine does not hold its locks for hours.
      "tcp_keepalives_idle=10", "tcp_keepalives_interval=5", "tcp_keepalives_count=3",
      // A stopped instance holds its locks for this long.
      "idle_in_transaction_session_timeout=5000",
      // Each statement uses its index, even while the statistics are older than a burst of writes.
      "plan_cache_mode=force_generic_plan", "enable_seqscan=off", "enable_bitmapscan=off", "jit=off",
    ]
  }

  /// Calls `body` with the names and the values for libpq. Parameters before `dbname` are defaults, which the address replaces;
  /// parameters after it replace values of the address.
  func withStrings<Answer>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Answer
  ) -> Answer {
    let all = [
      ("application_name", "pcm-browser"), ("target_session_attrs", "read-write"), ("connect_timeout", "10"),
      ("keepalives_idle", "10"), ("tcp_user_timeout", "15000"), ("dbname", address.uri), ("client_encoding", "UTF8"),
      ("options", settings.map { "-c \($0)" }.joined(separator: " ")),
    ]
    let texts = (all.map(\.0) + all.map(\.1)).map { Array($0.utf8CString) }
    let starts = texts.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
    return texts.flatMap(\.self).withUnsafeBufferPointer { bytes in
      let addresses = starts.dropLast().map { start in bytes.baseAddress.map { $0 + start } }
      return body(Array(addresses[..<all.count]) + [nil], Array(addresses[all.count...]) + [nil])
    }
  }
}
