import Testing

/// A failure comes as its smallest sequence.
@Suite struct ShrinkingTests {
  @Test(
    "a failing sequence is cut down to the few operations that it takes",
    arguments: [
      // A click, more than seven days, an event that matches although it must not.
      (Mutation.expiryForgotten, Violation.Judge.referee, Promise.nothingAfterExpiry.rawValue, 3),
      // A click and an event; the end of the run does the rest.
      (.dueADayEarly, .referee, Promise.notBeforeADay.rawValue, 2),
      // A click, an event, the clearing of a site.
      (.clearingForgetsAttributions, .referee, Promise.nothingOfACleared.rawValue, 3),
      // Private browsing, a click, an event, private browsing off.
      (.privateSessionSurvives, .referee, Promise.nothingOfAnEndedSession.rawValue, 4),
      // A click with two events of equal priority.
      (.tieGoesToTheLater, .model, "answer", 3),
      // A click and an event, after which the table still has the click.
      (.matchedClickStays, .model, "tables", 2),
    ])
  func smallest(_ mutation: Mutation, _ judge: Violation.Judge, _ check: String, _ count: Int) async throws {
    func violation(_ plan: Plan) async throws -> Violation? {
      try await Simulation(plan: plan, mutation: mutation, judges: [judge]).run().violation
    }
    let (plan, failure) = try #require(try await firstFailure(check, violation))
    var shrinking = Shrinking(violation: violation)
    let smallest = try await shrinking.shrink(plan, failing: failure)
    #expect(plan.operations.count > 2 * count)
    #expect(smallest.operations.count == count, "\(smallest.text())")
    let again = try #require(try await violation(smallest))
    #expect(again.check == check)
    #expect(try await Simulation(plan: smallest).run().violation == nil, "without the mutation nothing is wrong")
    let report = again.report(of: plan)
    #expect(report.contains(check) && report.contains("PCM_SIMULATION_SEED=\(plan.seed) scripts/test"))
  }

  /// Within plans that start in the normal session, so that none of the operations can be in the head.
  private func firstFailure(
    _ check: String, _ violation: (Plan) async throws -> Violation?
  ) async throws -> (Plan, Violation)? {
    for seed in 1...100 as ClosedRange<UInt64> {
      let plan = Plan(seed: seed).inMemory
      guard !plan.startsPrivate, let failure = try await violation(plan), failure.check == check else { continue }
      return (plan, failure)
    }
    return nil
  }
}
