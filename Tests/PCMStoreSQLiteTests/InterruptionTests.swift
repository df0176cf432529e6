import GRDB
import GRDBSQLite
import PCMStore
import StoreContract
import Synchronization
import Testing

@testable import PCMStoreSQLite

/// Transactions that SQLite interrupts at any instruction. It rolls back more than the statement then, as it does when the
/// disk is full or memory is short.
@Suite struct InterruptionTests {
  /// The steps of SQLite's work. A single step fails.
  private final class Steps: Sendable {
    private let taken = Atomic<Int>(0)
    private let failing = Atomic<Int>(.max)

    /// The instructions in a step.
    static let length: Int32 = 10

    func start(failing step: Int) {
      taken.store(0, ordering: .sequentiallyConsistent)
      failing.store(step, ordering: .sequentiallyConsistent)
    }

    var hasFailed: Bool { taken.load(ordering: .sequentiallyConsistent) >= failing.load(ordering: .sequentiallyConsistent) }

    /// Returns whether the step fails.
    func take() -> Bool {
      taken.add(1, ordering: .sequentiallyConsistent).newValue == failing.load(ordering: .sequentiallyConsistent)
    }
  }

  @Test("A transaction that SQLite interrupts has no effect, and the next one works", arguments: UInt64(1)...3)
  func interruptions(_ seed: UInt64) async throws {
    let (folder, steps) = (try TemporaryFolder(), Steps())
    let store = try folder.open()
    try await store.file.pool.writeWithoutTransaction { database in
      // No power fails, so the disk need not be waited for.
      try database.execute(sql: "PRAGMA synchronous = OFF")
      sqlite3_progress_handler(
        database.sqliteConnection, Steps.length,
        { steps in steps.map { Unmanaged<Steps>.fromOpaque($0).takeUnretainedValue().take() } == true ? 1 : 0 },
        Unmanaged.passUnretained(steps).toOpaque())
    }
    let failures = try await StoreContract.survivesFailures(of: store, seed: seed, rounds: 120) { step in
      steps.start(failing: step)
    } work: {
      defer { steps.start(failing: .max) }
      return steps.hasFailed
    }
    #expect(failures > 15)
    try await store.close()
    withExtendedLifetime(steps) {}
  }
}
