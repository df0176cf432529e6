import PCMCore
import PCMStore
import StoreContract
import Testing

/// Pages of postbacks in several states.
@Suite struct PostbackPageTests {
  private static let states: [Postback.State] = [.delivered, .scheduled, .failed]

  private static func postback(_ id: Int64) -> Postback {
    Postback(
      id: id, conversion: 1, impression: 2, framework: .skadnetwork, sequenceIndex: 0, didWin: true, recipient: .adNetwork,
      adNetworkIdentifier: "example123.skadnetwork", bundleIdentifier: "com.example.shop", url: "https://ads.example/",
      body: "0123456789", message: OutgoingMessage(state: states[Int(id) % 3], dueAt: Instant(milliseconds: id)))
  }

  /// Calls back with a reader of postbacks 1 to 200, in three states.
  private static func read<Value: Sendable>(
    _ body: @escaping @Sendable (any BrowserReader) throws -> Value
  ) async throws -> Value {
    let store = MemoryStore()
    let browser = try await store.create(
      NewBrowser(name: "one", seed: "seed", clockMode: .manual, state: BrowserState(now: Instant(milliseconds: 0)))
    ).id
    try await store.write(browser) { writer in
      for id in 1...200 { try writer.save(postback(Int64(id))) }
    }
    return try await store.read(browser) { try body($0) }
  }

  @Test(
    "A page has the postbacks in the states, in their order, and continues after its last one",
    arguments: [[], [.scheduled], [.delivered, .failed], Set(states), [.cleared]] as [Set<Postback.State>], [1, 7, 200])
  func pages(_ states: Set<Postback.State>, _ limit: Int) async throws {
    let found = try await Self.read { reader in
      var (found, position) = ([Int64](), Int64?(0))
      while let after = position {
        let page = try reader.postbackPage(in: states, after: after, limit: limit)
        #expect(page.items.count == limit || page.next == nil)
        #expect(page.positions == page.items.map(\.id))
        found += page.positions
        position = page.next
      }
      return found
    }
    let expected = (1...200).map(Self.postback).filter { states.isEmpty || states.contains($0.state) }
    #expect(found == expected.map(\.id))
  }

  @Test("A page ends with the postback that reaches its size")
  func sizes() async throws {
    let page = try await Self.read { try $0.postbackPage(in: [], after: 60, limit: 100, bytes: 25) }
    #expect(page.positions == [61, 62, 63])
    #expect(page.next == 63)
  }
}
