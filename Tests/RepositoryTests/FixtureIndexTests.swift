import Testing

@Suite("fixtures")
struct FixtureIndexTests {
  @Test("every fixture has a row with its origin and licence, and every row a fixture")
  func tree() async throws {
    let repository = try await Repository()
    let folder = "Fixtures/"
    let fixtures = repository.paths.filter { $0.hasPrefix(folder) }.map { String($0.dropFirst(folder.count)) }
    #expect(fixtures.contains("INDEX.md"))
    let index = try FixtureIndex(text: repository.file("Fixtures/INDEX.md").text)
    let found = fixtureFindings(index: index, fixtures: fixtures.filter { $0 != "INDEX.md" })
    expectNone(found)
  }

  static let text = """
    | file | origin | licence |
    | --- | --- | --- |
    | `vectors/a.json` | RFC 9474 | Trust Legal Provisions |
    | `manifests/` | written here | Apache-2.0 |
    | `pages/*.html` | written here | Apache-2.0 |
    """

  @Test(
    "a row covers a file, a folder or a pattern",
    arguments: [
      ("vectors/a.json", true), ("manifests/deep/Info.plist", true), ("pages/a.html", true), ("vectors/b.json", false),
      ("vectors/a.json.bak", false), ("pages/deep/a.html", false), ("pages/a.css", false), ("manifests", false),
    ])
  func covering(path: String, isCovered: Bool) {
    #expect(FixtureIndex(text: Self.text).rows.contains { $0.covers(path) } == isCovered)
  }

  @Test("a fixture without a row and a row without a fixture are found")
  func missing() {
    let fixtures = ["vectors/a.json", "manifests/a.plist", "vectors/new.json"]
    let found = fixtureFindings(index: FixtureIndex(text: Self.text), fixtures: fixtures)
    #expect(
      found == [
        Finding("Fixtures/vectors/new.json", rule: "fixture without a row in the index"),
        Finding("Fixtures/INDEX.md", line: 5, rule: "row without a fixture", "pages/*.html"),
      ])
  }

  @Test(
    "a row without an origin or a licence is found",
    arguments: ["| `a` | | MIT |", "| `a` | here | |", "| `a` | here |", "| `a` |"])
  func incomplete(row: String) {
    let found = fixtureFindings(index: FixtureIndex(text: row), fixtures: ["a"])
    #expect(found == [Finding("Fixtures/INDEX.md", line: 1, rule: "row without origin or licence", "a")])
  }
}
