import PCMStore

extension SQLiteBrowser {
  enum SiteSQL {
    private static let columns = "host, behavior, positions"
    static let find = "SELECT \(columns) FROM sites WHERE browser = ? AND host = ?"
    static let all = "SELECT \(columns) FROM sites WHERE browser = ? ORDER BY host"
    static let save = """
      INSERT INTO sites (browser, \(columns)) VALUES (?, ?, ?, ?)
      ON CONFLICT (browser, host) DO UPDATE SET behavior = excluded.behavior, positions = excluded.positions
      """
    static let remove = "DELETE FROM sites WHERE browser = ? AND host = ?"
    static let plain = [find, all, save, remove]
  }

  func site(_ host: String) throws -> SiteRecord? {
    try row(SiteSQL.find, [id, host], of: "sites", Self.decodeSite)
  }

  func sites() throws -> [SiteRecord] {
    try rows(SiteSQL.all, [id], of: "sites", Self.decodeSite)
  }

  func save(_ site: SiteRecord) throws {
    try execute(SiteSQL.save, [id, site.host, site.behavior, site.positions])
  }

  func removeSite(_ host: String) throws {
    try execute(SiteSQL.remove, [id, host])
  }

  private static func decodeSite(_ row: inout RowReader) throws -> SiteRecord {
    SiteRecord(host: try row.text(), behavior: try row.jsonText(), positions: try row.jsonText())
  }
}
