import PCMScenario
import Testing

/// Hostile text from a network is an error with a place, on a small stack.
@Suite struct HostileTextTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]
    /// A part of the error.
    let detail: String

    init(_ name: String, _ text: String, _ detail: String) {
      self.init(name, Array(text.utf8), detail)
    }

    init(_ name: String, _ bytes: [UInt8], _ detail: String) {
      testDescription = name
      self.bytes = bytes
      self.detail = detail
    }
  }

  static let many = 100_000
  static let nesting: [Case] = [
    Case("brackets", String(repeating: "[", count: many), "at most 32 open brackets"),
    Case("brackets, closed", String(repeating: "[", count: many) + String(repeating: "]", count: many), "open brackets"),
    Case("braces", String(repeating: "{", count: many), "open brackets"),
    Case("braces with names", String(repeating: "{a: ", count: many / 2), "open brackets"),
    Case("braces as names", String(repeating: "{", count: many) + String(repeating: ": a}", count: many / 4), "open brackets"),
    Case("pairs in lists", String(repeating: "[a: ", count: many / 2), "open brackets"),
    Case("brackets in lines", String(repeating: "[\n", count: many), "open brackets"),
    Case("block lists", String(repeating: "- ", count: many), "96 columns of indentation"),
    Case("block lists with tabs", String(repeating: "-\t", count: many), "96 columns"),
    Case("names with question marks", String(repeating: "? ", count: many), "96 columns"),
    Case("indented names", (0..<600).map { String(repeating: " ", count: $0) + "a:" }.joined(separator: "\n"), "96 columns"),
    Case("brackets behind closers in double quotes", String(repeating: "[\"]\", ", count: many / 8), "open brackets"),
    Case("brackets behind closers in single quotes", String(repeating: "[']', ", count: many / 8), "open brackets"),
    Case("brackets behind closers in comments", String(repeating: "[ # ]\n", count: many / 8), "open brackets"),
    Case("brackets behind escaped quotes", String(repeating: "[\"\\\"]\", ", count: many / 8), "open brackets"),
    Case("brackets behind doubled quotes", String(repeating: "[''']', ", count: many / 8), "open brackets"),
    Case("brackets behind quotes in words", String(repeating: "[it's, ", count: many / 8), "open brackets"),
  ]

  static let limits: [Case] = [
    Case("96 columns and 32 pairs", Self.deepest, "at most 32 nested lists and objects"),
    Case(
      "one line of many values", "{scenario: [" + String(repeating: "1,", count: 60_000) + "]}",
      "of 1 to 200 bytes of printable characters"),
    Case("one line of many names", "{" + (0..<20_000).map { "n\($0): 1," }.joined() + "}", "expected scenario, rule"),
    Case("48 block lists", "a: 1\nb:\n" + String(repeating: "- ", count: 48) + "x", "at most 32 nested lists and objects"),
    Case(
      "names that are lists of names that are lists",
      String(repeating: "? [", count: 30) + String(repeating: "a, ", count: 20_000) + String(repeating: "]: a", count: 30), ""),
  ]

  /// A level at each column, and two in each bracket.
  private static var deepest: String {
    (0..<96).map { String(repeating: " ", count: $0) + "a:" }.joined(separator: "\n")
      + " " + String(repeating: "[a: ", count: 32) + "b" + String(repeating: "]", count: 32)
  }

  static let texts: [Case] = [
    Case("nothing", "", "expected an object, found nothing"),
    Case("blanks", "  \n\n", "expected an object, found nothing"),
    Case("a byte order mark alone", [0xEF, 0xBB, 0xBF], "expected an object, found nothing"),
    Case("a NUL", "scenario: a\0b", "U+0000"),
    Case("NULs", [UInt8](repeating: 0, count: many), "U+0000"),
    Case("invalid UTF-8", [0x61, 0x3A, 0x20, 0xFF, 0xFE], "expected text in UTF-8"),
    Case("UTF-8 that is cut", Array("scenario: ä".utf8.dropLast()), "expected text in UTF-8"),
    Case("a surrogate", [0x61, 0x3A, 0xED, 0xA0, 0x80], "expected text in UTF-8"),
    Case("UTF-16", [0xFF, 0xFE, 0x61, 0x00], "expected text in UTF-8"),
    Case("a carriage return alone", "scenario: a\rsteps: []", "U+000D"),
    Case("a line separator", "scenario: a\u{2028}b", "U+2028"),
    Case("an escape sequence", "scenario: \u{1B}[2J", "U+001B"),
    Case("too much", [UInt8](repeating: UInt8(ascii: "#"), count: 262_145), "at most 262144 bytes, found more"),
    Case("an anchor", "scenario: &a x", "no anchors"),
    Case("an anchored object", "scenario: a\nbrowser: &a\n  seed: x", "no anchors"),
    Case("an alias", "scenario: &a x\nrule: *a", "no anchors and aliases, found &a and *a"),
    Case("an alias of nothing", "scenario: *a", "undefined alias"),
    Case("aliases of aliases", Self.laughs, "no anchors and aliases"),
    Case("a tag", "scenario: !!str 12", "no tags"),
    Case("a tag that says nothing", "scenario: ! 12", "no tags"),
    Case("a tagged list", "scenario: a\nsteps: !x [{ at: PT1H }]", "no tags"),
    Case("a merged object", "scenario: a\nbrowser: { <<: { seed: x } }", "no merge keys"),
    Case("two documents", "scenario: a\n---\nscenario: b", "expected one document, found another one"),
    Case("a member twice", "scenario: a\nscenario: b", "expected each member once, found \"scenario\" again"),
    Case("a member twice, once in quotes", "scenario: a\n\"scenario\": b", "expected each member once"),
    Case("a number as a name", "scenario: a\n12: b", "a string as a member's name"),
    Case("null as a name", "scenario: a\n~: b", "a string as a member's name"),
    Case("a list as a name", "scenario: a\n[x, y]: b", "a string as a member's name"),
    Case("a tab as indentation", "browser:\n\tseed: x", "line 2 is indented with a tab; YAML allows only spaces"),
    Case("a tab behind spaces", "steps:\n  - at: PT1H\n  \texpect: {}", "line 3 is indented with a tab"),
    Case("a tab under a list", "steps:\n\t- at: PT1H\n", "line 2 is indented with a tab"),
    Case("a tab in the first line", "\tscenario: a\n", "line 1 is indented with a tab"),
    Case("a tab between braces and another mistake", "{\n\t\"scenario\": \"a\"\n\t\"steps\": []\n}", "expected YAML or JSON"),
    Case("an open bracket", "steps: [", "expected YAML or JSON"),
    Case("an open quote", "scenario: \"a", "expected YAML or JSON"),
    Case("half of a pair of surrogates", #"{"scenario": "\ud800"}"#, "expected YAML or JSON"),
    Case("a directive", "%YAML 3.7\n---\nscenario: a", "expected YAML or JSON"),
    Case("a large number", "scenario: 9223372036854775808", "an integer of at most 64 bits"),
    Case("a text", "hello", "expected an object, found \"hello\""),
  ]

  private static var laughs: String {
    let lines = (1..<10).map { level in
      "b\(level): &b\(level) [" + Array(repeating: "*b\(level - 1)", count: 9).joined(separator: ", ") + "]"
    }
    return "b0: &b0 [x]\n" + lines.joined(separator: "\n") + "\n? *b9\n: x\n"
  }

  @Test("Hostile text is an error with a place", arguments: nesting + limits + texts)
  func hostile(_ text: Case) throws {
    let found = errorsOnSmallStack(text.bytes)
    let first = try #require(found.first, "\(text.testDescription)")
    #expect(first.detail.contains(text.detail), "\(text.testDescription): \(first.detail)")
    #expect(isInside(first.place, text.bytes), "\(text.testDescription): \(first.place)")
  }

  @Test(
    "Unusual but valid files are accepted",
    arguments: [
      "body: \"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"", "body: '{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{'",
      "body: \"&a &b *c\"", "body: a & b *c", "body: \"\\\"[\" # it's [ {", "body: 'it''s [[[ '",
      "body: \"\\U0001F600\\/ \\x41\"",
      "body: > # [[[[\n  it's\n", "body: |\n  [{ it's \" }]",
    ])
  func harmless(_ body: String) {
    let step = "  - sites:\n      shop.example:\n        report:\n          " + body.replacing("\n", with: "\n          ")
    #expect(errors("scenario: a\nsteps:\n" + Array(repeating: step, count: 60).joined(separator: "\n") + "\n") == [])
  }

  @Test("A byte order mark, CRLF line endings, and JSON are accepted")
  func otherForms() throws {
    let good = try scenario(goodFile)
    let windows = [0xEF, 0xBB, 0xBF] + Array(goodFile.replacing("\n", with: "\r\n").utf8)
    let other = try ScenarioReader().read(windows)
    #expect(other.steps.map(\.place) == good.steps.map(\.place))
    #expect(other.steps.map { $0.expectation?.json } == good.steps.map { $0.expectation?.json })
    let json = #"{"scenario":"a","steps":[\#n\#t{"at":"PT1H"},{"expect":{"reasons":["a-b"],"nothing":true}}]}"#
    #expect(try scenario(json).steps.map(\.place.column) == [2, 16])
  }
}

/// Lines and columns count from 1; the end of a line, and of the file, is inside.
func isInside(_ place: SourcePlace, _ file: [UInt8]) -> Bool {
  let text = file.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(file.dropFirst(3)) : file
  let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  guard lines.indices.contains(place.line - 1), place.column >= 1 else { return false }
  return place.column <= String(decoding: lines[place.line - 1], as: UTF8.self).unicodeScalars.count + 1
}
