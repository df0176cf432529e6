import PCMCore
import Testing

/// The cases about sites in section B of the conformance cases: the table of section 4.3 of the reference.
@Suite struct TriggerSiteTests {
  struct Redirect: Sendable {
    let firstParty: String
    let from: String?
    let to: String
    let source: String?

    init(on firstParty: String, from: String?, to: String, source: String? = nil) {
      self.firstParty = firstParty
      self.from = from
      self.to = to
      self.source = source
    }
  }

  private func event(_ redirect: Redirect) throws -> TriggeringEvent {
    let parameter = redirect.source.map { "?attributionSource=\($0)" } ?? ""
    let target = try url("https://\(redirect.to)\(TriggerURL.pathPrefix)12\(parameter)")
    let firstParty = try url(redirect.firstParty)
    return TriggeringEvent(
      target: try TriggerURL.parse(target, parse: parse).get(), redirectSite: target.site,
      hopHost: try redirect.from.map(url)?.host, firstPartyHost: firstParty.host, firstPartySite: firstParty.site,
      bundleIdentifier: BundleIdentifier.safari)
  }

  @Test(arguments: [
    Case("21", Redirect(on: "https://shop.example/", from: "https://news.example/pixel", to: "news.example"), "news.example"),
    Case(
      "25",
      Redirect(on: "https://shop.example/", from: "https://shop.example/p", to: "shop.example", source: "https://news.example"),
      "news.example"),
    Case("31", Redirect(on: "https://shop.example/", from: "http://news.example/pixel", to: "news.example"), "news.example"),
    Case("32", Redirect(on: "https://shop.example/", from: "https://a.news.example/p", to: "news.example"), "news.example"),
    Case("32", Redirect(on: "https://shop.example/", from: "https://a.news.example/p", to: "b.news.example"), "news.example"),
    Case("36", Redirect(on: "https://www.shop.example/", from: "https://news.example/p", to: "news.example"), "news.example"),
    Case("21", Redirect(on: "http://localhost:8000/", from: "https://127.0.0.1/p", to: "127.0.0.1"), "127.0.0.1"),
  ])
  func anAcceptedEventHasASourceAndADestination(_ one: Case<Redirect, String>) throws {
    let event = try event(one.given)
    #expect(event.rejection == nil)
    #expect(event.key.source == Site(one.then))
    #expect(event.key.destination == (try url(one.given.firstParty)).site)
  }

  @Test(arguments: [
    Case(
      "27", Redirect(on: "https://shop.example/", from: "https://shop.example/p", to: "news.example"), "redirect-not-same-site"),
    Case(
      "28", Redirect(on: "https://shop.example/", from: "https://shop.example/p", to: "shop.example"), "same-site-needs-source"),
    Case(
      "29",
      Redirect(on: "https://shop.example/", from: "https://news.example/p", to: "news.example", source: "https://news.example"),
      "cross-site-forbids-source"),
    Case(
      "30", Redirect(on: "https://shop.example/", from: "https://x.example/p", to: "news.example"), "redirect-not-same-site"),
    Case(
      "27", Redirect(on: "https://shop.example/", from: "https://evilnews.example/", to: "news.example"),
      "redirect-not-same-site"),
    Case(
      "27",
      Redirect(on: "https://shop.example/", from: "https://x.example/", to: "news.example", source: "https://news.example"),
      "redirect-not-same-site"),
  ])
  func anEventThatViolatesASiteRuleIsRejectedWithAReason(_ one: Case<Redirect, String>) throws {
    #expect(try event(one.given).rejection?.reason.code == one.then)
  }

  @Test("The site of an unknown redirecting URL is not checked, and a note says so; the other rules apply")
  func unknownRedirectingURL() throws {
    let unknown = try event(Redirect(on: "https://shop.example/", from: nil, to: "news.example"))
    #expect(unknown.rejection == nil)
    #expect(unknown.notes.map(\.code) == ["redirect-from-unknown"])
    #expect(unknown.key.source == Site("news.example"))
    let known = try event(Redirect(on: "https://shop.example/", from: "https://news.example/p", to: "news.example"))
    #expect(known.notes == [])
    let sameSite = try event(Redirect(on: "https://shop.example/", from: nil, to: "shop.example"))
    #expect(sameSite.rejection?.reason.code == "same-site-needs-source")
  }

  @Test(
    "A page without a host has no site, and every other URL without one is a mistake",
    arguments: [
      ("about:blank", true), ("about:srcdoc", true), ("data:text/html,x", true), ("file:///tmp/index.html", true),
      ("localhost:8080", false), ("https://shop.example/", false),
    ])
  func pageWithoutSite(_ page: String, _ lacksSite: Bool) throws {
    var evaluation = RuleEvaluation()
    let violation = evaluation.firstViolation(of: FirstParty.rules, to: try url(page))
    #expect(violation?.reason.code == (lacksSite ? "no-first-party-site" : nil))
  }

  @Test(arguments: [
    ("shop.example", true), ("www.shop.example", true), ("evilshop.example", false), ("example", false),
    (".shop.example", true),
  ])
  func aSiteContainsItsDomainAndSubdomains(_ host: String, _ expected: Bool) {
    #expect(Site("shop.example").contains(host: host) == expected)
  }
}
