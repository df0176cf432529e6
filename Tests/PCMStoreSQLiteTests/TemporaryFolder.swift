import Foundation
import GRDB
import PCMCore

@testable import PCMStoreSQLite

/// A folder of one test's own, removed with everything in it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("pcm-store-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var database: String { path + "/browsers.sqlite" }

  func open() throws -> SQLiteStore { try SQLiteStore(path: database) }

  /// Changes the database while no store uses it.
  func edit(_ sql: String) throws {
    let queue = try DatabaseQueue(path: database)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }
}

extension BrowserEvent {
  /// An event about an app.
  static func sample(_ bundleIdentifier: String = "com.example.news") -> BrowserEvent {
    .appRegistered(AppRegistered(bundleIdentifier: bundleIdentifier, reportEndpoint: nil, findings: []))
  }
}
