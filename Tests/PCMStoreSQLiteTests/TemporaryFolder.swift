import Foundation
import GRDB
import PCMCore
import PCMStore

@testable import PCMStoreSQLite

/// A folder of one test's own, removed with everything in it.
final class TemporaryFolder: Sendable {
  /// The path without symbolic links.
  let path: String

  init() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("pcm-store-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    self.path = FileStatus.resolved(path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var database: String { path + "/browsers.sqlite" }

  func open() throws -> SQLiteStore { try SQLiteStore(path: database) }

  /// Adds a symbolic link, and returns its path. Its target may be missing.
  func link(_ name: String, to target: String) throws -> String {
    let link = "\(path)/\(name)"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    return link
  }

  /// Changes the database while no store uses it.
  func edit(_ sql: String) throws {
    let queue = try DatabaseQueue(path: database)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }
}

extension BrowserWriter {
  /// Adds a row to each table.
  func fill() throws {
    let click = KeptClick(id: 1, click: Click(key: .sample, sourceID: 9, clickedAt: .earliest))
    try save(click, in: .table)
    try save(
      Attribution(
        id: 2, click: click, trigger: Trigger(data: 12, priority: 3), attributedAt: .earliest,
        source: .init(report: 1, dueAt: .latest), destination: nil), in: .normal)
    try save(
      Report(
        id: 1, attribution: 1, session: .normal, key: .sample, recipient: .source, url: "", body: "{}", dueAt: .latest))
    try append(.sample(), at: .earliest)
    try save(
      AppRecord(bundleIdentifier: "1", reportEndpoint: nil, endpointError: nil, findings: "[]"))
    try save(SiteRecord(host: "1", behavior: "{}", positions: "{}"))
    try save(DeviceRow(.adNetwork, "1", value: "{}", changesAt: .earliest))
    try save(Postback.sample)
    _ = try addToJournal("{}", within: JournalLimits(maximumCount: 9, maximumBytes: 99))
  }
}

extension BrowserEvent where Self == AppRegistered {
  /// An event about an app.
  static func sample(_ bundleIdentifier: String = "com.example.news") -> AppRegistered {
    AppRegistered(bundleIdentifier: bundleIdentifier, reportEndpoint: nil, findings: [])
  }
}
