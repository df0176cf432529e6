import Testing

/// Random sequences on a browser whose store and network fail now and then.
@Suite struct SeedTests {
  @Test("random sequences break no promise and go as the reference says", arguments: Seeds.batches)
  func seeds(_ batch: Seeds.Batch) async throws {
    for seed in batch.seeds { try await expectGood(Plan(seed: seed), logged: Seeds.chosen.count == 1) }
  }

  @Test("the seeds that are kept in the fixtures are still good")
  func regressions() async throws {
    let seeds = try Seeds.regressions()
    #expect(!seeds.isEmpty)
    for seed in seeds { try await expectGood(Plan(seed: seed)) }
  }

  @Test("the same seed gives the same log twice, byte for byte, and on either store", arguments: [1, 2, 20] as [UInt64])
  func sameSeed(_ seed: UInt64) async throws {
    var plan = Plan(seed: seed)
    let log = try await Simulation(plan: plan).run().log
    #expect(try await Simulation(plan: plan).run().log == log)
    plan.storage = plan.storage == .memory ? .sqlite : .memory
    #expect(try await Simulation(plan: plan).run().log == log)
    #expect(Plan(seed: seed + 100).operations != plan.operations)
  }

  private func expectGood(_ plan: Plan, logged: Bool = false) async throws {
    let run = try await Simulation(plan: plan).run()
    if logged { print(run.log.joined(separator: "\n")) }
    guard let violation = run.violation else { return }
    var shrinking = Shrinking { try await Simulation(plan: $0).run().violation }
    let smallest = try await shrinking.shrink(plan, failing: violation)
    let again = try await Simulation(plan: smallest).run().violation ?? violation
    let text = "\(violation.report(of: plan))\n\nThe smallest that was found:\n\(again.report(of: smallest))"
    Issue.record(Comment(rawValue: text))
  }
}
