package import PCMStore

/// A store that forwards the requirements that it does not implement to another store.
package protocol ForwardingStore: Store {
  var base: any Store { get }
}

extension ForwardingStore {
  package func allBrowsers() async throws -> [Result<BrowserRecord, UnreadableBrowser>] { try await base.allBrowsers() }
  package func browser(named name: String) async throws -> BrowserRecord? { try await base.browser(named: name) }
  package func create(
    _ browser: NewBrowser, _ body: @escaping @Sendable (any BrowserWriter) throws -> Void
  ) async throws -> BrowserRecord { try await base.create(browser, body) }
  package func keptCreation(_ key: String) async throws -> IdempotencyRecord? { try await base.keptCreation(key) }
  package func fork(_ browser: BrowserID, as copy: BrowserCopy) async throws -> BrowserRecord {
    try await base.fork(browser, as: copy)
  }
  package func delete(_ browser: BrowserID) async throws { try await base.delete(browser) }
  package func submit<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer> { base.submit(browser, body) }
  package func read<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserReader) throws -> Answer
  ) async throws -> Answer { try await base.read(browser, body) }
  package func checkWritable() async throws { try await base.checkWritable() }
  package func close() async throws { try await base.close() }
}
