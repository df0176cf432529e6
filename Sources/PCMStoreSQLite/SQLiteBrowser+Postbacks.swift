import PCMCore
import PCMStore

extension SQLiteBrowser {
  enum PostbackSQL {
    private static let columns = """
      id, conversion, impression, framework, sequence_index, did_win, recipient, ad_network, bundle, url, body, due_at,
      state, retry_at, attempts, attempt_count
      """
    private static let select = "SELECT \(columns), next_at FROM postbacks WHERE browser = ?"
    static let find = "\(select) AND id = ?"
    static let after = "\(select) AND id > ? ORDER BY id LIMIT ?"
    static let inState = "\(select) AND state = ? AND id > ? ORDER BY id LIMIT ?"
    static let earliest = "\(select) AND next_at IS NOT NULL ORDER BY next_at, id LIMIT ?"
    static let save = """
      INSERT INTO postbacks (browser, \(columns), next_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (browser, id) DO UPDATE SET conversion = excluded.conversion, impression = excluded.impression,
        framework = excluded.framework, sequence_index = excluded.sequence_index, did_win = excluded.did_win,
        recipient = excluded.recipient, ad_network = excluded.ad_network, bundle = excluded.bundle, url = excluded.url,
        body = excluded.body, due_at = excluded.due_at, state = excluded.state, retry_at = excluded.retry_at,
        attempts = excluded.attempts, attempt_count = excluded.attempt_count, next_at = excluded.next_at
      """
    static let remove = "DELETE FROM postbacks WHERE browser = ? AND id = ?"
    static let plain = [find, after, inState, earliest, save, remove]
  }

  func postback(_ number: Int64) throws -> Postback? {
    try row(PostbackSQL.find, [id, number], of: "postbacks", Self.decodePostback)
  }

  func postbacks(in state: Postback.State?, after number: Int64, limit: Int) throws -> [Postback] {
    guard let state else {
      return try rows(PostbackSQL.after, [id, number, bounded(limit)], of: "postbacks", Self.decodePostback)
    }
    return try rows(
      PostbackSQL.inState, [id, state.rawValue, number, bounded(limit)], of: "postbacks", Self.decodePostback)
  }

  func earliestPostbacks(limit: Int) throws -> [Postback] {
    try rows(PostbackSQL.earliest, [id, bounded(limit)], of: "postbacks", Self.decodePostback)
  }

  func save(_ postback: Postback) throws {
    try postback.requireStorableTimes()
    try execute(
      PostbackSQL.save,
      [
        id, postback.id, postback.conversion, postback.impression, postback.framework.rawValue, postback.sequenceIndex,
        postback.didWin, postback.recipient.rawValue, postback.adNetworkIdentifier, postback.bundleIdentifier, postback.url,
        postback.body, postback.dueAt.milliseconds, postback.state.rawValue, postback.retryAt?.milliseconds,
        AttemptText.joined(postback.attempts), postback.attemptCount, postback.message.nextAttemptAt?.milliseconds,
      ])
  }

  func removePostback(_ number: Int64) throws {
    try execute(PostbackSQL.remove, [id, number])
  }

  private static func decodePostback(_ row: inout RowReader) throws -> Postback {
    let id = try row.number()
    let (conversion, impression) = (try row.number(), try row.number())
    let framework: AdFramework = try row.named()
    let (sequenceIndex, didWin) = (Int(try row.integer(in: 0...2)), try row.flag())
    let recipient: Postback.Recipient = try row.named()
    let (adNetwork, bundle, url, body) = (try row.text(), try row.text(), try row.text(), try row.jsonText())
    let (dueAt, progress, attempts) = (try row.instant(), try row.progress(), try row.attempts())
    let message = OutgoingMessage(
      state: progress.state, retryAt: progress.retryAt, attempts: try row.count(), dueAt: dueAt)
    // Another time would hide the postback, or those that are due after it.
    guard try row.optionalInstant() == message.nextAttemptAt else { throw row.corrupt() }
    return Postback(
      id: id, conversion: conversion, impression: impression, framework: framework, sequenceIndex: sequenceIndex,
      didWin: didWin, recipient: recipient, adNetworkIdentifier: adNetwork, bundleIdentifier: bundle, url: url, body: body,
      message: message, attempts: attempts)
  }
}
