import PCMCore
import PCMNetwork
import Testing

@testable import PCMEndpoint

/// Faults of the reference endpoint, of each kind that only a network has, fail their rules, and no others. Rules that cannot be
/// evaluated are not reached and name the failed rule.
@Suite(.timeLimit(.minutes(10)), .serialized) struct CheckFaultTests {
  typealias Row = FaultRow

  static let reports: [Row] = [
    Row(#"{"on":"report","fault":"status","status":503}"#, "report-status-is-2xx"),
    Row(#"{"on":"report","fault":"delay","milliseconds":2100}"#, "report-is-answered-within-2-seconds"),
    Row(#"{"on":"report","fault":"reset-after-body"}"#, "report-is-answered"),
    // Only the sixty-first request fails, which is one of the simultaneous ones.
    Row(
      #"{"on":"report","fault":"delay","milliseconds":0,"times":60},{"on":"report","fault":"status","times":1}"#,
      "many-reports-at-once-are-accepted"),
  ]

  static let others: [Row] = [
    // Without --tokens required, this endpoint offers no tokens.
    Row(#"{"on":"key","fault":"redirect"}"#),
    Row(#"{"on":"key","fault":"trickle","milliseconds":8}"#, "key-is-answered-within-2-seconds"),
    Row(#"{"on":"key","fault":"stream-reset"}"#, "key-is-answered"),
    Row(#"{"on":"key","fault":"wrong-key"}"#, "signature-verifies"),
    Row(
      #"{"on":"key","fault":"delay","milliseconds":0,"times":1},{"on":"key","fault":"wrong-key","times":1}"#,
      "key-is-the-same-for-everybody"),
    Row(#"{"on":"sign","fault":"reset-before-body"}"#, "sign-requests-are-answered"),
    Row(#"{"on":"sign","fault":"forged-signature"}"#, "signature-verifies"),
    Row(#"{"on":"sign","fault":"short-signature"}"#, "signature-is-as-long-as-the-key"),
    Row(#"{"on":"pixel","fault":"redirect"}"#, "pixel-redirects-to-a-trigger"),
    // The redirect has no body, and the response of the trigger URL is not evaluated.
    Row(#"{"on":"pixel","fault":"trickle"}"#),
    Row(#"{"on":"trigger","fault":"status"}"#),
  ]

  @Test(arguments: reports)
  func aFaultWithReportsFailsTheRuleThatIsMeantForIt(_ row: Row) async throws {
    try await row.check()
  }

  @Test func aRedirectOfTheKeyFailsWhereTokensAreRequired() async throws {
    try await Row(#"{"on":"key","fault":"redirect"}"#, "key-is-served").check {
      $0.tokens = .required
      $0.rules = ["key-"]
    }
  }

  /// Without the simultaneous reports, which are not affected and take most of the time.
  @Test(arguments: others)
  func aFaultElsewhereFailsTheRuleThatIsMeantForIt(_ row: Row) async throws {
    try await row.check { options in
      options.rules = CheckCatalog.rules(of: .report).map(\.id).filter { $0 != "many-reports-at-once-are-accepted" }
    }
  }
}

/// Responses after the timeout.
@Suite(.timeLimit(.minutes(10)), .serialized) struct CheckSlownessTests {
  /// With shorter timeouts than a user has, so that the test is fast.
  @Test(arguments: [
    FaultRow(#"{"on":"sign","fault":"delay","milliseconds":60000}"#, "sign-requests-are-answered"),
    FaultRow(#"{"on":"pixel","fault":"delay","milliseconds":60000}"#, "pixel-is-answered"),
  ])
  func anAnswerThatComesTooLateIsAnError(_ row: FaultRow) async throws {
    try await row.check {
      $0.patience = CheckOptions.Patience(good: .seconds(2), tolerable: .seconds(3), maximum: .seconds(5))
      $0.rules = CheckCatalog.rules(of: .report).map(\.id).filter { $0 != "many-reports-at-once-are-accepted" }
    }
  }

  /// Two bytes of a valid response, and a longer response that exceeds the timeout.
  @Test func anAnswerThatTricklesIsSlow() async throws {
    let row = FaultRow(#"{"on":"report","fault":"trickle","milliseconds":2100}"#, "report-is-answered-within-2-seconds")
    try await row.check { $0.patience = CheckOptions.Patience(maximum: .seconds(9)) }
  }
}

/// A fault in the JSON of the admin API, and the rules that fail because of it.
struct FaultRow: Sendable, CustomTestStringConvertible {
  let fault: String
  let failing: [String]

  init(_ fault: String, _ failing: String...) {
    self.fault = fault
    self.failing = failing
  }

  var testDescription: String { fault }

  private var isOfTime: Bool { failing.contains { $0.hasSuffix("-within-2-seconds") } }

  /// Checks the reference endpoint with this fault.
  func check(_ change: (inout CheckOptions) throws -> Void = { _ in }) async throws {
    try await ReceiveStage.run { stage async throws in
      try await stage.order(fault)
      let report = try await stage.check { options in
        if isOfTime { options.patience = CheckOptions.Patience() }
        try change(&options)
      }
      #expect(report.failedRules == failing, "\(fault): \(report.failures)")
      #expect(report.roots.isSubset(of: failing))
      #expect(report.sentRequests <= report.plannedRequests)
    }
  }
}
