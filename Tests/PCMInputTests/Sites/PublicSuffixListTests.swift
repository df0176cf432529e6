import Foundation
import PCMCore
import PCMInput
import Testing

@Suite struct PublicSuffixListTests {
  @Test("The parser passes the test vectors of the public suffix list", arguments: try vectors())
  func vector(_ vector: Vector) throws {
    let url = try? parser.url("https://\(vector.input)/")
    let found = url.flatMap { $0.hasRegistrableDomain ? $0.site : nil }
    #expect(try found == vector.expected.map { Site(try parser.url("https://\($0)/").host) }, "\(vector)")
  }

  @Test("All test vectors are read")
  func vectorsAreRead() throws {
    #expect(try Self.vectors().count > 70)
  }

  @Test("A list from a file replaces the built-in list")
  func file() throws {
    let path = try write("// ===BEGIN ICANN DOMAINS===\nexample\nshop.example\n// ===END ICANN DOMAINS===\n")
    let parser = SiteParser(publicSuffixList: try PublicSuffixList(file: path))
    #expect(parser.site(ofHost: "a.b.shop.example").site == Site("b.shop.example"))
    #expect(!parser.site(ofHost: "shop.example").isRegistrableDomain)
  }

  @Test("A file without a list is an error with the file's path")
  func notAList() throws {
    let page = try write("<html>not found</html>")
    #expect(throws: PublicSuffixListError(file: page, reason: .notAList)) { try PublicSuffixList(file: page) }
    let empty = try write("// ===BEGIN ICANN DOMAINS===\n")
    #expect(throws: PublicSuffixListError(file: empty, reason: .empty)) { try PublicSuffixList(file: empty) }
    let missing = "/nowhere/list.dat"
    #expect { try PublicSuffixList(file: missing) } throws: { error in
      guard let fault = error as? PublicSuffixListError, case .unreadable = fault.reason else { return false }
      return fault.detail.contains(missing)
    }
    #expect(throws: PublicSuffixListError.self) { try PublicSuffixList(file: "/") }
  }

  private func write(_ text: String) throws -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("list-\(UUID()).dat").path
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }

  struct Vector: Sendable, CustomTestStringConvertible {
    let input: String
    /// Nil: no registrable domain.
    let expected: String?
    var testDescription: String { "\(input) -> \(expected ?? "none")" }
  }

  /// The lines `checkPublicSuffix('input', 'expected');` of the list's test file.
  static func vectors() throws -> [Vector] {
    let path = URL(filePath: #filePath).appending(path: "../../../../Fixtures/public-suffix-list/test_psl.txt").standardized
    let line = /checkPublicSuffix\((?:'(?<input>[^']*)'|null), (?:'(?<expected>[^']*)'|null)\);.*/
    return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").compactMap { text in
      guard let match = text.wholeMatch(of: line) else { return nil }
      return Vector(input: String(match.input ?? ""), expected: match.expected.map(String.init))
    }
  }
}
