import Foundation
import PCMClient
import Testing

/// Simulated sites of a browser, through the client.
@Suite struct SimulatedSiteTests {
  @Test("a test with simulated sites needs no endpoint")
  func withoutEndpoint() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("simulated", network: .simulated, on: service)
      #expect(try await browser.network() == .simulated)
      try await browser.convert()
      try await browser.advance(by: .hours(49))
      try await browser.expectReport(to: .source, on: "shop.example", sourceIdentifier: 4, triggerData: 12)
      try await browser.expectReport(to: .destination, on: "shop.example", sourceIdentifier: 4, triggerData: 12)
      #expect(Set(try await browser.messages().map(\.host)) == ["news.example", "shop.example"])
      let message = try #require(try await browser.messages(to: "shop.example").first)
      #expect(message.method == "POST" && message.kind == "report" && message.httpStatus == 200)
      #expect(message.headers.contains { $0.name == "content-type" && $0.value == "application/json" })
      #expect(message.body?.contains(#""source_id":4"#) == true)
      try await browser.use(.real)
      #expect(try await browser.network() == .real)
    }
  }

  @Test("a script determines the responses of a site")
  func scripts() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("scripted", network: .simulated, on: service)
      let script = SiteScript(
        key: .second, report: [.status(503), .failure("timed-out")], tokenKey: [.status(200, contentType: "a/b", body: "c")],
        sign: [.forgedSignature, .shortSignature, .good],
        loads: ["/pixel": [.redirect(to: "/.well-known/private-click-measurement/trigger-attribution/12/03")]])
      try await browser.script("news.example", script)
      let app = try await browser.registerNews()
      try await browser.open(Stage.click, from: app)
      let load = try await browser.load("https://news.example/pixel", on: "https://shop.example/thanks")
      #expect(load.triggeringEvents.map(\.outcome) == [.attributed])
      try await browser.advance(by: .hours(49))
      try await browser.expectReport(to: .source, state: .failed)
      #expect(try await browser.messages(to: "news.example").last?.httpStatus == 503)
      try await browser.removeScript(of: "news.example")
      #expect(try await browser.load("https://news.example/pixel", on: "https://shop.example/").hops.map(\.status) == [404])
    }
  }

  @Test("a script determines the signed values of web ads, and the responses to postbacks")
  func adNetwork() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("web-ads", network: .simulated, on: service)
      let key = try #require(try await browser.device.keys().first { $0.id == .adNetwork })
      try await browser.device.register(
        adNetwork: "example123.skadnetwork", publicKey: key.publicKeyPEM, postbackURL: "https://example123.example/postbacks")
      let shop = try await browser.device.register(app: "com.example.shop", infoPlist: [:], itemIdentifier: 525_463_029)
      let script = SiteScript(
        postback: [.status(500), .good],
        signedPayload: [
          .webAd(fault: .forged), .webAd(fault: .otherKey), .webAd(signedAs: WebAd(sourceIdentifier: 7)), .webAd(),
        ])
      try await browser.script("example123.example", script)
      for _ in 0..<4 { try await browser.follow(Self.link, on: "https://news.example/") }
      let events = try await browser.events().filter { $0.kind.rawValue.hasPrefix("impression-") }
      #expect(events.map(\.kind.rawValue) == Array(repeating: "impression-rejected", count: 3) + ["impression-recorded"])
      let install = try await browser.device.install(shop)
      #expect(install.outcome == .attributed)
      try await browser.device.report(.skadnetwork(12), by: shop)
      try await browser.advance(by: .hours(24 * 6))
      #expect(try await browser.device.postbacks(in: [.delivered]).map(\.attempts.count) == [2])
      #expect(try await browser.messages(to: "example123.example").last?.kind == "postback")
    }
  }

  private static let link = AttributionLink(
    sourceIdentifier: "3", destination: "https://example123.example", sourceNonce: "t8naKxXHTzuTJhNfljADPQ",
    href: "https://apps.apple.com/app/id525463029")
}
