/// The table in `Fixtures/INDEX.md`: where each fixture comes from and under which licence.
struct FixtureIndex {
  struct Row: Hashable {
    /// Relative to `Fixtures`: a file, a folder with a slash behind it, or a pattern with one `*` in its last part.
    let pattern: String
    let origin: String
    let licence: String
    let line: Int

    func covers(_ path: String) -> Bool {
      if pattern.hasSuffix("/") { return path.hasPrefix(pattern) }
      let parts = pattern.split(separator: "*", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return path == pattern }
      guard path.count >= pattern.count - 1, path.hasPrefix(parts[0]), path.hasSuffix(parts[1]) else { return false }
      return !path.dropFirst(parts[0].count).dropLast(parts[1].count).contains("/")
    }
  }

  let rows: [Row]

  /// A row is a line of the form `| path | origin | licence | ... |`; the path stands in backquotes, so that the heading is none.
  init(text: String) {
    rows = SourceFile("", text).lines.enumerated().compactMap { index, line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().map(\.trimmed)
      guard let path = cells.first, path.hasPrefix("`"), path.hasSuffix("`"), path.count > 2 else { return nil }
      return Row(
        pattern: String(path.dropFirst().dropLast()), origin: cells.count > 1 ? String(cells[1]) : "",
        licence: cells.count > 2 ? String(cells[2]) : "", line: index + 1)
    }
  }
}

/// Fixtures without a row, rows without a fixture, rows that leave origin or licence out. The paths are relative to `Fixtures`.
func fixtureFindings(index: FixtureIndex, fixtures: [String]) -> [Finding] {
  let path = "Fixtures/INDEX.md"
  let unnamed = fixtures.filter { fixture in !index.rows.contains { $0.covers(fixture) } }
  let idle = index.rows.filter { !fixtures.contains(where: $0.covers) }
  let incomplete = index.rows.filter { $0.origin.isEmpty || $0.licence.isEmpty }
  return unnamed.map { Finding("Fixtures/\($0)", rule: "fixture without a row in the index") }
    + idle.map { Finding(path, line: $0.line, rule: "row without a fixture", $0.pattern) }
    + incomplete.map { Finding(path, line: $0.line, rule: "row without origin or licence", $0.pattern) }
}
