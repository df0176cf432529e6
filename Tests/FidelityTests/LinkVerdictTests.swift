import PCMBrowser
import PCMCore
import Testing

/// Each captured link, followed here: the same click stored, or the same reason for storing none.
@Suite struct LinkVerdictTests {
  @Test("A followed link is judged as WebKit judged it", arguments: try Verdicts.load().links)
  func link(_ expected: LinkVerdict) async throws {
    let stage = try await Stage()
    let outcome = try await stage.click(
      page: expected.page, sourceID: expected.sourceID, destination: expected.destination, nonce: expected.nonce,
      landing: expected.landing)
    let stored = try await stage.stored().clicks
    let isSame = stored == Set([expected.stored].compactMap { $0 }) && outcome.warnings == expected.visibleWarnings(of: outcome)
    #expect(isSame != Ledger.captures.contains(expected.id), "\(outcome)")
  }
}

extension ClickRecord {
  /// The codes that WebKit writes to the console. It drops a click that lands elsewhere without a word.
  fileprivate var warnings: [String] { reasons.map(\.code).filter { $0 != "landing-site-mismatch" } }
}

extension LinkVerdict {
  /// A click that is discarded has one reason here, and a dropped nonce is not it.
  fileprivate func visibleWarnings(of outcome: ClickRecord) -> [String] {
    outcome.kind == .discarded ? warnings.filter { $0 != "nonce-invalid" } : warnings
  }
}
