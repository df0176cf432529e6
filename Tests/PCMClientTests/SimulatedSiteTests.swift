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
}
