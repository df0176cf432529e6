import PCMCore
import Testing

@Suite("Escaping")
struct EscapingTests {
  @Test(
    "A component encodes everything except unreserved characters",
    arguments: [
      ("azAZ09-._~", "azAZ09-._~"), ("", ""), ("a b/c?d&e=f+%", "a%20b%2Fc%3Fd%26e%3Df%2B%25"), ("\u{7F}\n\0", "%7F%0A%00"),
      ("ü€🧀", "%C3%BC%E2%82%AC%F0%9F%A7%80"),
    ])
  func component(_ text: String, _ expected: String) {
    #expect(PercentEncoding.component.encode(text) == expected)
    #expect(PercentEncoding.decoded(expected[...].utf8, plusIsSpace: false) == text)
  }

  @Test("A character set encodes its characters, DEL, and non-ASCII characters, but not percent signs")
  func set() {
    let kept = (UInt8(0)...0x7E).filter { ![UInt8(ascii: " "), UInt8(ascii: "@")].contains($0) }
    #expect(PercentEncoding(encoding: " @").encode(kept[...]) == kept)
    #expect(PercentEncoding(encoding: " @").encode(" @%41\u{7F}ü") == "%20%40%41%7F%C3%BC")
  }

  @Test(
    "A pointer converts to names and back (RFC 6901, section 5)",
    arguments: [
      ("", []), ("/", [""]), ("/foo/0", ["foo", "0"]), ("/a~1b", ["a/b"]), ("/m~0n", ["m~n"]), ("/~01", ["~1"]),
      ("/ //k\"l", [" ", "", "k\"l"]), ("/ü\u{301}~1\u{301}", ["ü\u{301}/\u{301}"]),
    ])
  func pointer(_ text: String, _ names: [String]) {
    #expect(JSONPointer.text(names) == text)
    #expect(JSONPointer.names(of: text) == names)
  }

  @Test("A tilde without an escape sequence is literal, and a pointer begins with a slash")
  func leniency() {
    #expect(JSONPointer.names(of: "/a~/~2") == ["a~", "~2"])
    #expect(JSONPointer.names(of: "a") == nil)
  }
}
