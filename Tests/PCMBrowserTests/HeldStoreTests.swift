import BrowserSupport
import PCMCore
import PCMStore
import StoreContract
import Testing

/// The store that suspends writes is a store.
@Suite struct HeldStoreTests {
  @Test("a store that suspends nothing follows the contract", arguments: StoreContract.checks)
  func contract(_ check: StoreContract.Check) async throws {
    try await check.hold(HeldStore())
  }

  @Test("a suspended write takes effect, or fails without an effect, before the later ones", arguments: [true, false])
  func suspendedWrite(_ isReleased: Bool) async throws {
    let store = HeldStore()
    let new = NewBrowser(name: "one", seed: "s", clockMode: .manual, state: BrowserState(now: Scene.start))
    let browser = try await store.create(new).id
    store.holdNextWrite()
    let first = Task { try await store.write(browser) { try $0.append(Sample.event(), at: Scene.start).sequence } }
    await store.untilHeld()
    let second = Task { try await store.write(browser) { try $0.append(Sample.event(), at: Scene.start).sequence } }
    if isReleased {
      store.release()
      #expect(try await first.value < second.value)
    } else {
      store.refuse()
      await #expect(throws: HeldStore.refusal) { try await first.value }
      #expect(try await second.value == 1)
    }
  }
}
