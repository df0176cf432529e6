import PCMCore
import PCMStore
import PostgresSupport
import StoreContract
import Testing

@testable import PCMStorePostgres

/// A server with a standby, to which it sends its changes.
@Suite(.postgresCluster) struct FailoverTests {
  private static func append(to browser: BrowserID, in store: PostgresStore) -> PendingWrite<Int64> {
    store.submit(browser) { try $0.append(Sample.event(), at: .latest).sequence }
  }

  @Test("A store continues with its standby when that is promoted, and finds there whether the last commit took effect")
  func failover() async throws {
    let schema = PostgresCluster.newSchema()
    let proxy = try CuttingProxy(to: PostgresCluster.folder())
    defer { proxy.close() }
    try await PostgresCluster.withStandby { standby in
      // The standby is first, but does not accept writes.
      let folders = "\(standby),\(proxy.folder)"
      try await PostgresTests.withStore(in: schema, folder: folders) { store in
        let (instance, browser) = (store.instance, try await store.create(.sample("one")).id)
        #expect(try await Self.append(to: browser, in: store).answer() == 1)
        await Self.expectUnavailable(standby, schema)

        let (lost, lose) = AsyncStream.makeStream(of: Void.self)
        proxy.arm { piece in
          guard !piece.isRequest && piece.contains("COMMIT") else { return false }
          proxy.refuse(true)
          lose.finish()
          return true
        }
        let write = Self.append(to: browser, in: store)
        for await _ in lost {}
        // The server stops when the standby has all changes.
        try await PostgresCluster.stop()
        await #expect(throws: StoreError.self) { try await store.read(browser) { try $0.nextSequence() } }
        try await PostgresCluster.promote(standby)

        #expect(try await write.answer() == 2)
        #expect(try await Self.append(to: browser, in: store).answer() == 3)
        #expect(try await store.read(browser) { try $0.events(after: 0, limit: 9).map(\.sequence) } == [1, 2, 3])
        try await store.lease.renew()
        #expect(store.instance == instance && store.mayAct)
      }
    }
  }

  /// Checks that a standby is an error, also when the address lets libpq connect to it.
  private static func expectUnavailable(_ standby: String, _ schema: String) async {
    for (parameters, cause) in [
      ("", "session is read-only; start the server, or correct the address"),
      ("&target_session_attrs=any", "in a read-only transaction (25006)"),
    ] {
      let error = await #expect(throws: StoreError.self) {
        _ = try await PostgresStore(PostgresAddress(PostgresCluster.address(folder: standby) + parameters), schema: schema)
      }
      #expect(error.map { "\($0)".contains(cause) } == true, "\(error.map { "\($0)" } ?? "no error")")
    }
  }
}
