import PCMHTTP
import Testing

/// The hosts of requests and options.
@Suite struct AuthorityTests {
  @Test(
    arguments: [
      ("localhost", "localhost", nil), ("News.Example:8443", "news.example", 8_443), ("127.0.0.1:0", "127.0.0.1", 0),
      ("[::1]", "[::1]", nil), ("[FE80::1]:65535", "[fe80::1]", 65_535),
      ("a_b.xn--bcher-kva.example.", "a_b.xn--bcher-kva.example.", nil), ("localhost:", "localhost", nil),
      ("[::1]:", "[::1]", nil),
    ] as [(String, String, UInt16?)])
  func aHostMayHaveAPort(_ text: String, _ host: String, _ port: UInt16?) throws {
    let authority = try #require(Authority(text))
    #expect(authority.host == host)
    #expect(authority.port == port)
  }

  @Test(arguments: [
    "", ".", "..", "a..b", ".a", ":", ":80", "a::", "a:x", "a:+1", "a:65536", "a:1:2", "u@a", "u:p@a", "https://a", "a/", "a b",
    " a",
    "a,b", "*", "ö.example", "boo\u{212A}.example", "[::1", "[::1]x", "[a]", "[]", "::1", String(repeating: "a", count: 64),
    String(repeating: "a.", count: 127),
  ])
  func otherTextIsNoHost(_ text: String) {
    #expect(Authority(text) == nil)
  }

  @Test(arguments: [("::1", "[::1]"), ("[::1]:80", "[::1]"), ("localhost:80", "localhost")])
  func anAddressInAnOptionNeedsNoBrackets(_ text: String, _ host: String) {
    #expect(Authority(argument: text)?.host == host)
  }

  @Test(
    arguments: [
      ("localhost", true), ("LOCALHOST", true), ("127.0.0.1", true), ("127.9.8.7", true), ("::1", true), ("[::1]", true),
      ("0:0:0:0:0:0:0:1", true), ("[::ffff:127.0.0.1]", true), ("0.0.0.0", false), ("::", false), ("[::]", false),
      ("127.0.0.1.example", false), ("127.example", false), ("[fe80::1]", false), ("128.0.0.1", false),
    ])
  func loopbackHasManySpellings(_ text: String, _ isLoopback: Bool) {
    #expect(Authority(argument: text)?.isLoopback == isLoopback)
  }
}
