import Foundation
import NIOCore
import NIOPosix
import PCMClient
import TLSSupport
import Testing

/// Errors of the service, and an unreachable service.
@Suite struct ServiceErrorTests {
  @Test("422 contains a pointer to each invalid member")
  func impossible() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("refusals", on: service)
      let app = try await browser.registerNews()
      let error = await #expect(throws: ServiceError.self) {
        try await browser.open(
          EventAttribution(sourceIdentifier: 4, destinationURL: "no URL"), from: app, landingURL: "https:///")
      }
      #expect(error?.status == 422)
      #expect(error?.code == "invalid")
      #expect(Set(error?.pointers ?? []) == ["/destinationURL", "/landingURL"])
      #expect(error?.errors.map(\.code) == [.invalidValue, .invalidValue])
      #expect(error?.isRetryable == false)
      #expect(error?.requestID?.isEmpty == false)
      let text = try #require(error?.description)
      #expect(text.hasPrefix("POST \(service.url)/v1/browsers/refusals/event-attributions returned 422: "), "\(text)")
      #expect(text.contains("\n  /destinationURL: "), "\(text)")
      #expect(error?.localizedDescription == text)
      try await browser.remove(app)
      let unknown = await #expect(throws: ServiceError.self) { try await browser.open(Stage.click, from: app) }
      #expect(unknown?.errors.map(\.code) == [.appUnknown])
      #expect(unknown?.pointers == ["/bundleIdentifier"])
      let name = await #expect(throws: ServiceError.self) { try await PCM.browser(" ", on: service) }
      #expect(name?.status == 422)
      #expect(name?.errors.map(\.parameter) == ["browser"])
    }
  }

  @Test("errors have a status, also when a wait ends")
  func otherRefusals() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("gone", clock: .real, on: service)
      let error = await #expect(throws: ServiceError.self) { try await service.browser("nobody") }
      #expect(error?.status == 404)
      #expect(error?.description.contains("there is no browser \"nobody\"") == true)
      #expect(await #expect(throws: ServiceError.self) { try await browser.app("com.example.none") }?.status == 404)
      #expect(await #expect(throws: ServiceError.self) { try await browser.report("report-1") }?.status == 404)
      #expect(await #expect(throws: ServiceError.self) { try await browser.advance(by: .hours(1)) }?.status == 409)
      let late = await #expect(throws: ServiceError.self) {
        try await browser.waitFor(.reportDelivered, timeout: .milliseconds(10))
      }
      #expect(late?.status == 200)
      #expect(late?.code == "timed-out")
      #expect(late?.isRetryable == true)
      try await browser.delete()
      #expect(await #expect(throws: ServiceError.self) { try await browser.reports() }?.status == 404)
      let stream = await #expect(throws: ServiceError.self) { for try await _ in browser.eventStream() {} }
      #expect(stream?.status == 404)
    }
  }

  @Test("the API token is sent, and its absence is explained")
  func token() async throws {
    try await Stage.withService(token: "secret") { service in
      try await PCM.browser("token", on: service).delete()
      let stranger = PCMService(url: service.url)
      try await stranger.checkHealth()
      let error = await #expect(throws: ServiceError.self) { try await stranger.browsers() }
      #expect(error?.status == 401)
      #expect(error?.description.contains("PCM_BROWSER_API_TOKEN") == true)
      #expect(error?.description.contains("secret") == false)
    }
  }

  @Test("when the connection is refused, the message contains the URL and the command that starts the service")
  func nothingListens() async throws {
    let port = try #require(QuietPort(.refusing))
    let url = "http://127.0.0.1:\(port.number)"
    let error = await #expect(throws: ServiceError.self) { try await PCM.browser("nobody", on: PCMService(url: url)) }
    #expect(error?.status == nil)
    #expect(error?.code == "unreachable")
    #expect(error?.isRetryable == false && error?.requestID == nil)
    let text = try #require(error?.description)
    #expect(text.contains("no service listens at \(url)"), "\(text)")
    #expect(text.contains("pcm-browser serve"), "\(text)")
    #expect(text.contains("PCM_BROWSER_URL"), "\(text)")
    #expect(text.contains("onnection refused"), "\(text)")
    withExtendedLifetime(port) {}
  }

  @Test("a timeout differs from an unreachable service")
  func silence() async throws {
    let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0).get()
    let url = "http://127.0.0.1:\(try #require(silent.localAddress?.port))"
    let service = PCMService(url: url, timeout: .milliseconds(50))
    let error = await #expect(throws: ServiceError.self) { try await service.checkHealth() }
    #expect(error?.code == "timed-out")
    #expect(
      error?.description
        == "GET \(url)/healthz received no response before the timeout\n  PCMService(timeout:) allows 0.05 seconds per call")
    try await silent.close()
  }

  @Test("a canceled call throws a cancellation error, not an unreachable service")
  func canceled() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("canceled", on: service)
      let wait = Task { try await browser.waitFor(.reportDelivered, timeout: .minutes(4)) }
      wait.cancel()
      await #expect(throws: CancellationError.self) { try await wait.value }
    }
  }
}
