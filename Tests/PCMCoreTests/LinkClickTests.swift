import Testing

@testable import PCMCore

/// Sections A, F and parts of J of the conformance cases: links with attribution attributes.
@Suite struct LinkClickTests {
  private static let nonce = "ABCDEFabcdef0123456789"

  private func link(
    page: String = "https://social.example/feed", id: String? = "3", destination: String? = "https://shop.example",
    nonce: String? = nil, href: String? = nil, landing: String? = nil, landed: Bool = true, gesture: Bool = true,
    app: String? = nil
  ) throws -> LinkClick {
    LinkClick(
      LinkClickInput(
        pageURL: page, attributionSourceID: id, attributionDestination: destination, attributionSourceNonce: nonce,
        landed: landed, userGesture: gesture, bundleIdentifier: app),
      page: page.isEmpty ? nil : try url(page), destination: destination.flatMap(parse), href: try href.map(url),
      landing: try landing.map(url))
  }

  private func stored(_ link: LinkClick) throws -> (click: Click, notes: [String]) {
    guard case .store(let click, let notes) = link.decide(MeasurementSettings()) else {
      throw Unexpected(what: "\(link.decide(MeasurementSettings()))")
    }
    return (click, notes.map(\.code))
  }

  private func code(_ link: LinkClick, _ settings: MeasurementSettings = MeasurementSettings()) -> String? {
    guard case .discard(let reason) = link.decide(settings) else { return nil }
    return reason.reason.code
  }

  struct Unexpected: Error {
    let what: String
  }

