import Testing

/// Unreached code is unchecked: a hundred seeds meet every answer and every kind of accident.
@Suite struct CoverageTests {
  private static let expected: Set<String> = [
    "stored", #"stored ["click-replaced"]"#, "ephemeral", #"ephemeral ["held-click-replaced"]"#, #"discarded ["same-site"]"#,
    #"discarded ["measurement-disabled"]"#, "attributed", #"unmatched ["no-click"]"#, #"unmatched ["click-expired"]"#,
    #"unmatched ["other-destination"]"#, #"unmatched ["other-app"]"#, #"unmatched ["already-reported"]"#,
    #"unmatched ["lower-or-equal-priority"]"#, #"unmatched ["held-click-mismatch"]"#, #"unmatched ["held-click-expired"]"#,
    #"unmatched ["no-held-click"]"#, #"rejected ["data-invalid"]"#, #"rejected ["measurement-disabled"]"#,
    #"rejected ["redirect-not-same-site"]"#, #"rejected ["same-site-needs-source"]"#,
    #"rejected ["cross-site-forbids-source"]"#, "report delivered", "report not delivered", "report the process died",
    "done while a report was under way", "refused, move: true", "refused, move: false", "crashed, move: true",
    "crashed, move: false",
  ]

  @Test("a hundred seeds meet every answer, refusals and crashes within a move of the clock and outside of one")
  func everything() async throws {
    var met: Set<String> = []
    for seed in 1...100 as ClosedRange<UInt64> {
      met.formUnion(try await Simulation(plan: Plan(seed: seed).inMemory, judges: []).run().coverage.keys)
    }
    #expect(Self.expected.subtracting(met).isEmpty)
  }
}
