import Foundation
import Testing

/// The page and the tests it names, held against each other.
@Suite struct LedgerPageTests {
  @Test("Each row of the page names a test or a scenario that exists", arguments: try Ledger.load().rows)
  func testExists(_ row: Ledger.Row) throws {
    let scenario = Ledger.root.appendingPathComponent("Fixtures/scenarios/\(row.test).yaml")
    guard !FileManager.default.fileExists(atPath: scenario.path) else { return }
    let name = row.test.split(separator: ".").map(String.init)
    try #require(name.count == 2, "\(row.difference): \(row.test)")
    #expect(try Self.sources(of: name[0]).contains { $0.contains("func \(name[1])(") }, "\(row.test)")
  }

  @Test("Each test of a difference has its row")
  func rowExists() throws {
    let source = try #require(try Self.sources(of: "LedgerTests").first)
    let functions = source.split(separator: "\n").compactMap { line -> Substring? in
      guard line.hasPrefix("  func ") || line.hasPrefix("  @Test func ") else { return nil }
      return line.split(separator: "func ").last?.split(separator: "(").first
    }
    let named = try Ledger.load().rows.map(\.test).filter { $0.hasPrefix("LedgerTests.") }
    #expect(Set(named) == Set(functions.map { "LedgerTests.\($0)" }))
  }

  @Test("A capture is in one row at most, and each one exists")
  func captures() throws {
    let captures = try Ledger.load().rows.flatMap(\.captures)
    let verdicts = try Verdicts.load()
    #expect(captures.count == Set(captures).count)
    #expect(Set(captures).isSubset(of: verdicts.links.map(\.id) + verdicts.triggers.map(\.id)))
  }

  /// Several targets may have a suite of this name.
  private static func sources(of suite: String) throws -> [String] {
    let tests = Ledger.root.appendingPathComponent("Tests")
    let paths = FileManager.default.enumerator(atPath: tests.path)?.compactMap { $0 as? String } ?? []
    return try paths.filter { $0.hasSuffix("/\(suite).swift") }
      .map { try String(contentsOf: tests.appendingPathComponent($0), encoding: .utf8) }
  }
}
