import PCMCore
import PCMURL
import Testing

/// One parser for all tests of the target: the list takes milliseconds to load.
let parser = SiteParser(publicSuffixList: .builtIn())

@Suite struct SiteParserTests {
  @Test("A host has one normal form", arguments: URLTable.hosts)
  func normalHost(_ expected: (text: String, host: String)) throws {
    let url = try parser.url(expected.text)
    #expect(url.host == expected.host, "\(expected.text)")
    #expect(try parser.url(url.text).text == url.text, "the normal form of \(expected.text) is its own normal form")
  }

  @Test("A path is encoded without dot segments, and nothing is decoded", arguments: URLTable.paths)
  func normalPath(_ expected: (text: String, path: String)) throws {
    #expect(try parser.url("https://h.example" + expected.text).path == expected.path, "\(expected.text)")
  }

  @Test("A query is the text after the first question mark", arguments: URLTable.queries)
  func query(_ expected: (text: String, query: String?, hasFragment: Bool)) throws {
    let url = try parser.url("https://h.example/p" + expected.text)
    #expect(url.query == expected.query, "\(expected.text)")
    #expect(url.hasFragment == expected.hasFragment, "\(expected.text)")
    #expect(url.path == "/p")
  }

  @Test("Text that is not an absolute URL is an error", arguments: URLTable.errors)
  func invalid(_ expected: (text: String, error: URLParsingError)) {
    #expect(throws: expected.error, "\(expected.text.prefix(80).debugDescription)") { try parser.url(expected.text) }
  }

  @Test("A port is returned as written, and the normal form omits the scheme's default port", arguments: URLTable.ports)
  func port(_ expected: (text: String, port: Int?, normal: String)) throws {
    let url = try parser.url(expected.text)
    #expect(url.port == expected.port, "\(expected.text)")
    #expect(url.text == expected.normal, "\(expected.text)")
  }

  @Test(
    "Credentials are detected unless both are empty, and the normal form omits them", arguments: URLTable.credentials)
  func credentials(_ expected: (text: String, hasCredentials: Bool)) throws {
    let url = try parser.url(expected.text)
    #expect(url.hasCredentials == expected.hasCredentials, "\(expected.text)")
    #expect(url.text == "https://good.com/", "\(expected.text)")
  }

  @Test("A URL with another scheme can have no host", arguments: URLTable.hostless)
  func withoutHost(_ expected: (text: String, scheme: String, path: String, normal: String)) throws {
    let url = try parser.url(expected.text)
    #expect(url.scheme == expected.scheme, "\(expected.text)")
    #expect(url.host == "" && url.site == Site("") && !url.hasRegistrableDomain, "\(expected.text)")
    #expect(url.path == expected.path, "\(expected.text)")
    #expect(url.text == expected.normal, "\(expected.text)")
    #expect(try parser.url(url.text).text == url.text)
  }

  @Test("A URL is parsed into its components")
  func parts() throws {
    let url = try parser.url(" HTTPS://User:Pass@Shop.Example.CO.UK:8443/a b/../ü?q='<x>&y=%41#Top \n")
    #expect(url.text == "https://shop.example.co.uk:8443/%C3%BC?q=%27%3Cx%3E&y=%41#Top")
    #expect(url.scheme == "https")
    #expect(url.host == "shop.example.co.uk")
    #expect(url.port == 8443)
    #expect(url.path == "/%C3%BC")
    #expect(url.query == "q=%27%3Cx%3E&y=%41")
    #expect(url.hasFragment && url.hasCredentials && url.isHTTPFamily)
    #expect(url.site == Site("example.co.uk") && url.hasRegistrableDomain)
  }

  @Test("A URL of exactly the maximum length is valid")
  func atLimit() throws {
    let text = "https://h.example/" + String(repeating: "a", count: 8_192 - 18)
    #expect(try parser.url(text).text == text)
    #expect(throws: URLParsingError.tooLong(limit: 8_192)) { try parser.url(text + "a") }
  }

  @Test("The text of an error contains nothing of the URL")
  func errorsArePrivate() {
    for (text, _) in URLTable.errors where text.contains("secret") {
      #expect { try parser.url(text) } throws: { !"\(($0 as? URLParsingError)?.detail ?? "secret")".contains("secret") }
    }
  }
}
