import BrowserSupport
import NIOConcurrencyHelpers
import PCMCore
import PCMStore
import Testing

@testable import PCMBrowser

/// Each transaction of a browser is measured once, with its events when it is committed.
@Suite struct StoreMeterTests {
  @Test func onlyCommittedEventsAreCounted() async throws {
    let (kinds, reads) = (NIOLockedValueBox<[EventKind]>([]), NIOLockedValueBox(0))
    let meter = StoreMeter(
      uptime: { .zero }, didRead: { _, _ in reads.withLockedValue { $0 += 1 } },
      didWrite: { _, _, events in kinds.withLockedValue { $0 += events.map(\.kind) } })
    let refuses = NIOLockedValueBox(false)
    let store = ObservedStore(
      MemoryStore(),
      StoreObserver(willCall: { name in
        if name.hasPrefix("append("), refuses.withLockedValue({ $0 }) { throw StoreError.full }
      }))
    let scene = try await Scene(store: store, storeMeter: meter)
    kinds.withLockedValue { $0 = [] }
    try await scene.click(3)
    #expect(kinds.withLockedValue { $0 } == [.clickStored])
    refuses.withLockedValue { $0 = true }
    await #expect(throws: StoreError.full) { try await scene.click(4) }
    #expect(kinds.withLockedValue { $0 } == [.clickStored])
    reads.withLockedValue { $0 = 0 }
    _ = try await scene.browser.events(after: 0, limit: 10)
    #expect(reads.withLockedValue { $0 } == 1)
  }
}
