import NIOConcurrencyHelpers
import PCMBrowser
import PCMStore

/// How many transactions a scenario may take altogether, through restarts too: the measure of what it costs to play.
final class WriteLimit: Sendable {
  private let limit: Int
  private let taken = NIOLockedValueBox(0)

  /// - Parameter limit: nil for as many as it takes.
  init(_ limit: Int?) {
    self.limit = limit ?? .max
  }

  /// - Throws: when there are no more.
  func take() throws(BrowserError) {
    let number = taken.withLockedValue { taken in
      taken += 1
      return taken
    }
    guard number <= limit else {
      throw .conflict(
        "the scenario takes more than the \(limit) transactions that it may take here; play it with pcm-browser run")
    }
  }
}

/// A store that refuses to write when a scenario has taken too much. Every loop in a browser writes, so the limit ends it.
///
/// Each call yields after the store has run it: a store in memory never waits, and as many scenarios as there are cores
/// would otherwise block the service until they end. Yielding before the call would change the order of the calls.
struct LimitedStore: Store {
  private let store: any Store
  private let limit: WriteLimit

  init(_ store: any Store, _ limit: WriteLimit) {
    self.store = store
    self.limit = limit
  }

  func browsers() async throws -> [BrowserRecord] { try await store.browsers() }

  func create(_ browser: NewBrowser) async throws -> BrowserRecord { try await store.create(browser) }

  func delete(_ browser: BrowserID) async throws { try await store.delete(browser) }

  func write<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) async throws -> Answer {
    try limit.take()
    let answer = try await store.write(browser, body)
    await Task.yield()
    return answer
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
