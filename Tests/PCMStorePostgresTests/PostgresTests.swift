import Dispatch
import PCMStorePostgres
import PostgresSupport
import StoreContract
import Testing

/// All tests that need a server share one.
@Suite(.postgresCluster) struct PostgresTests {
  static func newSchema() -> String { PostgresCluster.newSchema() }

  /// - Parameter folder: The folder of the socket.
  static func store(in schema: String = newSchema(), folder: String? = nil) async throws -> PostgresStore {
    try await PostgresStore(PostgresAddress(PostgresCluster.address(folder: folder)), schema: schema)
  }

  /// Runs a test with a store, and closes it.
  static func withStore<Answer>(
    in schema: String = newSchema(), folder: String? = nil, _ body: (PostgresStore) async throws -> Answer
  ) async throws -> Answer {
    let store = try await store(in: schema, folder: folder)
    let result: Result<Answer, any Error>
    do { result = .success(try await body(store)) } catch { result = .failure(error) }
    // The contract closes some stores.
    try? await store.close()
    return try result.get()
  }

  /// Runs a test with two stores over the same tables, as two instances of the service have.
  static func withStores(_ body: (PostgresStore, PostgresStore) async throws -> Void) async throws {
    let schema = newSchema()
    try await withStore(in: schema) { left in
      try await withStore(in: schema) { right in try await body(left, right) }
    }
  }
}

extension DispatchSemaphore {
  /// Waits for a signal that is for all: the server ends a session that waits for too long, and the transaction then runs again.
  func waitForAll() {
    wait()
    signal()
  }
}

extension PostgresTests {
  @Suite struct ContractTests {
    @Test("The store on PostgreSQL holds to the contract", arguments: StoreContract.checks(rounds: 60))
    func contract(_ check: StoreContract.Check) async throws {
      try await PostgresTests.withStore { try await check.hold($0) }
    }
  }
}
