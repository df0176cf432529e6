import PCMCore
import Testing

/// Requests of an https page for http URLs.
@Suite struct MixedContentTests {
  @Test(
    "An http image is upgraded, loaded from loopback, and blocked from any other IPv4 address",
    arguments: [
      ("http://news.example/p", MixedContent.Treatment.upgrade), ("http://news.example:8080/p", .upgrade),
      ("http://[::1]/p", .upgrade), ("http://1.example/p", .upgrade), ("http://localhost:8080/p", .load),
      ("http://shop.localhost/p", .load), ("http://127.0.0.1/p", .load), ("http://127.9.9.9/p", .load),
      ("http://192.0.2.1/p", .block), ("https://news.example/p", .load), ("https://192.0.2.1/p", .load),
    ])
  func image(_ request: String, _ expected: MixedContent.Treatment) throws {
    let page = try url("https://shop.example/")
    #expect(MixedContent.treatment(of: try url(request), kind: .image, on: page) == expected)
    #expect(MixedContent.treatment(of: try url(request), kind: .image, on: try url("http://shop.example/")) == .load)
  }

  @Test(
    "An image that is redirected to http on loopback is blocked, and upgraded on ::1",
    arguments: [
      ("http://localhost/p", MixedContent.Treatment.block), ("http://localhost:8080/p", .block),
      ("http://127.0.0.1/p", .block), ("http://2130706433/p", .block), ("http://a.b.localhost/p", .block),
      ("http://[::1]/p", .upgrade), ("http://news.example/p", .upgrade), ("http://192.0.2.1/p", .block),
      ("https://localhost/p", .load),
    ])
  func redirectedImage(_ request: String, _ expected: MixedContent.Treatment) throws {
    let treatment = { (page: String) in
      MixedContent.treatment(of: try url(request), kind: .image, isRedirected: true, on: try url(page))
    }
    #expect(try treatment("https://shop.example/") == expected)
    #expect(try treatment("http://shop.example/") == .load)
  }

  @Test(
    "An http load of any other kind is blocked, including from loopback", arguments: LoadKind.allCases.filter { $0 != .image })
  func otherKinds(_ kind: LoadKind) throws {
    let page = try url("https://shop.example/")
    for request in ["http://news.example/p", "http://localhost/p", "http://127.0.0.1/p"] {
      #expect(MixedContent.treatment(of: try url(request), kind: kind, on: page) == .block)
    }
    #expect(MixedContent.treatment(of: try url("https://news.example/p"), kind: kind, on: page) == .load)
  }

  @Test(
    "A redirect from an http URL on an https page is rejected, except from loopback",
    arguments: [
      ("https://shop.example/", "http://news.example/p", "mixed-content-blocked"),
      ("https://shop.example/", "http://[::1]/p", "mixed-content-blocked"),
      ("https://shop.example/", "http://192.0.2.1/p", "mixed-content-blocked"),
      ("https://shop.example/", "http://localhost/p", nil), ("https://shop.example/", "http://127.0.0.1:8080/p", nil),
      ("https://shop.example/", "https://news.example/p", nil), ("http://shop.example/", "http://news.example/p", nil),
    ] as [(String, String, String?)])
  func observation(_ page: String, _ request: String, _ code: String?) throws {
    var evaluation = RuleEvaluation()
    let observation = (page: try url(page), request: try url(request))
    #expect(evaluation.firstViolation(of: MixedContent.rules, to: observation)?.reason.code == code)
  }

  @Test("A redirect from an unknown URL is not mixed content")
  func unknownRequest() throws {
    var evaluation = RuleEvaluation()
    #expect(
      evaluation.firstViolation(of: MixedContent.rules, to: (page: try url("https://shop.example/"), request: nil)) == nil)
  }
}
