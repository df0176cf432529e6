import PCMCore
import PCMStore
import PostgresSupport
import StoreContract
import Testing

@testable import PCMStorePostgres

extension PostgresTests {
  @Suite struct OpeningTests {
    @Test("Stores that open a new database at the same time create the tables once, and share the browsers")
    func creation() async throws {
      let schema = PostgresTests.newSchema()
      let stores = try await withThrowingTaskGroup(of: PostgresStore.self) { group in
        for _ in 1...4 { group.addTask { try await PostgresTests.store(in: schema) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for (number, store) in stores.enumerated() {
        _ = try await store.create(.sample("\(number)"))
        #expect(try await stores[0].browsers().count == number + 1)
      }
      for store in stores { try await store.close() }
    }

    @Test("Tables of another version are an error that names the version", arguments: [1, 3])
    func otherVersion(_ version: Int) async throws {
      let schema = PostgresTests.newSchema()
      try await PostgresTests.withStore(in: schema) { store in
        try await store.submit(to: store.keeper) { $0.run("UPDATE version SET version = $1", [version]) }.answer()
      }
      let path = "postgres://pcm@\(try PostgresCluster.folder())/postgres"
      await #expect(throws: StoreError.otherVersion(path: path, found: version, expected: 2)) {
        _ = try await PostgresTests.store(in: schema)
      }
    }

    @Test(
      "A database that cannot be opened is an error with the cause and the remedy, and without the password",
      arguments: [
        ("", "unknown", "FATAL:  database \"unknown\" does not exist"),
        ("", "with_password", "FATAL:  password authentication failed for user \"pcm\""),
        ("/missing", "unknown", "No such file or directory"),
      ])
    func unusable(_ place: String, _ database: String, _ cause: String) async throws {
      let folder = try PostgresCluster.folder() + place
      let error = await #expect(throws: StoreError.self) {
        _ = try await PostgresStore(PostgresAddress("postgres://pcm:s3cret@/\(database)?host=\(folder)"))
      }
      let text = error.map { "\($0)" } ?? ""
      #expect(text.hasPrefix("cannot connect to postgres://pcm@\(folder)/\(database): connection to server on socket"))
      #expect(text.contains(cause))
      #expect(text.hasSuffix("or the password in the file of PGPASSFILE"))
      #expect(!text.contains("s3cret"))
    }

    @Test("A user without privileges is an error with the remedy", arguments: [false, true])
    func privileges(_ isCreated: Bool) async throws {
      let schema = PostgresTests.newSchema()
      let user = "user_of_\(schema)"
      try await PostgresTests.withStore(in: isCreated ? schema : PostgresTests.newSchema()) { store in
        try await store.submit(to: store.keeper) { $0.run("CREATE ROLE \(user) LOGIN") }.answer()
      }
      let text =
        isCreated
        ? "no schema has been selected to create in (3F000); use the user that created the schema pcm_browser"
        : "permission denied for database postgres (42501); grant the user CREATE on it"
      let address = try PostgresAddress("postgres://\(user)@/postgres?host=\(PostgresCluster.folder())")
      await #expect(throws: StoreError.unavailable(text)) { _ = try await PostgresStore(address, schema: schema) }
    }

    @Test("A limit of connections is an error of a start and of writes with the remedy, and writes continue without it")
    func connectionLimit() async throws {
      let schema = PostgresTests.newSchema()
      let user = "user_of_\(schema)"
      let address = try PostgresAddress("postgres://\(user)@/postgres?host=\(PostgresCluster.folder())")
      try await PostgresTests.withStore { other in
        func run(_ statements: String...) async throws {
          try await other.submit(to: other.keeper) { transaction in
            for sql in statements { transaction.run(sql) }
          }.answer()
        }
        func expectError(_ body: () async throws -> Void) async {
          let error = await #expect(throws: StoreError.self) { try await body() }
          let text = error.map { "\($0)" } ?? ""
          #expect(text.contains("too many connections for role \"\(user)\"; raise the server's max_connections"), "\(text)")
        }
        try await run("CREATE ROLE \(user) LOGIN CONNECTION LIMIT 0", "CREATE SCHEMA \(schema) AUTHORIZATION \(user)")
        await expectError { _ = try await PostgresStore(address, schema: schema) }
        try await run("ALTER ROLE \(user) CONNECTION LIMIT -1")
        let store = try await PostgresStore(address, schema: schema)
        let browser = try await store.create(.sample("one")).id
        try await run("ALTER ROLE \(user) CONNECTION LIMIT 0")
        // Waits for the ends of the sessions.
        try await run("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = '\(user)'")
        await expectError { try await store.write(browser) { _ = try $0.append(Sample.event(), at: .latest) } }
        await expectError { _ = try await store.read(browser) { try $0.nextSequence() } }
        try await run("ALTER ROLE \(user) CONNECTION LIMIT -1")
        try await store.write(browser) { _ = try $0.append(Sample.event(), at: .latest) }
        #expect(try await store.read(browser) { try $0.nextSequence() } == 2)
        try await store.close()
      }
    }

    @Test("A start removes the rows of a browser whose deletion was interrupted")
    func remains() async throws {
      let schema = PostgresTests.newSchema()
      try await PostgresTests.withStore(in: schema) { store in
        let browser = try await store.create(.sample("one")).id
        try await store.write(browser) {
          _ = try $0.addToJournal("text", within: JournalLimits(maximumCount: 9, maximumBytes: 99))
        }
        try await store.submit(to: store.keeper) { $0.run(PostgresStore.DeletionSQL.hide, [browser.number]) }.answer()
        #expect(try await store.browsers().isEmpty)
      }
      let rest = try await PostgresTests.withStore(in: schema) { store in
        let counts = "SELECT (SELECT count(*) FROM browsers), (SELECT count(*) FROM journal)"
        return try await store.view { try $0.rows(counts, [], of: "") { [try $0.integer(), try $0.integer()] } }
      }
      #expect(rest == [[1, 0]], "the row of the service")
    }
  }
}
