import PCMStore
import StoreContract
import Testing

@Suite struct MemoryStoreTests {
  @Test("The store in memory holds to the contract", arguments: StoreContract.checks)
  func contract(_ check: StoreContract.Check) async throws {
    try await check.hold(MemoryStore())
  }
}
