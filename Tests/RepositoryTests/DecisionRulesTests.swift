import Testing

@Suite("decision records")
struct DecisionRulesTests {
  private static let text = "# Title\n\n**Context.** A\nb.\n\n**Decision.** C.\n\n**Consequence.** D.\n"

  @Test("records are numbered without gaps, at most 45, and have three parts")
  func records() async throws {
    let repository = try await Repository()
    let records = try repository.paths.filter { $0.contains("/Documentation.docc/Decisions/") }.map(repository.file)
    #expect(records.count > 10)
    expectNone(decisionFindings(in: records))
  }

  @Test("a gap, a record without a part, and the record after the 45th are found")
  func faults() {
    let names = (1...46).map { $0 < 10 ? "00\($0)-x.md" : "0\($0)-x.md" }
    let records = names.map { SourceFile($0, Self.text) }
    #expect(decisionFindings(in: Array(records.prefix(45))) == [])
    #expect(decisionFindings(in: records) == [Finding("046-x.md", rule: "more than 45 decision records")])
    #expect(
      decisionFindings(in: [records[1]]) == [
        Finding("002-x.md", rule: "name of a decision record", "expected 001-title.md")
      ])
    let incomplete = SourceFile("001-x.md", "# Title\n\n**Context.** A.\n\n**Decision.** C.\n")
    #expect(
      decisionFindings(in: [incomplete]) == [
        Finding(
          "001-x.md", rule: "parts of a decision record", "expected a title, Context, Decision, and Consequence")
      ])
  }
}
