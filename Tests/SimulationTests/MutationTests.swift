import Testing

/// The judges themselves: each rule that is broken on purpose is found, and by the check that is there for it.
@Suite struct MutationTests {
  /// The check that finds a mutation. `byReferee` is nil for rules that the referee does not know: none of their decisions
  /// breaks a promise. `byModel` is nil for the times of reports, which the model ignores.
  struct Expectation: CustomTestStringConvertible {
    let mutation: Mutation
    let byReferee: Promise?
    let byModel: String?

    var testDescription: String { mutation.rawValue }
  }

  /// A mutation has to show within so many seeds.
  private static let seeds = 1...400 as ClosedRange<UInt64>

  @Test("every mutation has an expectation, and at least ten are the referee's")
  func everyMutation() {
    #expect(Set(Self.expectations.map(\.mutation)) == Set(Mutation.allCases))
    #expect(Self.expectations.filter { $0.byReferee != nil }.count >= 10)
    #expect(Self.expectations.allSatisfy { $0.byReferee != nil || $0.byModel != nil })
  }

  @Test("the referee finds a broken rule by the promise that it breaks", arguments: expectations.filter { $0.byReferee != nil })
  func referee(_ expectation: Expectation) async throws {
    let found = try await Self.find(expectation.mutation, by: .referee, expectation.byReferee?.rawValue)
    #expect(found?.check == expectation.byReferee?.rawValue, "\(found?.detail ?? "nothing was found")")
  }

  @Test("the model finds a broken rule", arguments: expectations.filter { $0.byModel != nil })
  func model(_ expectation: Expectation) async throws {
    let found = try await Self.find(expectation.mutation, by: .model, expectation.byModel)
    #expect(found?.check == expectation.byModel, "\(found?.detail ?? "nothing was found")")
  }

  /// Returns the expected violation, or else the last other violation. A broken rule may break several promises.
  private static func find(
    _ mutation: Mutation, by judge: Violation.Judge, _ expected: String?
  ) async throws -> Violation? {
    var other: Violation?
    for seed in seeds {
      let run = try await Simulation(plan: Plan(seed: seed).inMemory, mutation: mutation, judges: [judge]).run()
      guard let violation = run.violation else { continue }
      if violation.check == expected { return violation }
      other = violation
    }
    return other
  }

  private static let expectations = [
    Expectation(mutation: .expiryForgotten, byReferee: .nothingAfterExpiry, byModel: "tables"),
    Expectation(mutation: .expiryADayEarly, byReferee: nil, byModel: "answer"),
    Expectation(mutation: .matchedClickStays, byReferee: .oneAClick, byModel: "tables"),
    Expectation(mutation: .heldClickStays, byReferee: .onlyTheNewest, byModel: "tables"),
    Expectation(mutation: .newestClickIgnored, byReferee: .onlyTheNewest, byModel: "tables"),
    Expectation(mutation: .appsAreMixed, byReferee: .appsAreApart, byModel: "answer"),
    Expectation(mutation: .priorityReversed, byReferee: nil, byModel: "answer"),
    Expectation(mutation: .tieGoesToTheLater, byReferee: nil, byModel: "answer"),
    Expectation(mutation: .halfSentIsChanged, byReferee: .oneAClick, byModel: "answer"),
    Expectation(mutation: .dueADayEarly, byReferee: .notBeforeADay, byModel: "tables"),
    Expectation(mutation: .gapLost, byReferee: .oneARound, byModel: nil),
    Expectation(mutation: .sentMarkLost, byReferee: .oncePerRecipient, byModel: "sending"),
    Expectation(mutation: .destinationForgotten, byReferee: .nothingIsForgotten, byModel: "tables"),
    Expectation(mutation: .bodyNamesAnotherSite, byReferee: .onlyWhatWasMeasured, byModel: "tables"),
    Expectation(mutation: .retryLost, byReferee: .reliableDelivers, byModel: "tables"),
    Expectation(mutation: .clearingForgetsClicks, byReferee: .nothingOfACleared, byModel: "tables"),
    Expectation(mutation: .clearingForgetsAttributions, byReferee: .nothingOfACleared, byModel: "tables"),
    Expectation(mutation: .clearingForgetsRetries, byReferee: .nothingOfACleared, byModel: "tables"),
    Expectation(mutation: .clearingForgetsWhatIsUnderWay, byReferee: .nothingOfACleared, byModel: "tables"),
    Expectation(mutation: .privateSessionSurvives, byReferee: .nothingOfAnEndedSession, byModel: "tables"),
    Expectation(mutation: .privateClickLeaks, byReferee: .nothingOfAnEndedSession, byModel: "tables"),
    Expectation(mutation: .slotsAreShared, byReferee: .sessionsAreApart, byModel: "answer"),
    Expectation(mutation: .debugDelayHalved, byReferee: .debugTimeline, byModel: nil),
    Expectation(mutation: .requestCarriesCookie, byReferee: .browsersRequest, byModel: nil),
    Expectation(mutation: .clockNotKept, byReferee: .clockGoesOn, byModel: nil),
    Expectation(mutation: .settingsNotKept, byReferee: .settingsHold, byModel: "tables"),
    Expectation(mutation: .refusedWriteStays, byReferee: .refusalChangesNothing, byModel: "tables"),
    Expectation(mutation: .slotLostAtRestart, byReferee: .restartLosesNothing, byModel: "tables"),
    Expectation(mutation: .timerLostAtRestart, byReferee: .nothingIsForgotten, byModel: nil),
    Expectation(mutation: .interruptedIsSentAgain, byReferee: .oncePerRecipient, byModel: "tables"),
  ]
}
