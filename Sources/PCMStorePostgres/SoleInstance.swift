import Foundation

/// Prevents a second instance of the service from using the tables: without claims on due reports, two would send each twice.
///
/// Each session shares a lock of its instance's number before it looks for other numbers. Of two instances that start at the same
/// time, at least one finds the other; and a session that replaces a lost one fails when another instance has started in between.
enum SoleInstance {
  /// Takes the instance's lock until the end of the session. Throws when another instance has one.
  ///
  /// - Parameter instance: A random number of 32 bits.
  static func require(_ instance: Int32, in session: PostgresSession, of parameters: PostgresParameters) throws(PostgresError) {
    let group = "hashtext('pcm-browser \(parameters.schema)')"
    try session.send(PostgresStatement("SELECT pg_advisory_lock_shared(\(group), '\(instance)'::integer)", isPrepared: false))
    let others = PostgresStatement(
      """
      SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND classid = \(group)::oid
        AND objid <> '\(instance)'::integer::oid
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """, isPrepared: false)
    // The server notices the end of an instance soon after it.
    for pause: Int32 in [0, 50, 100, 200, 400] {
      _ = poll(nil, 0, pause)
      if try session.result(of: others).affectedCount == 0 { return }
    }
    throw PostgresError(
      .unreachable, "another instance of pcm-browser uses \(parameters.address); stop it, or use another database")
  }
}
