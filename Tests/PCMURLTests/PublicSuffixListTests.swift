import Foundation
import PCMCore
import PCMURL
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
    let text = "// ===BEGIN ICANN DOMAINS===\nexample\nshop.example\n// ===END ICANN DOMAINS===\n"
    let parser = SiteParser(publicSuffixList: try PublicSuffixList(Array(text.utf8)))
    #expect(parser.site(ofHost: "a.b.shop.example").site == Site("b.shop.example"))
    #expect(!parser.site(ofHost: "shop.example").isRegistrableDomain)
  }

  @Test("A file without a list is an error")
  func notAList() {
    for (text, error) in [
      ("<html>not found</html>", PublicSuffixList.ReadError.notAList), ("// ===BEGIN ICANN DOMAINS===\n", .empty),
    ] {
      #expect(throws: error) { try PublicSuffixList(Array(text.utf8)) }
    }
  }

  struct Vector: Sendable, CustomTestStringConvertible {
    let input: String
    /// Nil: no registrable domain.
    let expected: String?
    var testDescription: String { "\(input) -> \(expected ?? "none")" }
  }

  /// The lines `checkPublicSuffix('input', 'expected');` of the list's test file.
  static func vectors() throws -> [Vector] {
    let path = URL(filePath: #filePath).appending(path: "../../../Fixtures/public-suffix-list/test_psl.txt").standardized
    let line = /checkPublicSuffix\((?:'(?<input>[^']*)'|null), (?:'(?<expected>[^']*)'|null)\);.*/
    return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").compactMap { text in
      guard let match = text.wholeMatch(of: line) else { return nil }
      return Vector(input: String(match.input ?? ""), expected: match.expected.map(String.init))
    }
  }
}
