import PCMStore
import StoreContract
import Testing

@Suite struct MemoryStoreTests {
  @Test("The store in memory holds to the contract", arguments: StoreContract.checks)
  func contract(_ check: StoreContract.Check) async throws {
    try await check.hold(MemoryStore())
  }

  @Test("A store with a limit on writes holds to the contract", arguments: StoreContract.checks)
  func limited(_ check: StoreContract.Check) async throws {
    try await check.hold(MemoryStore(admitWrite: {}))
  }
}
