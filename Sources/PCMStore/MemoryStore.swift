import NIOConcurrencyHelpers

/// Browsers that live as long as the process.
///
/// One lock and no actor: every call does all its work before it could suspend, so calls take effect in the order in
/// which they were made. An actor would let a call of higher priority overtake the ones that wait.
package final class MemoryStore: Store {
  private let contents = NIOLockedValueBox(Contents())

  /// `@unchecked Sendable`: the browsers' rows are reached under the lock alone. A body gets them as an argument, and
  /// being `@Sendable` can keep no reference to them.
  private struct Contents: @unchecked Sendable {
    var isClosed = false
    var lastNumber: Int64 = 0
    var browsers: [BrowserID: MemoryBrowser] = [:]
    var names: Set<String> = []
  }

  package init() {}

  package func browsers() async throws -> [BrowserRecord] {
    try open { contents in
      contents.browsers.values.map(\.record).sorted { $0.id.number < $1.id.number }
    }
  }

  package func create(_ browser: NewBrowser) async throws -> BrowserRecord {
    try open { contents in
      guard contents.names.insert(browser.name).inserted else { throw StoreError.browserExists(name: browser.name) }
      contents.lastNumber += 1
      let record = BrowserRecord(
        id: BrowserID(contents.lastNumber), name: browser.name, seed: browser.seed, clockMode: browser.clockMode)
      contents.browsers[record.id] = MemoryBrowser(record: record, state: browser.state)
      return record
    }
  }

  package func delete(_ browser: BrowserID) async throws {
    try open { contents in
      guard let rows = contents.browsers.removeValue(forKey: browser) else { return }
      contents.names.remove(rows.record.name)
    }
  }

  package func write<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) async throws -> Answer {
    try open { contents in
      guard let rows = contents.browsers[browser] else { throw StoreError.unknownBrowser }
      return try rows.transaction(body)
    }
  }

  package func read<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserReader) throws -> Answer
  ) async throws -> Answer {
    try open { contents in
      guard let rows = contents.browsers[browser] else { throw StoreError.unknownBrowser }
      return try body(rows)
    }
  }

  package func checkWritable() async throws {
    try open { _ in }
  }

  package func close() async throws {
    try open { contents in
      contents = Contents()
      contents.isClosed = true
    }
  }

  private func open<Answer: Sendable>(_ body: (inout Contents) throws -> Answer) throws -> Answer {
    try contents.withLockedValue { contents in
      guard !contents.isClosed else { throw StoreError.closed }
      return try body(&contents)
    }
  }
}
