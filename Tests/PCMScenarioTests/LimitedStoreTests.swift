import PCMStore
import StoreContract
import Testing

@testable import PCMApp

@Suite struct LimitedStoreTests {
  @Test("a store with a limit follows the contract", arguments: StoreContract.checks)
  func contract(_ check: StoreContract.Check) async throws {
    try await check.hold(LimitedStore(MemoryStore(), WriteLimit(nil)))
  }
}