  @Test("Case 14: A click is stored with its source, destination, source ID, and Safari's bundle identifier")
  func aClickIsStored() throws {
    let (click, notes) = try stored(try link())
    #expect(
      click.key
        == ClickKey(
          source: Site("social.example"), destination: Site("shop.example"), bundleIdentifier: "com.apple.mobilesafari"))
    #expect(click.sourceID == 3)
    #expect(click.clickedAt == .clicked)
    #expect(click.nonce == nil)
    #expect(notes.isEmpty)
  }

  @Test(arguments: [
    Case("3", "298", "source-id-too-large"), Case("3", "256", "source-id-too-large"),
    Case("3", "2147483647", "source-id-too-large"), Case("4", "", "attribute-missing"),
    Case("11", "-1", "source-id-not-a-number"), Case("11", "ab", "source-id-not-a-number"),
    Case("11", "\u{FF11}", "source-id-not-a-number"), Case("11", "+", "source-id-not-a-number"),
    Case("11", " ", "source-id-not-a-number"),
    Case("11", "2147483648", "source-id-not-a-number"), Case("11", "99999999999999999999", "source-id-not-a-number"),
  ])
  func anInvalidSourceIDDiscardsTheClick(_ one: Case<String, String>) throws {
    #expect(code(try link(id: one.given)) == one.then)
  }

  @Test(
    arguments: [
      Case("11", "1", 1), Case("11", " 1", 1), Case("11", "1 ", 1), Case("11", "\t\n\u{0C}\r 7", 7), Case("11", "12x", 12),
      Case("11", " 12 ", 12), Case("11", "+7", 7), Case("11", "7.9", 7), Case("11", "1e2", 1), Case("11", "0x10", 0),
      Case("11", "-0", 0), Case("11", "255", 255), Case("11", "007", 7),
    ] as [Case<String, UInt8>])
  func aSourceIDIsParsedAsAnHTMLInteger(_ one: Case<String, UInt8>) throws {
    #expect(try stored(try link(id: one.given)).click.sourceID == one.then)
  }

  @Test(arguments: [
    Case("5", "webkit.org", "destination-not-http"), Case("6", "://webkit.org", "destination-not-http"),
    Case("7", "\u{1F984}\u{FF0F}\u{3002}", "destination-not-http"), Case("8", "", "attribute-missing"),
    Case("9", "https://social.example", "same-site"), Case("9", "http://www.social.example:81/x", "same-site"),
    Case("12", "ftp://shop.example", "destination-not-http"), Case("12", "/relative", "destination-not-http"),
  ])
  func anInvalidDestinationDiscardsTheClick(_ one: Case<String, String>) throws {
    #expect(code(try link(destination: one.given)) == one.then)
  }

  @Test(arguments: [
    Case("12", "http://shop.example", "shop.example"), Case("12", "https://www.shop.example:8443/path?q#f", "shop.example"),
    Case("12", "https://user:pw@shop.example", "shop.example"), Case("12", "https://SHOP.example.", "shop.example"),
  ])
  func onlyTheSiteOfTheDestinationIsStored(_ one: Case<String, String>) throws {
    #expect(try stored(try link(destination: one.given)).click.key.destination == Site(one.then))
  }

  @Test(
    "A destination whose host ends with the page's site is on the same site",
    arguments: [
      ("localhost", "shop.localhost", "same-site"), ("intranet", "app.intranet", "same-site"),
      ("github.io", "bob.github.io", "same-site"), ("co.uk", "news.co.uk", "same-site"),
      ("localhost", "localhost", "same-site"), ("bob.github.io", "github.io", nil), ("shop.localhost", "localhost", nil),
      ("alice.github.io", "bob.github.io", nil), ("hub.io", "github.io", nil),
    ] as [(String, String, String?)])
  func sameSite(_ page: String, _ destination: String, _ expected: String?) throws {
    #expect(code(try link(page: "https://\(page)/", destination: "https://\(destination)")) == expected)
  }

  @Test("Cases 4 and 10: A measured link needs both attributes")
  func aMeasuredLinkNeedsBothAttributes() throws {
    #expect(code(try link(id: nil)) == "attribute-missing")
    #expect(code(try link(destination: nil)) == "attribute-missing")
    #expect(code(try link(id: nil, destination: nil)) == "attribute-missing")
  }

  @Test("Case 13: A link that a script follows is not measured")
  func aMeasuredLinkNeedsAUserGesture() throws {
    #expect(code(try link(gesture: false)) == "no-user-gesture")
  }

  @Test(arguments: ["", "localhost:8080"])
  func aPageWithoutAURLIsNotASource(_ page: String) throws {
    #expect(code(try link(page: page)) == "no-source-site")
  }

  @Test(
    "A document without a host is a source that no report leaves for",
    arguments: ["about:blank", "data:text/html,x", "blob:https://news.example/1"])
  func documentWithoutHost(_ page: String) throws {
    let (click, notes) = try stored(try link(page: page))
    #expect(click.key.source == Site("nullOrigin"))
    #expect(notes == ["no-source-site"])
  }

  @Test("Case 17: A landing page on another site discards the click")
  func theLandingPageMustBeOnTheDestination() throws {
    #expect(code(try link(landing: "https://x.example/")) == "landing-site-mismatch")
    #expect(try stored(try link(landing: "https://www.shop.example/landing")).click.sourceID == 3)
  }

  @Test("A click is discarded when its navigation commits no page, unless an attribute is wrong")
  func theNavigationMustCommit() throws {
    #expect(code(try link(landed: false)) == "navigation-did-not-commit")
    #expect(code(try link(landing: "https://x.example/", landed: false)) == "navigation-did-not-commit")
    #expect(code(try link(id: "256", landed: false)) == "source-id-too-large")
    #expect(code(try link(landed: false, gesture: false)) == "no-user-gesture")
  }

  @Test("The time of the user's action is the time of the click")
  func theClickHasTheTimeOfTheAction() throws {
    let input = LinkClickInput(
      pageURL: "https://social.example/", attributionSourceID: "3", attributionDestination: "https://shop.example",
      clickedAt: .clicked - .seconds(2))
    let link = LinkClick(
      input, page: try url(input.pageURL), destination: try url("https://shop.example"), href: nil, landing: nil)
    #expect(try stored(link).click.clickedAt == .clicked - .seconds(2))
  }

  @Test(
    "An observation is a phrase",
    arguments: [
      (
        Provenance(frame: "https://ads.example/", load: "image", inferred: true),
        "image in the iframe https://ads.example/, inferred"
      ),
      (Provenance(load: "beacon"), "beacon in the page"), (Provenance(inferred: true), "in the page, inferred"),
    ])
  func provenance(_ observed: Provenance, _ words: String) {
    #expect(observed.words == words)
  }

  @Test("Case 75: A click in an app's web view belongs to the app")
  func aClickInAWebViewBelongsToTheApp() throws {
    #expect(try stored(try link(app: "testBundleID")).click.key.bundleIdentifier == "testBundleID")
  }

  @Test(arguments: [
    Case("76", "ABCDEFabcdef0123456789", true), Case("77", "ABCDabcd0123456789", false),
    Case("78", "ABCDEFGHIabcdefghi0123456789", false), Case("79", "ABCDEFabcde/0123456789", false),
    Case("79", "ABCDEFabcde\u{E5}0123456789", false), Case("80", "", false), Case("80", "MTIzNDU2Nzg5MDEyMzQ1Ng", true),
    Case("76", "MTIzNDU2Nzg5MDEyMzQ1Ng==", true), Case("76", "MTIzNDU2Nzg5MDEyMzQ1Ng=", true),
    Case("76", "MTIzNDU2Nzg5MDEyMzQ1Ng=====", true), Case("79", "MTIzNDU2Nzg5MDEyMzQ1N===", false), Case("80", "=", false),
    Case("79", "MTIzNDU2Nzg5MDEyMzQ1Ng==\n", false), Case("79", "ABCDEFabcde+0123456789", false),
  ])
  func aNonceIsSixteenBytesInBase64URL(_ one: Case<String, Bool>) {
    #expect(Nonce.isValid(one.given) == one.then)
    #expect((Nonce.bytes(of: one.given)?.count == 16) == one.then)
  }

  @Test("Case 20: A click with an invalid nonce is stored without the nonce")
  func anInvalidNonceIsNotStored() throws {
    let (click, notes) = try stored(try link(nonce: "short"))
    #expect(click.nonce == nil)
    #expect(notes == ["nonce-invalid"])
    #expect(try stored(try link(nonce: Self.nonce)).click.nonce == Self.nonce)
    #expect(try stored(try link(nonce: "")).notes.isEmpty)
  }

  @Test("Case 124: No click is measured while measurement is off")
  func disabledMeasurementDiscardsTheClick() throws {
    #expect(code(try link(), MeasurementSettings(measurementEnabled: false)) == "measurement-disabled")
  }

  @Test("Case 94: A click in a private session is ephemeral")
  func aPrivateClickIsEphemeral() throws {
    guard case .storeEphemeral = try link().decide(MeasurementSettings(privateBrowsing: true)) else {
      Issue.record("not ephemeral")
      return
    }
  }

  @Test("Case 122: An App Store link goes to install attribution instead of becoming a click")
  func anAppStoreLinkGoesToInstallAttribution() throws {
    let nonce = "MTIzNDU2Nzg5MDEyMzQ1Ng"
    let link = try link(
      page: "https://example.com/", id: nil, destination: "https://destination/", nonce: nonce,
      href: "https://apps.apple.com/app/id1234567890")
    guard case .discard(let violation) = link.decide(MeasurementSettings()) else {
      Issue.record("not donated")
      return
    }
    #expect(
      link.appStoreDonation
        == AppStoreDonation(
          itemID: 1_234_567_890, adNetwork: Site("destination"), impressionID: nonce, source: Site("example.com")))
    #expect(violation.reason.code == AppStoreDonation.reasonCode)
    let detail = violation.reason.detail
    #expect(detail.contains("web ad of SKAdNetwork") && detail.contains("version 4.0"), "\(detail)")
  }

  @Test(arguments: [
    "https://apps.apple.com/app/id1234567890?mt=8", "https://apps.apple.com/app/id", "https://apps.apple.com/us/app/id1",
    "http://apps.apple.com/app/id1", "https://apps.apple.com/app/id99999999999999999999999",
  ])
  func anyOtherAppleLinkIsMeasuredAsAClick(_ href: String) throws {
    #expect(try stored(try link(nonce: Self.nonce, href: href)).click.sourceID == 3)
  }

  @Test("Case 122: An App Store link without a valid nonce is measured as a click")
  func anAppStoreLinkWithoutANonceIsMeasuredAsAClick() throws {
    #expect(try stored(try link(href: "https://apps.apple.com/app/id1")).click.sourceID == 3)
  }
}
