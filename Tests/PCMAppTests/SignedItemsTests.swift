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
