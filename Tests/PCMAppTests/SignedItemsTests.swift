import PCMCore
import Testing

@testable import PCMApp

/// How `verify` divides a file into items.
@Suite struct SignedItemsTests {
  private func names(_ text: String) -> [String] { SignedItems.items(of: Array(text.utf8), file: "f").items.map(\.name) }

  private static let several: [(String, [Int])] = [
    ("{\n \"a\": 1\n}\n{\n \"b\": \"}\\\"{\"\n}\n", [1, 4]), ("{\"a\":1}\n\n \r\n{\"b\":2}\n", [1, 4]),
    ("{\"a\":1}{\"b\":2}", [1, 1]), ("\n{\n\"a\":1\n},\n{\"b\":2}\n", [2, 5]), ("{\"a\":1}\n---\n{\"b\":2}", [1, 3]),
    ("[{\"a\":1}]\n{\"b\":2}", [1, 2]), ("\u{1E}{\"a\":1}\n\u{1E}{\"b\":2}\n", [1, 2]), ("{\n\"a\":1\n}\neyJ.eyJ.a\n", [1, 4]),
    ("eyJ.eyJ.a\neyJ.eyJ.b\n", [1, 2]), ("Bearer eyJ.eyJ.a\n\njws=eyJ.eyJ.b\n", [1, 3]), ("{\"a\":1}\n{\n", [1, 2]),
    ("{\"a\":1}\n{\"b\":2\n{\"c\":3}\n", [1, 2, 3]), ("Listening\n12:00 INFO {\"a\":1}\n\n12:01 {\"b\":2}\n", [1, 2, 4]),
    ("[12:00] {\"a\":1}\n[12:01] {\"b\":2}\n", [1, 2]), ("msg=\"x\" body={\"a\":1}\nmsg=\"y\" body={\"b\":2}", [1, 2]),
  ]

  @Test("JSON texts one after another, and lines, are several items", arguments: several.indices)
  func severalItems(_ index: Int) {
    let (text, lines) = Self.several[index]
    #expect(names(text) == lines.map { "f:\($0)" }, "\(text)")
  }

  /// Lines of Docker as their streams and texts, where `…` is a text of 16 KiB, and the lines of the items with their texts.
  private static let split: [(lines: [(String, String)], items: [(Int, String)])] = [
    ([("stdout", "…"), ("stdout", "…"), ("stdout", "y\n")], [(1, "……y\n")]),
    ([("stdout", "…"), ("stderr", "e\n"), ("stdout", "y\n")], [(2, "e\n"), (1, "…y\n")]),
    ([("stdout", "…"), ("stderr", "…"), ("stdout", "y\n"), ("stderr", "…")], [(1, "…y\n"), (2, "……")]),
    ([("stdout", "a\n"), ("stdout", "…")], [(1, "a\n"), (2, "…")]),
    (
      [("stdout", "short"), ("stdout", "y\n"), ("stdout", "…\n"), ("stdout", "z\n")],
      [(1, "short"), (2, "y\n"), (3, "…\n"), (4, "z\n")]
    ),
    ([("other", "…"), ("other", "y\n")], [(1, "…"), (2, "y\n")]),
  ]

  @Test("A text that Docker divides after 16 KiB is one item", arguments: split.indices)
  func splitLines(_ index: Int) throws {
    let (lines, expected) = Self.split[index]
    let part = String(repeating: "x", count: 16_384)
    let texts = lines.map { stream, text in
      (["log": .string(text.replacing("…", with: part)), "stream": .string(stream), "time": "t"] as JSON).text + "\n"
    }
    let items = SignedItems.items(of: Array(texts.joined().utf8), file: "f").items
    #expect(items.map(\.line) == expected.map(\.0))
    #expect(items.map { JSON(parsing: $0.bytes)?["log"]?.string?.replacing(part, with: "…") } == expected.map(\.1))
  }

  @Test(
    "Any other text is one item",
    arguments: [
      "{\"a\":1}", "{\n \"a\": 1\n}\n", "[{\"a\":1},\n{\"b\":2}]", "{\n \"a\": 1\n \"b\": 2\n}\n",
      "(\n\"a\": {\"c\":1}\n\"b\": {\"d\":2}\n)", "eyJ.eyJ.a\n",
      "eyJ.\neyJ.a\n",
      "POST /postbacks HTTP/1.1\nHost: x.example.com\n\n{\"a\":1}", "Host: x.example.com\n\n{\"a\":1}",
      "POST /a HTTP/1.1\nAuthorization: Bearer eyJ.eyJ.a\n\n", "version=3.0&app-id=1", "",
    ])
  func oneItem(_ text: String) {
    #expect(names(text) == ["f"])
  }
}
