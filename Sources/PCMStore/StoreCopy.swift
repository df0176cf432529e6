/// Copies all browsers of a store to an empty store.
///
/// The rows are copied as they are, and then read and compared. The copies become visible together, at the end: a copy that is
/// interrupted leaves an empty store.
package struct StoreCopy: Sendable {
  private let source: any CopiedStore
  private let target: any CopiedStore

  /// The progress of the copy.
  package struct Progress: Hashable, Sendable {
    /// The number of browsers in the source.
    package let browserCount: Int
    package fileprivate(set) var copiedBrowserCount = 0
    /// The number of rows of each table.
    package fileprivate(set) var rowCounts: [String: Int] = [:]
  }

  /// The number of rows of a transaction. A row has some hundred bytes; a report's row has up to 80 KB.
  private static let step = 1_000

  package init(from source: any CopiedStore, to target: any CopiedStore) {
    (self.source, self.target) = (source, target)
  }

  /// Throws `StoreError.unreadable` for a damaged row, and `StoreError.unavailable` when another process uses a store, when the target
  /// is not empty, or when a copied row differs.
  ///
  /// - Parameter didCopy: Receives the progress after each browser.
  package func run(_ didCopy: (Progress) -> Void = { _ in }) async throws -> Progress {
    for store in [source, target] { try await store.requireSoleUse() }
    guard try await target.isEmpty() else {
      throw StoreError.unavailable("the target has browsers; name a new folder or an empty database")
    }
    let browsers = try await source.allBrowsers().map { try $0.mapError(\.error).get() }
    var progress = Progress(browserCount: browsers.count)
    for browser in browsers {
      let row = CopiedTable.abandoned(try await source.row(of: browser.id))
      let copy = try await target.addHidden(row)
      guard try await target.row(of: copy) == row else { throw Self.difference(in: .browsers, of: browser) }
      for table in CopiedTable.ofBrowser {
        progress.rowCounts[table.name, default: 0] += try await copyRows(of: table, browser, to: copy)
      }
      progress.copiedBrowserCount += 1
      didCopy(progress)
    }
    var service: [(table: CopiedTable, rows: [CopiedRow])] = []
    for table in CopiedTable.ofService {
      let rows = try await source.rows(of: table, nil, after: nil, limit: .max)
      service.append((table, rows))
      progress.rowCounts[table.name, default: 0] += rows.count
    }
    try await source.requireSoleUse()
    try await target.finishCopy(service)
    return progress
  }

  /// Returns the number of rows.
  private func copyRows(of table: CopiedTable, _ browser: BrowserRecord, to copy: BrowserID) async throws -> Int {
    var count = 0
    var key: [StoredValue]?
    while true {
      let rows = try await source.rows(of: table, browser.id, after: key, limit: Self.step)
      guard let last = rows.last else { return count }
      try await target.add(rows, to: table, of: copy)
      guard try await target.rows(of: table, copy, after: key, limit: Self.step) == rows else {
        throw Self.difference(in: table, of: browser)
      }
      count += rows.count
      key = table.key(of: last)
    }
  }

  private static func difference(in table: CopiedTable, of browser: BrowserRecord) -> StoreError {
    .unavailable("the copied rows of \(browser.name) in the table \(table.name) differ from the original")
  }
}
