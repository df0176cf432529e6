/// The changes of a store with one owner.
extension Store {
  package var changes: AsyncStream<Set<BrowserID>> { AsyncStream { $0.finish() } }

  /// Reads one browser after the other.
  package func nextSequences(of browsers: Set<BrowserID>) async throws -> [BrowserID: Int64] {
    var found: [BrowserID: Int64] = [:]
    for browser in browsers {
      do { found[browser] = try await read(browser) { try $0.nextSequence() } } catch StoreError.unknownBrowser { continue }
    }
    return found
  }
}
