import PCMCore
import PCMStore

extension SQLiteBrowser {
  enum DeviceRowSQL {
    private static let columns = "name, kind, value, changes_at"
    private static let select = "SELECT \(columns) FROM device_rows WHERE browser = ?"
    static let find = "\(select) AND kind = ? AND name = ?"
    static let after = "\(select) AND kind = ? AND name > ? ORDER BY name LIMIT ?"
    static let earliest = "\(select) AND changes_at IS NOT NULL ORDER BY changes_at, kind, name LIMIT ?"
    static let save = """
      INSERT INTO device_rows (browser, \(columns)) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (browser, kind, name) DO UPDATE SET value = excluded.value, changes_at = excluded.changes_at
      """
    static let remove = "DELETE FROM device_rows WHERE browser = ? AND kind = ? AND name = ?"
    static let plain = [find, after, earliest, save, remove]
  }

  func deviceRow(_ key: DeviceRow.Key) throws -> DeviceRow? {
    try row(DeviceRowSQL.find, [id, key.kind.rawValue, key.name], of: "device_rows", Self.decodeDeviceRow)
  }

  func deviceRows(_ kind: DeviceRow.Kind, after name: String, limit: Int) throws -> [DeviceRow] {
    try rows(DeviceRowSQL.after, [id, kind.rawValue, name, bounded(limit)], of: "device_rows", Self.decodeDeviceRow)
  }

  func earliestDeviceRows(limit: Int) throws -> [DeviceRow] {
    try rows(DeviceRowSQL.earliest, [id, bounded(limit)], of: "device_rows", Self.decodeDeviceRow)
  }

  func save(_ row: DeviceRow) throws {
    try row.requireStorableTimes()
    try execute(
      DeviceRowSQL.save, [id, row.key.name, row.key.kind.rawValue, row.value, row.changesAt?.milliseconds])
  }

  func removeDeviceRow(_ key: DeviceRow.Key) throws {
    try execute(DeviceRowSQL.remove, [id, key.kind.rawValue, key.name])
  }

  private static func decodeDeviceRow(_ row: inout RowReader) throws -> DeviceRow {
    let name = try row.text()
    return DeviceRow(try row.numbered(), name, value: try row.text(), changesAt: try row.optionalInstant())
  }
}
