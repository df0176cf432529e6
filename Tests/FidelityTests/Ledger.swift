import Foundation

/// The page that lists every known difference from WebKit.
struct Ledger {
  struct Row: Hashable {
    let difference: String
    /// `Suite.function`, or the name of a scenario.
    let test: String
    /// The captures that differ.
    let captures: [String]
  }

  let rows: [Row]

  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Reads the rows of the page's tables: eight cells, headings and rules left out.
  static func load() throws -> Ledger {
    let page = root.appendingPathComponent("Sources/PCMApp/Documentation.docc/Fidelity.md")
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("|") }
    let cells = lines.map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
    return Ledger(
      rows: cells.filter { $0.first != "Difference" && $0.first != "---" }.map { cells in
        Row(
          difference: cells[0], test: cells[6].trimmingCharacters(in: CharacterSet(charactersIn: "`")),
          captures: cells[7].split(separator: " ").map(String.init))
      })
  }

  /// The captures that a row explains.
  static let captures: Set<String> = Set((try? load().rows.flatMap(\.captures)) ?? [])
}
