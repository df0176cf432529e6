import PCMCore
import PCMURL
import Testing

@Suite struct RedirectTargetTests {
  private static let base = "https://shop.example:8443/a/b?q=1"

  @Test(
    "A Location is resolved as in a browser",
    arguments: [
      ("https://other.example/x", "https://other.example/x"),
      ("HTTP://other.example", "http://other.example/"),
      ("//other.example/x", "https://other.example/x"),
      (#"\\other.example\x"#, "https://other.example/x"),
      (#"/\other.example"#, "https://other.example/"),
      ("/x/../y", "https://shop.example:8443/y"),
      (#"\x"#, "https://shop.example:8443/x"),
      ("x", "https://shop.example:8443/a/x"),
      ("../x?y", "https://shop.example:8443/x?y"),
      ("%2e%2e/x", "https://shop.example:8443/x"),
      ("./", "https://shop.example:8443/a/"),
      ("?r=2", "https://shop.example:8443/a/b?r=2"),
      ("?", "https://shop.example:8443/a/b?"),
      ("#top", "https://shop.example:8443/a/b?q=1#top"),
      ("https:x", "https://shop.example:8443/a/x"),
      ("https:/x", "https://shop.example:8443/x"),
      ("https:", "https://shop.example:8443/a/b?q=1"),
      ("http:other.example/x", "http://other.example/x"),
      ("x:y", "x:y"),
      ("a b/c:d", "https://shop.example:8443/a/a%20b/c:d"),
      (" \t/x\n", "https://shop.example:8443/x"),
      ("/ü", "https://shop.example:8443/%C3%BC"),
      ("x?a/../b", "https://shop.example:8443/a/x?a/../b"),
      ("/x#a/b?c", "https://shop.example:8443/x#a/b?c"),
    ])
  func resolved(_ location: String, _ expected: String) throws {
    let target = try parser.redirectTarget(of: location, from: parser.url(Self.base))
    #expect(try parser.url(target).text == expected)
  }

  @Test(
    "A target without a fragment inherits the redirecting URL's",
    arguments: [
      ("https://h.example/p#f", "/x", "https://h.example/x#f"), ("https://h.example/p#f", "/x#", "https://h.example/x#"),
      ("https://h.example/p#f", "/x#g", "https://h.example/x#g"), ("https://h.example/p#", "/x", "https://h.example/x#"),
      ("https://h.example/p#f", "//o.example", "https://o.example/#f"),
      ("https://h.example/p#f", "?", "https://h.example/p?#f"),
    ])
  func fragments(_ base: String, _ location: String, _ expected: String) throws {
    let target = try parser.redirectTarget(of: location, from: parser.url(base))
    #expect(try parser.url(target).text == expected)
  }

  @Test("The text of a target keeps its credentials")
  func credentials() throws {
    let target = try parser.redirectTarget(of: "https://user:secret@o.example/", from: parser.url(Self.base))
    #expect(try parser.url(target).hasCredentials)
  }

  @Test(
    "An invalid reference is an error",
    arguments: [
      ("", .empty), (" \n", .empty), ("/\u{1}x", .containsControlCharacter), ("/\0", .containsControlCharacter),
      (String(repeating: "x", count: 8_193), .tooLong(limit: 8_192)),
    ] as [(String, URLParsingError)])
  func refused(_ location: String, _ refusal: URLParsingError) {
    #expect(throws: refusal) { try parser.redirectTarget(of: location, from: parser.url(Self.base)) }
  }
}
