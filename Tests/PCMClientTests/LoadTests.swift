import Foundation
import PCMClient
import TLSSupport
import Testing

/// Page loads by the real service.
@Suite struct LoadTests {
  private static let triggerPath = "/.well-known/private-click-measurement/trigger-attribution/12/03"

  private static let redirecting: @Sendable (RecordedRequest) async -> Reply = { request in
    request.target == "/pixel" ? .redirect(to: triggerPath) : Reply(404)
  }

  @Test("a pixel is loaded, and its redirect is a triggering event")
  func pixel() async throws {
    try await Stage.withEndpoint(answer: Self.redirecting) { service, server in
      let browser = try await PCM.browser("loads", on: service)
      try await browser.open(Stage.click, from: try await browser.registerNews())
      let load = try await browser.load("https://news.example/pixel", on: "https://shop.example/thanks")
      #expect(load.hops.map(\.status) == [302, 404])
      #expect(load.hops.first?.location == Self.triggerPath)
      #expect(load.triggeringEvents.map(\.outcome) == [.attributed])
      #expect(load.error == nil)
      #expect(await server.requests.map(\.method) == ["GET", "GET"])
      try await browser.expectReport(to: .source, on: "shop.example", sourceIdentifier: 4, triggerData: 12, state: .scheduled)
      let form = try await browser.load("https://news.example/form", on: "https://shop.example/", method: .post)
      #expect(form.hops.map(\.status) == [404])
      #expect(await server.requests.last?.method == "POST")
    }
  }

  @Test("a load without a response contains the error")
  func noAnswer() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("loads", on: service)
      let load = try await browser.load("https://127.0.0.1/pixel", on: "https://shop.example/")
      #expect(load.hops.map(\.status) == [nil])
      #expect(load.error?.code.rawValue == "address-refused")
      #expect(load.error == load.hops.first?.error)
      #expect(load.triggeringEvents.isEmpty)
    }
  }
}
