import PCMCore
import Testing

@testable import PCMSites

/// URLs that need no normalization are parsed without libcurl. A bare `#` changes only the fragment and requires libcurl, so the
/// two results can be compared.
@Suite struct PlainURLTests {
  @Test(
    "A URL in normal form is parsed without libcurl",
    arguments: [
      "https://shop.example/", "http://shop.example", "https://a-b.shop.example/cart.html?item=4&size=m",
      "https://news.example/.well-known/private-click-measurement/trigger-attribution/12", "https://localhost/x",
      "https://1.shop.example/a/", "https://co.uk/",
    ])
  func plain(_ text: String) throws {
    #expect(PlainURL(text) != nil)
    try expectSameReading(text)
  }

  @Test(
    "A URL that may need normalization is parsed by libcurl",
    arguments: [
      "HTTPS://shop.example/", "https://Shop.example/", "https://shop.example:443/", "https://user@shop.example/",
      "https://shop.example./", "https://shop..example/", "https://xn--mnchen-3ya.example/", "https://127.0.0.1/",
      "https://shop.0x7f/", "https://shop.example/a/../b", "https://shop.example/.", "https://shop.example//a",
      "https://shop.example/%41", "https://shop.example/ü", "https://shop.example/a b", "https://shop.example/?",
      "https://shop.example/?q=%20", "https://shop.example/#", "https:///shop.example/", "https://shop.example\\a",
      "ftp://shop.example/", "https://", "", "https://shop.example/\n",
    ])
  func notPlain(_ text: String) {
    #expect(PlainURL(text) == nil)
  }

  @Test("Both parsers return the same URL", arguments: 0..<8)
  func bothReadingsAgree(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var plain = 0
    for _ in 0..<4_000 {
      let text = Self.url(&random)
      guard PlainURL(text) != nil else { continue }
      plain += 1
      try expectSameReading(text)
    }
    #expect(plain > 400, "too few of the URLs are plain for the test to say anything")
  }

  private func expectSameReading(_ text: String) throws {
    let (short, long) = (try parser.url(text), try parser.url(text + "#"))
    #expect(short.text + "#" == long.text)
    #expect(
      short
        == WebURL(
          text: short.text, scheme: long.scheme, host: long.host, port: long.port, path: long.path, query: long.query,
          hasFragment: false, hasCredentials: long.hasCredentials, site: long.site,
          hasRegistrableDomain: long.hasRegistrableDomain))
  }

  private static func url(_ random: inout SplitMix64) -> String {
    func pieces(_ alphabet: [String], _ most: Int) -> String {
      (0..<random.below(most + 1)).map { _ in alphabet[random.below(alphabet.count)] }.joined()
    }
    let scheme = ["https://", "http://"][random.below(2)]
    let host = pieces(["a", "shop", "xn--", "-", "1", "0x", ".", ".", "co.uk", "example", "com", "news"], 6)
    let path = pieces(["/", "/", "a", ".", "..", "~", "_", "-", "9", "Z", "=", "&", ".well-known", "b.c"], 8)
    let query = pieces(["a", "=", "&", "1", "/", ".", "~", "-"], 6)
    return scheme + host + (path.hasPrefix("/") ? path : "/" + path) + (query.isEmpty ? "" : "?" + query)
  }
}
