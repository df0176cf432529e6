import PCMStore
import StoreContract
import Testing

@Suite struct SQLiteStoreTests {
  @Test("The store on SQLite holds to the contract", arguments: StoreContract.checks)
  func contract(_ check: StoreContract.Check) async throws {
    let folder = try TemporaryFolder()
    try await check.hold(folder.open())
  }
}
