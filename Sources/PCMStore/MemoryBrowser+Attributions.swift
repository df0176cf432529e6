import PCMCore

extension MemoryBrowser {
  func attribution(_ key: ClickKey, in session: SessionKind) -> Attribution? { attributions[session.index][key] }

  func attributions(in session: SessionKind, after id: Int64, limit: Int) -> [Attribution] {
    attributions[session.index].rows.after(id, limit: limit)
  }

  func attributions(in session: SessionKind, naming site: Site) -> [Attribution] {
    attributions[session.index].rows.filter { $0.key.names(site) }
  }

  func earliestAttributions(limit: Int) -> [Attribution] {
    let candidates = attributions.flatMap { $0.rows.earliest(limit) }
    let sorted = candidates.sorted { left, right in
      left.time == right.time ? left.id < right.id : (left.time ?? .latest) < (right.time ?? .latest)
    }
    return Array(sorted.prefix(max(0, limit)))
  }

  func save(_ attribution: Attribution, in session: SessionKind) throws {
    try attribution.requireStorableTimes()
    try set(attribution.next == nil ? nil : attribution, for: attribution.key, in: session)
  }

  func removeAttribution(_ key: ClickKey, in session: SessionKind) throws { try set(nil, for: key, in: session) }

  func removeAllAttributions(in session: SessionKind) -> Int {
    let old = attributions[session.index]
    undo { self.attributions[session.index] = old }
    attributions[session.index] = KeyedRows()
    return old.count
  }

  private func set(_ attribution: Attribution?, for key: ClickKey, in session: SessionKind) throws(StoreError) {
    let old = try attributions[session.index].set(attribution, for: key)
    // Restores a valid state, so this does not throw.
    undo { _ = try? self.attributions[session.index].set(old, for: key) }
  }
}

extension SessionKind {
  fileprivate var index: Int { Int(rawValue) }
}
