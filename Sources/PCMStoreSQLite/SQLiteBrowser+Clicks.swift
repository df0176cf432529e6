import GRDB
import PCMCore
import PCMStore

extension SQLiteBrowser {
  enum ClickSQL {
    private static let columns = "id, source, destination, bundle, source_id, made_at, nonce, report_endpoint, token"
    private static let select = "SELECT \(columns) FROM clicks WHERE browser = ? AND place = ?"
    static let find = "\(select) AND source = ? AND destination = ? AND bundle = ?"
    static let after = "\(select) AND id > ? ORDER BY id LIMIT ?"
    static let madeBefore = "\(select) AND made_at < ? ORDER BY made_at, id"
    static let oldest = """
      SELECT made_at FROM clicks WHERE browser = ? AND place = ? ORDER BY made_at, id LIMIT 1
      """
    static let naming = """
      SELECT \(columns) FROM clicks WHERE browser = ?1 AND place = ?2 AND (source = ?3 OR destination = ?3) ORDER BY id
      """
    static let nearest = "\(select) AND source = ? AND destination = ? ORDER BY bundle LIMIT 1"
    static let ofSource = "\(select) AND source = ? ORDER BY destination, bundle LIMIT 1"
    static let save = """
      INSERT INTO clicks (browser, place, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (browser, place, source, destination, bundle) DO UPDATE SET id = excluded.id,
        source_id = excluded.source_id, made_at = excluded.made_at, nonce = excluded.nonce,
        report_endpoint = excluded.report_endpoint, token = excluded.token
      """
    static let remove = "DELETE FROM clicks WHERE browser = ? AND place = ? AND source = ? AND destination = ? AND bundle = ?"
    static let removeAll = "DELETE FROM clicks WHERE browser = ? AND place = ?"
    static let plain = [find, after, madeBefore, oldest, naming, nearest, ofSource, save, remove, removeAll]
  }

  func click(_ key: ClickKey, in place: ClickPlace) throws -> KeptClick? {
    try row(
      ClickSQL.find, [id, place.rawValue, key.source.domain, key.destination.domain, key.bundleIdentifier], of: "clicks",
      Self.decodeClick)
  }

  func clicks(in place: ClickPlace, after number: Int64, limit: Int) throws -> [KeptClick] {
    try rows(ClickSQL.after, [id, place.rawValue, number, bounded(limit)], of: "clicks", Self.decodeClick)
  }

  func clicks(in place: ClickPlace, madeBefore instant: Instant) throws -> [KeptClick] {
    if place == .table, let oldest = try oldestClick() {
      guard instant > oldest else { return [] }
      // The clicks found now are most likely removed next.
      cache?.oldestClick = nil
    }
    return try rows(ClickSQL.madeBefore, [id, place.rawValue, instant.milliseconds], of: "clicks", Self.decodeClick)
  }

  /// Returns a lower bound for the time of all clicks of the table; nil on a reader. It shows without a search whether a
  /// click may have expired.
  private func oldestClick() throws -> Instant? {
    guard cache != nil else { return nil }
    if let known = cache?.oldestClick { return known }
    let oldest = try row(ClickSQL.oldest, [id, ClickPlace.table.rawValue], of: "clicks") { try $0.instant() } ?? .latest
    cache?.oldestClick = oldest
    return oldest
  }

  func clicks(in place: ClickPlace, naming site: Site) throws -> [KeptClick] {
    try rows(ClickSQL.naming, [id, place.rawValue, site.domain], of: "clicks", Self.decodeClick)
  }

  func nearestClick(source: Site, destination: Site) throws -> KeptClick? {
    let table = ClickPlace.table.rawValue
    let values: [any ColumnValue] = [id, table, source.domain, destination.domain]
    return try row(ClickSQL.nearest, values, of: "clicks", Self.decodeClick)
      ?? row(ClickSQL.ofSource, [id, table, source.domain], of: "clicks", Self.decodeClick)
  }

  func save(_ kept: KeptClick, in place: ClickPlace) throws {
    try kept.requireStorableTimes()
    let key = kept.click.key
    if place == .table, let known = cache?.oldestClick { cache?.oldestClick = min(known, kept.click.clickedAt) }
    try execute(
      ClickSQL.save,
      [
        id, place.rawValue, kept.id, key.source.domain, key.destination.domain, key.bundleIdentifier,
        kept.click.sourceID, kept.click.clickedAt.milliseconds, kept.click.nonce, kept.click.reportEndpoint,
        kept.click.token?.columnText,
      ])
  }

  func removeClick(_ key: ClickKey, in place: ClickPlace) throws {
    try execute(
      ClickSQL.remove, [id, place.rawValue, key.source.domain, key.destination.domain, key.bundleIdentifier])
  }

  func removeAllClicks(in place: ClickPlace) throws -> Int {
    try execute(ClickSQL.removeAll, [id, place.rawValue])
    return database.changesCount
  }

  private static func decodeClick(_ row: inout RowReader) throws -> KeptClick {
    KeptClick(
      id: try row.number(),
      click: Click(
        key: try row.key(), sourceID: try row.byte(), clickedAt: try row.instant(), nonce: try row.optionalText(),
        reportEndpoint: try row.optionalText(), token: try row.optionalToken()))
  }
}
