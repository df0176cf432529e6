import Testing

@testable import PCMEndpoint

@Suite("Each flaw of an endpoint fails its rule")
struct FlawTests {
  static let flaws =
    Flaw.ofTheEndpoint + Flaw.ofTheCertificate + Flaw.ofReports + Flaw.ofBodies + Flaw.ofKeys + Flaw.ofSigning + Flaw.ofTokens
    + Flaw.ofPixels

  @Test("A good endpoint passes without findings")
  func good() async throws {
    let report = try await Checkup().run()
    #expect(report.grade == .pass, "\(report.failures)")
    #expect(
      report.findings.filter { $0.verdict != .passed }.map(\.verdict) == [.notApplicable("no other values were given")])
    #expect(report.findings.map(\.rule) == CheckCatalog.rules(of: .report))
  }

  @Test("A good endpoint passes with given values, too")
  func goodWithGivenValues() async throws {
    var checkup = try Checkup()
    checkup.options.subjects.sourceIDs = [200, 12]
    let report = try await checkup.run()
    #expect(
      report.findings.allSatisfy { $0.verdict == .passed }, "\(report.findings.filter { $0.verdict != .passed })")
  }

  @Test("A flaw fails one rule, and rules that depend on it are not reached", arguments: flaws)
  func flaw(_ flaw: Flaw) async throws {
    var checkup = try Checkup()
    try flaw.make(&checkup)
    let report = try await checkup.run()
    #expect(report.failed == [flaw.rule], "\(report.failures)")
    for finding in report.findings {
      if case .notReached(let root) = finding.verdict { #expect(root == flaw.rule, "\(finding.rule.id)") }
    }
    let severity = CheckCatalog.rules(of: .report).first { $0.id == flaw.rule }?.severity
    #expect(report.grade == (severity == .error ? .fail : .passWithWarnings))
    #expect(report.sentRequests <= report.plannedRequests)
  }

  @Test("Every rule has a flaw that fails it")
  func everyRule() {
    #expect(Set(Self.flaws.map(\.rule)) == Set(CheckCatalog.rules(of: .report).map(\.id)))
  }
}
