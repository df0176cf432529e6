import PCMCore
import Testing

@Suite("Names of browsers")
struct BrowserNameTests {
  @Test(
    "A name is any printable text of 1 to 200 bytes",
    arguments: [
      "a", "default", "tests/test_ads.py::test_tap[https://shop.example-ü]", "50%", "a b", "?x=1#y", "...", ".a", "ä",
      "e\u{301}",
      "👩‍💻 כן", "\"'\\<&>", String(repeating: "n", count: 200), String(repeating: "ü", count: 100),
    ])
  func names(_ text: String) throws {
    #expect(BrowserName(text).error == nil)
    #expect(try BrowserSpecification(json: JSON.object([.init("name", .string(text))]).bytes).name == text)
  }

  @Test(
    "Other text is not a name",
    arguments: [
      ("", "the name has 0 bytes", "out-of-range"),
      (String(repeating: "n", count: 201), "the name has 201 bytes", "out-of-range"),
      (String(repeating: "ü", count: 100) + "n", "the name has 201 bytes", "out-of-range"),
      ("a\u{0}", "the name contains U+0000", "invalid-value"), ("a\nb", "the name contains U+000A", "invalid-value"),
      ("\u{7F}", "the name contains U+007F", "invalid-value"), ("\u{85}", "the name contains U+0085", "invalid-value"),
      ("a\u{2028}", "the name contains U+2028", "invalid-value"), ("\u{202E}a", "the name contains U+202E", "invalid-value"),
      ("a\u{2069}", "the name contains U+2069", "invalid-value"),
      (" a", "the name \" a\" begins or ends with white space", "invalid-value"),
      ("a ", "the name \"a \" begins or ends with white space", "invalid-value"),
      ("a\u{A0}", "the name \"a\u{A0}\" begins or ends with white space", "invalid-value"),
      (".", "\".\" is not a name", "invalid-value"), ("..", "\"..\" is not a name", "invalid-value"),
    ])
  func errors(_ text: String, _ detail: String, _ code: String) throws {
    let error = try #require(BrowserName(text).error)
    #expect(error.detail.hasPrefix(detail) && error.code == code, "\(error)")
    let thrown = #expect(throws: BodyError.self) {
      try BrowserSpecification(json: JSON.object([.init("name", .string(text))]).bytes)
    }
    #expect(thrown == .invalid([InputError(["name"], error.detail, code: code)]))
  }

  @Test("Names are compared and sorted by their bytes")
  func identity() {
    let (composed, decomposed) = (BrowserName("\u{E9}"), BrowserName("e\u{301}"))
    #expect(composed.text == decomposed.text, "Swift's strings are equal")
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, composed]).count == 2)
    #expect(
      ["b", "\u{E9}", "a", "B", "e\u{301}", "🐝", "\u{FFFD}"].map(BrowserName.init).sorted().map(\.path)
        == [
          "B", "a", "b", "e%CC%81", "%C3%A9", "%EF%BF%BD", "%F0%9F%90%9D",
        ].map { "/v1/browsers/\($0)" })
  }

  @Test(
    "A path decodes strictly",
    arguments: [
      ("a", "a"), ("a%2Fb%2fc", "a/b/c"), ("100%25", "100%"), ("%C3%BC", "ü"), ("+", "+"), ("%", nil), ("a%2", nil),
      ("%zz", nil), ("%FF", nil), ("%C3", nil), ("%ED%A0%80", nil), ("%C0%AF", nil), ("%EF%BF%BD", "\u{FFFD}"),
    ] as [(String, String?)])
  func decoding(_ text: String, _ decoded: String?) {
    #expect(PercentEncoding.strictlyDecoded(text) == decoded)
  }
}
