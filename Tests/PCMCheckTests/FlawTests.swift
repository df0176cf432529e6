import Testing

@testable import PCMCheck

@Suite("What is wrong with an endpoint shows as the rule that is meant for it")
struct FlawTests {
  static let flaws =
    Flaw.ofTheEndpoint + Flaw.ofTheCertificate + Flaw.ofReports + Flaw.ofBodies + Flaw.ofKeys + Flaw.ofSigning + Flaw.ofTokens
    + Flaw.ofPixels

  @Test("A good endpoint passes clean")
  func good() async throws {
    let examination = try await Checkup().run()
    #expect(examination.grade == .pass, "\(examination.failures)")
    #expect(
      examination.findings.filter { $0.verdict != .passed }.map(\.verdict) == [.notApplicable("no other values were given")])
    #expect(examination.findings.map(\.rule) == CheckCatalog.rules)
  }

  @Test("A good endpoint passes with given values, too")
  func goodWithGivenValues() async throws {
    var checkup = try Checkup()
    checkup.options.subjects.sourceIDs = [200, 12]
    let examination = try await checkup.run()
    #expect(
      examination.findings.allSatisfy { $0.verdict == .passed }, "\(examination.findings.filter { $0.verdict != .passed })")
  }

  @Test("A flaw fails one rule, and what cannot be seen for it is not reached because of that rule", arguments: flaws)
  func flaw(_ flaw: Flaw) async throws {
    var checkup = try Checkup()
    try flaw.make(&checkup)
    let examination = try await checkup.run()
    #expect(examination.failed == [flaw.rule], "\(examination.failures)")
    for finding in examination.findings {
      if case .notReached(let root) = finding.verdict { #expect(root == flaw.rule, "\(finding.rule.id)") }
    }
    let severity = CheckCatalog.rules.first { $0.id == flaw.rule }?.severity
    #expect(examination.grade == (severity == .error ? .fail : .passWithWarnings))
    #expect(examination.sentRequests <= examination.plannedRequests)
  }

  @Test("Every rule has a flaw in which it fails")
  func everyRule() {
    #expect(Set(Self.flaws.map(\.rule)) == Set(CheckCatalog.rules.map(\.id)))
  }
}
