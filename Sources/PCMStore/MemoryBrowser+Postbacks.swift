import PCMCore

extension MemoryBrowser {
  func postback(_ id: Int64) -> Postback? { postbackRows.rows[id] }

  func postbacks(in state: Postback.State?, after id: Int64, limit: Int) -> [Postback] {
    postbackRows.after(id, in: state, limit: limit)
  }

  func earliestPostbacks(limit: Int) -> [Postback] { postbackRows.rows.earliest(limit) }

  func save(_ postback: Postback) throws {
    try postback.requireStorableTimes()
    set(postback, at: postback.id)
  }

  func removePostback(_ id: Int64) { set(nil, at: id) }

  private func set(_ postback: Postback?, at id: Int64) {
    let old = postbackRows.set(postback, at: id)
    undo { self.postbackRows.set(old, at: id) }
  }
}
