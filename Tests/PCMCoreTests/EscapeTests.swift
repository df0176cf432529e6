import PCMCore
import Testing

/// Bytes as hexadecimal digits, and the character references of HTML.
@Suite struct EscapeTests {
  @Test(
    "Hexadecimal digits in either case are bytes, and other text is not",
    arguments: [
      ("00ff7A", [0, 255, 122]), ("a", nil), ("", nil), ("0x00", nil), ("00 ", nil), ("0g", nil), ("0\u{301}0", nil),
    ] as [(String, [UInt8]?)])
  func hexadecimal(_ text: String, _ bytes: [UInt8]?) {
    #expect(Hexadecimal.bytes(text) == bytes)
    if let bytes { #expect(Hexadecimal.text(bytes) == text.lowercased()) }
  }

  @Test("A minimum applies to the number of bytes")
  func minimum() {
    #expect(Hexadecimal.bytes("0001", atLeast: 2) == [0, 1])
    #expect(Hexadecimal.bytes("0001", atLeast: 3) == nil)
  }

  @Test(
    "References are decoded once, and other text is unchanged",
    arguments: [
      ("a &lt;b&gt; &amp;amp; &QUOT;", "a <b> &amp; \""), ("&#39;&#x27;&#x1F600;", "'\'\u{1F600}"),
      ("it&rsquo;s&hellip;", "it’s…"),
      ("a & b; &unknown; &#xD800;", nil), ("", nil), ("&", nil),
    ])
  func references(_ text: String, _ decoded: String?) {
    #expect(HTMLEscapes.removed(from: text) == decoded)
  }
}
