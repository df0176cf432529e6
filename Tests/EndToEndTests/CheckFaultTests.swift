import PCMCheck
import PCMCore
import PCMDelivery
import Testing

/// Each fault of the reference endpoint against the rule that is meant for it. No other rule fails: what cannot be seen
/// for the fault is not reached, and says because of which rule.
@Suite(.timeLimit(.minutes(10)), .serialized) struct CheckFaultTests {
  typealias Row = FaultRow

  static let reports: [Row] = [
    Row(#"{"on":"report","fault":"status","status":503}"#, "report-status-is-2xx"),
    Row(#"{"on":"report","fault":"status","status":403}"#, "report-status-is-2xx"),
    Row(#"{"on":"report","fault":"status","status":404}"#, "report-path-is-served"),
    Row(#"{"on":"report","fault":"status","status":405}"#, "report-post-is-accepted"),
    Row(#"{"on":"report","fault":"redirect","status":307}"#, "report-is-not-redirected"),
    Row(#"{"on":"report","fault":"delay","milliseconds":2100}"#, "report-is-answered-within-2-seconds"),
    Row(#"{"on":"report","fault":"reset-before-body"}"#, "report-is-answered"),
    Row(#"{"on":"report","fault":"reset-after-body"}"#, "report-is-answered"),
    Row(#"{"on":"report","fault":"stream-reset"}"#, "report-is-answered"),
    // Wrong with the sixty-first alone, which is one of the many at once.
    Row(
      #"{"on":"report","fault":"delay","milliseconds":0,"times":60},{"on":"report","fault":"status","times":1}"#,
      "many-reports-at-once-are-accepted"),
  ]

  static let tokens: [Row] = [
    Row(#"{"on":"key","fault":"status","status":503}"#, "key-is-served"),
    // Without --tokens required this is an endpoint that offers no tokens.
    Row(#"{"on":"key","fault":"redirect"}"#),
    Row(#"{"on":"key","fault":"delay","milliseconds":2100}"#, "key-is-answered-within-2-seconds"),
    Row(#"{"on":"key","fault":"trickle","milliseconds":8}"#, "key-is-answered-within-2-seconds"),
    Row(#"{"on":"key","fault":"reset-before-body"}"#, "key-is-answered"),
    Row(#"{"on":"key","fault":"reset-after-body"}"#, "key-is-answered"),
    Row(#"{"on":"key","fault":"stream-reset"}"#, "key-is-answered"),
    Row(#"{"on":"key","fault":"wrong-key"}"#, "signature-verifies"),
    Row(
      #"{"on":"key","fault":"delay","milliseconds":0,"times":1},{"on":"key","fault":"wrong-key","times":1}"#,
      "key-is-the-same-for-everybody"),
    Row(#"{"on":"sign","fault":"status","status":404}"#, "sign-path-is-served"),
    Row(#"{"on":"sign","fault":"status","status":503}"#, "valid-nonces-are-signed"),
    Row(#"{"on":"sign","fault":"redirect","status":302}"#, "sign-requests-are-not-redirected"),
    Row(#"{"on":"sign","fault":"delay","milliseconds":2100}"#, "sign-requests-are-answered-within-2-seconds"),
    Row(#"{"on":"sign","fault":"trickle","milliseconds":8}"#, "sign-requests-are-answered-within-2-seconds"),
    Row(#"{"on":"sign","fault":"reset-before-body"}"#, "sign-requests-are-answered"),
    Row(#"{"on":"sign","fault":"reset-after-body"}"#, "sign-requests-are-answered"),
    Row(#"{"on":"sign","fault":"stream-reset"}"#, "sign-requests-are-answered"),
    Row(#"{"on":"sign","fault":"forged-signature"}"#, "signature-verifies"),
    Row(#"{"on":"sign","fault":"short-signature"}"#, "signature-is-as-long-as-the-key"),
  ]

  static let pixels: [Row] = [
    Row(#"{"on":"pixel","fault":"status","status":500}"#, "pixel-redirects"),
    Row(#"{"on":"pixel","fault":"redirect"}"#, "pixel-redirects-to-a-trigger"),
    Row(
      #"{"on":"pixel","fault":"redirect","location":"https://elsewhere.example/.well-known/private-click-measurement/trigger-attribution/12"}"#,
      "pixel-redirect-is-same-site"),
    Row(#"{"on":"pixel","fault":"delay","milliseconds":2100}"#, "pixel-is-answered-within-2-seconds"),
    Row(#"{"on":"pixel","fault":"reset-before-body"}"#, "pixel-is-answered"),
    Row(#"{"on":"pixel","fault":"reset-after-body"}"#, "pixel-is-answered"),
    Row(#"{"on":"pixel","fault":"stream-reset"}"#, "pixel-is-answered"),
    // The redirect has no body that could trickle, and nobody looks at the trigger's own answer.
    Row(#"{"on":"pixel","fault":"trickle"}"#),
    Row(#"{"on":"trigger","fault":"status"}"#),
    Row(#"{"on":"trigger","fault":"reset-before-body"}"#),
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

  /// Without the many reports at once, which have nothing to do with these and take most of the time.
  @Test(arguments: tokens + pixels)
  func aFaultElsewhereFailsTheRuleThatIsMeantForIt(_ row: Row) async throws {
    try await row.check { options in
      options.rules = CheckCatalog.rules.map(\.id).filter { $0 != "many-reports-at-once-are-accepted" }
    }
  }
}
