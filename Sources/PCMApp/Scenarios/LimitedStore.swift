import NIOConcurrencyHelpers
import PCMBrowser
import PCMStore

/// The number of transactions that a scenario may take in total, including restarts, which measures its cost.
final class WriteLimit: Sendable {
  private let limit: Int
  private let taken = NIOLockedValueBox(0)

  /// - Parameter limit: The maximum; nil for no limit.
  init(_ limit: Int?) {
    self.limit = limit ?? .max
  }

  /// - Throws: When the limit is reached.
  func take() throws(BrowserError) {
    let number = taken.withLockedValue { taken in
      taken += 1
      return taken
    }
    guard number <= limit else {
      throw .conflict(
        "the scenario exceeds the limit of \(limit) transactions; play it with pcm-browser run")
    }
  }
}

/// A store that rejects writes beyond a scenario's limit. Every loop in a browser writes, so the limit ends it.
///
/// Each call yields after the store has run it: a store in memory never waits, and as many scenarios as there are cores
/// would otherwise block the service until they end. Yielding before the call would change the order of the calls.
struct LimitedStore: Store {
  let store: any Store
  let limit: WriteLimit

  func browsers() async throws -> [BrowserRecord] { try await store.browsers() }

  func create(_ browser: NewBrowser) async throws -> BrowserRecord {
    try await store.create(browser)
  }

  func keptCreation(_ key: String) async throws -> KeptRequest? { try await store.keptCreation(key) }

  func fork(_ browser: BrowserID, as copy: BrowserCopy) async throws -> BrowserRecord {
    try limit.take()
    return try await store.fork(browser, as: copy)
  }

  func delete(_ browser: BrowserID) async throws { try await store.delete(browser) }

  func submit<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer> {
    do throws(BrowserError) {
      try limit.take()
    } catch {
      return PendingWrite(.failure(error))
    }
    let write = store.submit(browser, body)
    return PendingWrite {
      let answer = try await write.answer()
      await Task.yield()
      return answer
    }
  }

  func read<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserReader) throws -> Answer
  ) async throws -> Answer {
    let answer = try await store.read(browser, body)
    await Task.yield()
    return answer
  }

  func checkWritable() async throws { try await store.checkWritable() }

  func close() async throws { try await store.close() }
}
