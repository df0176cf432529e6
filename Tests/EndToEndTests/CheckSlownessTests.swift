import PCMCheck
import PCMCore
import Testing

/// Answers that are later than anybody waits for, which the other faults need not wait for.
@Suite(.timeLimit(.minutes(10)), .serialized) struct CheckSlownessTests {
  /// With less patience than a user has, so that the test has not to wait for it.
  @Test(arguments: [
    FaultRow(#"{"on":"report","fault":"delay","milliseconds":3100}"#, "report-is-answered-within-10-seconds"),
    FaultRow(#"{"on":"report","fault":"delay","milliseconds":60000}"#, "report-is-answered-within-10-seconds"),
    FaultRow(#"{"on":"key","fault":"delay","milliseconds":3100}"#, "key-is-answered"),
    FaultRow(#"{"on":"sign","fault":"delay","milliseconds":60000}"#, "sign-requests-are-answered"),
    FaultRow(#"{"on":"pixel","fault":"delay","milliseconds":60000}"#, "pixel-is-answered"),
  ])
  func anAnswerThatComesTooLateIsAnError(_ row: FaultRow) async throws {
    try await row.check {
      $0.patience = CheckOptions.Patience(good: .seconds(2), tolerable: .seconds(3), most: .seconds(5))
      $0.rules = CheckCatalog.rules.map(\.id).filter { $0 != "many-reports-at-once-are-accepted" }
    }
  }

  /// Two bytes of a good answer, and more than anybody waits for of what is refused.
  @Test func anAnswerThatTricklesIsSlow() async throws {
    let row = FaultRow(#"{"on":"report","fault":"trickle","milliseconds":2100}"#, "report-is-answered-within-2-seconds")
    try await row.check { $0.patience = CheckOptions.Patience(most: .seconds(9)) }
  }
}
