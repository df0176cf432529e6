import PCMCore
import PCMStore

extension SQLiteBrowser {
  enum AppSQL {
    private static let columns =
      "bundle, report_endpoint, endpoint_problem, sdk, signing, platform, findings, item_identifier, ad_attribution"
    static let find = "SELECT \(columns) FROM apps WHERE browser = ? AND bundle = ?"
    static let all = "SELECT \(columns) FROM apps WHERE browser = ? ORDER BY bundle"
    static let save = """
      INSERT INTO apps (browser, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (browser, bundle) DO UPDATE SET report_endpoint = excluded.report_endpoint,
        endpoint_problem = excluded.endpoint_problem, sdk = excluded.sdk, signing = excluded.signing,
        platform = excluded.platform, findings = excluded.findings, item_identifier = excluded.item_identifier, ad_attribution = excluded.ad_attribution
      """
    static let remove = "DELETE FROM apps WHERE browser = ? AND bundle = ?"
    static let plain = [find, all, save, remove]
  }

  func app(_ bundleIdentifier: String) throws -> AppRecord? {
    try row(AppSQL.find, [id, bundleIdentifier], of: "apps", Self.decodeApp)
  }

  func apps() throws -> [AppRecord] {
    try rows(AppSQL.all, [id], of: "apps", Self.decodeApp)
  }

  func save(_ app: AppRecord) throws {
    try execute(
      AppSQL.save,
      [
        id, app.bundleIdentifier, app.reportEndpoint, app.endpointError, app.build.sdk?.text,
        app.build.signing.rawValue, app.build.platform.rawValue, app.findings, app.itemIdentifier, app.adAttribution,
      ])
  }

  func removeApp(_ bundleIdentifier: String) throws {
    try execute(AppSQL.remove, [id, bundleIdentifier])
  }

  private static func decodeApp(_ row: inout RowReader) throws -> AppRecord {
    AppRecord(
      bundleIdentifier: try row.text(), reportEndpoint: try row.optionalText(), endpointError: try row.optionalText(),
      build: try row.build(), findings: try row.jsonText(), itemIdentifier: try row.optionalInteger(),
      adAttribution: try row.jsonText())
  }
}
