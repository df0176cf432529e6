import PCMCore

extension MemoryBrowser {
  func click(_ key: ClickKey, in place: ClickPlace) -> KeptClick? { clicks[place.index][key] }

  func clicks(in place: ClickPlace, after id: Int64, limit: Int) -> [KeptClick] {
    clicks[place.index].rows.after(id, limit: limit)
  }

  func clicks(in place: ClickPlace, madeBefore instant: Instant) -> [KeptClick] {
    clicks[place.index].rows.before(instant)
  }

  func clicks(in place: ClickPlace, naming site: Site) -> [KeptClick] {
    clicks[place.index].rows.filter { $0.key.names(site) }
  }

  func nearestClick(source: Site, destination: Site) -> KeptClick? {
    clicks[ClickPlace.table.index].nearest(source: source, destination: destination)
  }

  func save(_ click: KeptClick, in place: ClickPlace) throws {
    try click.requireStorableTimes()
    try set(click, for: click.key, in: place)
  }

  func removeClick(_ key: ClickKey, in place: ClickPlace) throws { try set(nil, for: key, in: place) }

  func removeAllClicks(in place: ClickPlace) -> Int {
    let old = clicks[place.index]
    undo { self.clicks[place.index] = old }
    clicks[place.index] = ClickRows()
    return old.count
  }

  private func set(_ click: KeptClick?, for key: ClickKey, in place: ClickPlace) throws(StoreError) {
    let old = try clicks[place.index].set(click, for: key)
    // Restores a valid state, so this does not throw.
    undo { _ = try? self.clicks[place.index].set(old, for: key) }
  }
}

extension ClickPlace {
  fileprivate var index: Int { Int(rawValue) }
}
