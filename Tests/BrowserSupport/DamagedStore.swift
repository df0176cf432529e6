import NIOConcurrencyHelpers
package import PCMStore

/// A store in memory with one browser more, whose row is damaged.
package final class DamagedStore: ForwardingStore {
  package let base: any Store = MemoryStore()
  private let damaged: NIOLockedValueBox<UnreadableBrowser?>

  package static let error = StoreError.unreadable(table: "browsers", row: "-7", column: "clock_mode")

  /// - Parameter name: The name of the damaged browser; nil when its name is also damaged.
  package init(_ name: String?) {
    damaged = NIOLockedValueBox(UnreadableBrowser(id: BrowserID(-7), name: name, error: Self.error))
  }

  package func allBrowsers() async throws -> [Result<BrowserRecord, UnreadableBrowser>] {
    try await base.allBrowsers() + (damaged.withLockedValue { $0 }.map { [.failure($0)] } ?? [])
  }

  package func create(
    _ browser: NewBrowser, _ body: @escaping @Sendable (any BrowserWriter) throws -> Void
  ) async throws -> BrowserRecord {
    try checkName(browser.name)
    return try await base.create(browser, body)
  }

  package func delete(_ browser: BrowserID) async throws {
    let isDamaged = damaged.withLockedValue { damaged in
      guard damaged?.id == browser else { return false }
      damaged = nil
      return true
    }
    if !isDamaged { try await base.delete(browser) }
  }

  package func browser(named name: String) async throws -> BrowserRecord? {
    if let damaged = damaged.withLockedValue({ $0 }), damaged.name == name { throw damaged.error }
    return try await base.browser(named: name)
  }

  package func fork(_ browser: BrowserID, as copy: BrowserCopy) async throws -> BrowserRecord {
    try checkName(copy.name)
    return try await base.fork(browser, as: copy)
  }

  private func checkName(_ name: String) throws {
    guard damaged.withLockedValue({ $0?.name != name }) else { throw StoreError.browserExists(name: name) }
  }
}
