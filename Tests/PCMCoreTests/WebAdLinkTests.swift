import PCMCore
import Testing

/// Links that are meant as web ads and lack something (reference, section 2.2).
@Suite struct WebAdLinkTests {
  private static let nonce = "t8naKxXHTzuTJhNfljADPQ"
  private static let exact = "https://apps.apple.com/app/id525463029"

  private func link(
    page: String = "https://news.example/", id: String? = nil, destination: String? = "https://network.example",
    nonce: String? = nonce, href: String? = exact, landing: String? = nil, frameTarget: String? = nil,
    landed: Bool = true
  ) throws -> LinkClick {
    LinkClick(
      LinkClickInput(
        pageURL: page, attributionSourceID: id, attributionDestination: destination, attributionSourceNonce: nonce,
        landed: landed, target: frameTarget, inFrame: frameTarget != nil),
      page: page.isEmpty ? nil : try url(page), destination: destination.flatMap(parse), href: try href.map(url),
      landing: try landing.map(url))
  }

  private func discarded(_ link: LinkClick) throws -> Violation {
    guard case .discard(let reason) = link.decide(MeasurementSettings()) else {
      throw LinkClickTests.Unexpected(what: "\(link.decide(MeasurementSettings()))")
    }
    return reason
  }

  @Test(
    "A link to the App Store in another form is explained by the exact form, with the app's number",
    arguments: [
      "https://apps.apple.com/us/app/tablet-stand/id525463029", "https://apps.apple.com/app/tablet-stand/id525463029",
      "https://apps.apple.com/us/app/id525463029", "https://apps.apple.com/app/id525463029?ct=campaign",
      "https://apps.apple.com/app/id525463029?mt=8&ct=x#top", "https://apps.apple.com/app/id525463029/",
      "https://apps.apple.com/app/id525463029#reviews", "http://apps.apple.com/app/id525463029",
      "https://APPS.apple.com/de/app/id525463029", "https://apps.apple.com:8443/app/id525463029",
      "https://itunes.apple.com/us/app/tablet-stand/id525463029?mt=8", "https://itunes.apple.com/app/id525463029",
      "https://geo.itunes.apple.com/app/id525463029", "itms-apps://apps.apple.com/app/id525463029",
      "itms-apps://itunes.apple.com/app/id525463029", "https://apps.apple.com/app/apple-store/id525463029?pt=1&ct=2",
      "https://itunes.apple.com/WebObjects/MZStore.woa/wa/viewSoftware?id=525463029",
      "https://r.network.example/?to=https%3A%2F%2Fapps.apple.com%2Fus%2Fapp%2Fx%2Fid525463029",
    ])
  func target(_ href: String) throws {
    let reason = try discarded(try link(href: href))
    #expect(reason.reason.code == "app-store-link-malformed")
    #expect(
      reason.reason.detail.contains("exactly https://apps.apple.com/app/id and the app's number"), "\(reason.reason.detail)")
    #expect(reason.change == "link to \(Self.exact), without a country, a name, a query, or a redirect")
  }

  @Test(
    "A redirect that lands on the App Store is explained as one",
    arguments: ["https://short.example/x1", "https://network.example/click?app=7", nil])
  func redirect(_ href: String?) throws {
    let reason = try discarded(try link(href: href, landing: "https://apps.apple.com/us/app/tablet-stand/id525463029"))
    #expect(reason.reason.code == "app-store-link-malformed")
    #expect(reason.reason.detail.contains("by a redirect"), "\(reason.reason.detail)")
    #expect(reason.change.contains("link to \(Self.exact),"), "\(reason.change)")
  }

  @Test(
    "A URL of the App Store without a number has the form in its explanation",
    arguments: [
      "https://apps.apple.com/app/id", "https://apps.apple.com/us/app/tablet-stand", "https://apps.apple.com/app/idx",
    ])
  func noNumber(_ href: String) throws {
    let reason = try discarded(try link(href: href))
    #expect(reason.reason.code == "app-store-link-malformed")
    #expect(reason.change.contains("link to https://apps.apple.com/app/id and the app's number,"), "\(reason.change)")
  }

  @Test(
    "A nonce in another form is explained with its Base64URL",
    arguments: [
      "b7c9da2b-15c7-4f3b-9326-135f9630033d", "B7C9DA2B-15C7-4F3B-9326-135F9630033D", "b7c9da2b15c74f3b9326135f9630033d",
      "{b7c9da2b-15c7-4f3b-9326-135f9630033d}", "t8naKxXHTzuTJhNfljADPQ%3D%3D", "t8naKxXHTzuTJhNfljADPQ==\n",
      "YjdjOWRhMmItMTVjNy00ZjNiLTkzMjYtMTM1Zjk2MzAwMzNk",
    ])
  func nonce(_ text: String) throws {
    let reason = try discarded(try link(nonce: text))
    #expect(reason.reason.code == "nonce-invalid")
    #expect(reason.change == "make attributionsourcenonce \(Self.nonce)")
  }

  @Test("A nonce in standard Base64 is explained with its Base64URL")
  func standardBase64() throws {
    let reason = try discarded(try link(nonce: "++/6KxXHTzuTJhNfljADPQ=="))
    #expect(reason.reason.detail.contains("Base64 and not Base64URL"), "\(reason.reason.detail)")
    #expect(reason.change == "make attributionsourcenonce --_6KxXHTzuTJhNfljADPQ")
  }

  @Test(
    "A nonce with other characters around it is explained with them",
    arguments: [
      (" t8naKxXHTzuTJhNfljADPQ", "is Base64 with white space"), ("t8naKxXHTzuTJhNfljADPQ%3D%3D", "is percent-encoded Base64"),
    ])
  func surrounded(_ text: String, _ words: String) throws {
    let reason = try discarded(try link(nonce: text))
    #expect(reason.reason.detail.contains(words), "\(reason.reason.detail)")
    #expect(reason.change == "make attributionsourcenonce \(Self.nonce)")
  }

  @Test(
    "A nonce of another length is explained with its length",
    arguments: [
      ("AAECAwQFBgcICQoLDA0O", "15 bytes"), ("AAECAwQFBgcICQoLDA0ODxA", "17 bytes"), ("not a nonce!", "not Base64URL"),
    ])
  func length(_ text: String, _ words: String) throws {
    let reason = try discarded(try link(nonce: text))
    #expect(reason.reason.code == "nonce-invalid")
    #expect(reason.reason.detail.contains("\"\(text)\" is \(words)"), "\(reason.reason.detail)")
    #expect(reason.change.contains("16 bytes of a UUID in Base64URL"))
  }

  @Test("A web ad without an attribute names the attribute", arguments: [nil, ""] as [String?])
  func missing(_ text: String?) throws {
    let nonce = try discarded(try link(nonce: text))
    #expect(nonce.reason.code == "attribute-missing" && nonce.reason.detail.hasPrefix("attributionsourcenonce is missing"))
    #expect(nonce.change.hasPrefix("make attributionsourcenonce "))
    let destination = try discarded(try link(destination: text))
    #expect(destination.reason.code == "attribute-missing")
    #expect(destination.reason.detail.hasPrefix("attributiondestination is missing"), "\(destination.reason.detail)")
    #expect(destination.change.hasSuffix("such as https://network.example"))
  }

  @Test(
    "A destination that is not a URL is explained with the URL that it means",
    arguments: [
      ("network.example", "make attributiondestination https://network.example"),
      ("//ads.network.example", "make attributiondestination https://ads.network.example"),
      ("network.example/path", "such as https://network.example"), ("ftp://network.example", "such as https://network.example"),
      ("example123.skadnetwork", "not the ad network's identifier"),
    ])
  func destination(_ text: String, _ change: String) throws {
    let reason = try discarded(try link(destination: text))
    #expect(reason.reason.code == "destination-not-http")
    #expect(reason.change.hasSuffix(change), "\(reason.change)")
  }

  @Test("A destination that is the App Store is explained by the ad network's domain")
  func storeAsDestination() throws {
    let reason = try discarded(try link(destination: Self.exact, href: nil))
    #expect(reason.reason.code == "app-store-link-malformed")
    #expect(reason.change.contains("make attributiondestination the https URL of the ad network's domain"))
  }

  @Test("The first fault gives the code, and the sentence names all of them")
  func several() throws {
    let reason = try discarded(
      try link(page: "", id: "300", destination: "network.example", nonce: "x", href: "https://itunes.apple.com/app/id1"))
    #expect(reason.reason.code == "app-store-link-malformed")
    for words in ["itunes.apple.com", "\"network.example\"", "has no site", "attributionsourcenonce \"x\""] {
      #expect(reason.reason.detail.contains(words), "\(reason.reason.detail)")
    }
    #expect(reason.change.contains("link to https://apps.apple.com/app/id1,"), "\(reason.change)")
    #expect(reason.change.contains("make attributiondestination https://network.example"), "\(reason.change)")
  }

  @Test(
    "A destination with a subdomain, a port, or a path has the site's destination",
    arguments: ["https://ads.network.example/path?q", "http://network.example:8080", "https://NETWORK.example/"])
  func site(_ destination: String) throws {
    let link = try link(destination: destination)
    #expect(try discarded(link).reason.code == AppStoreDonation.reasonCode)
    let donation = try #require(link.appStoreDonation)
    #expect(donation.adNetwork == Site("network.example"))
  }

  @Test("A web ad whose navigation commits no page is not handed over", arguments: [nil, "3"])
  func notCommitted(_ id: String?) throws {
    let link = try link(id: id, landed: false)
    #expect(link.appStoreDonation == nil)
    #expect(try discarded(link).reason.code == "navigation-did-not-commit")
  }

  @Test(
    "The exact link is a web ad in the forms that a browser normalizes",
    arguments: ["https://APPS.APPLE.COM/app/id525463029", "HTTPS://apps.apple.com:443/app/id525463029"])
  func normalized(_ href: String) throws {
    #expect(try discarded(try link(href: href)).reason.code == "app-store-link")
    #expect(try discarded(try link(id: "3", href: href)).reason.code == "app-store-link")
  }

  @Test(
    "A link to another host is not meant as a web ad",
    arguments: [
      "https://apps.apple.com.evil.example/app/id525463029", "https://evilapps.apple.com.example/app/id1",
      "https://www.apple.com/app/id1", "https://shop.example/?q=apps.apple.com", "https://myitunes.apple.com.example/",
    ])
  func otherHost(_ href: String) throws {
    let reason = try discarded(try link(href: href))
    #expect(reason.reason.code == "attribute-missing" && reason.reason.detail.hasPrefix("attributionsourceid"))
  }

  @Test("A redirect that may lead to the App Store is explained as a click and as a web ad")
  func unknownRedirect() throws {
    let reason = try discarded(try link(href: "https://short.example/x1"))
    #expect(reason.reason.code == "attribute-missing")
    for text in [reason.reason.detail, reason.change] {
      #expect(text.contains("attributionsourceid") && text.contains("https://apps.apple.com/app/id"), "\(text)")
    }
    #expect(try !discarded(try link(nonce: nil, href: "https://short.example/x1")).change.contains("apps.apple.com"))
  }

  @Test("A web ad in a frame must navigate the main frame", arguments: ["_blank", "ad", ""])
  func frame(_ target: String) throws {
    let reason = try discarded(try link(frameTarget: target))
    #expect(reason.reason.code == "not-main-frame")
    #expect(reason.change.contains("_top"), "\(reason.change)")
    #expect(try discarded(try link(frameTarget: "_top")).reason.code == "app-store-link")
  }

  @Test("With all attributes of a click, the link is a click as in WebKit, with a note about the web ad")
  func clickWithNote() throws {
    let given = try link(id: "3", href: "https://apps.apple.com/us/app/x/id525463029?ct=y")
    guard case .store(let click, let notes) = given.decide(MeasurementSettings()) else {
      Issue.record("not stored")
      return
    }
    #expect(click.sourceID == 3)
    #expect(notes.map(\.code) == ["app-store-link-malformed"])
    #expect(notes.first?.detail.hasSuffix("measured as a click and not as a web ad") == true)
  }

  @Test("A link with a source ID and without a nonce is an ordinary link")
  func ordinary() throws {
    #expect(try discarded(try link(id: "300", nonce: nil)).reason.code == "source-id-too-large")
    guard case .store(_, let notes) = try link(id: "3", nonce: nil).decide(MeasurementSettings()) else {
      Issue.record("not stored")
      return
    }
    #expect(notes.isEmpty)
  }
}
