import PostgresSupport
import Testing

@Suite(.postgresCluster) struct PostgresSeedTests {
  @Test("Random sequences have the same log on PostgreSQL as in memory, byte for byte", arguments: 1...6 as ClosedRange<UInt64>)
  func seeds(_ seed: UInt64) async throws {
    var plan = Plan(seed: seed).inMemory
    let expected = try await Simulation(plan: plan).run()
    plan.storage = .postgres
    let run = try await Simulation(plan: plan).run()
    #expect(run.violation == nil)
    #expect(run.log == expected.log)
  }
}
