import PCMCore

extension DeviceRow: QueuedRow {
  var time: Instant? { changesAt }
}

extension MemoryBrowser {
  func deviceRow(_ key: DeviceRow.Key) -> DeviceRow? { deviceRows[key] }

  func deviceRows(_ kind: DeviceRow.Kind, after name: String, limit: Int) -> [DeviceRow] {
    deviceRows.after(DeviceRow.Key(kind, name), limit: limit) { $0.kind == kind }
  }

  func earliestDeviceRows(limit: Int) -> [DeviceRow] { deviceRows.earliest(limit) }

  func save(_ row: DeviceRow) throws {
    try row.requireStorableTimes()
    set(row, at: row.key)
  }

  func removeDeviceRow(_ key: DeviceRow.Key) { set(nil, at: key) }

  private func set(_ row: DeviceRow?, at key: DeviceRow.Key) {
    let old = deviceRows.set(row, at: key)
    undo { self.deviceRows.set(old, at: key) }
  }
}
