import Foundation
import PCMClient
import TLSSupport
import Testing

/// The calls about tracking, against the real service.
@Suite struct TrackingTests {
  @Test func consentDecidesAboutTheRequestsOfAnSDK() async throws {
    try await Stage.withService { service in
      let device = try await PCM.browser("consent", on: service).device
      let app = try await device.register(
        app: "com.example.shop", infoPlist: ["NSUserTrackingUsageDescription": "To measure ads."], itemIdentifier: 1)
      #expect(try await device.recordSDKEvent("open", by: app, waitingInterval: .seconds(30)).outcome == "held")
      let request = try await device.requestTracking(by: app)
      #expect(request.outcome == "prompted" && request.usageDescription == "To measure ads.")
      #expect(try await device.tracking(of: app).promptDisplayed)
      let answer = try await device.answerTracking(of: app, allow: true)
      #expect(answer.status == 3 && answer.id == request.id)
      #expect(try await device.sdkRequests().map(\.id) == answer.sdkRequestIDs)
      #expect(try await device.sdkRequests().map(\.url) == ["https://consent.adjust.com/event"])
      #expect(try await device.changeTracking(of: app, allow: false).status == 2)
      #expect(try await device.changeTracking(.restricted).system == .restricted)
      #expect(try await device.tracking(of: app).status == 1)
      #expect(try await device.recordSDKEvent("sale", by: app, urlStrategy: .india).outcome == "recorded")
      #expect(try await device.sdkRequests().last?.url == "https://analytics.adjust.net.in/event")
      #expect(try await device.browser.explain(request.subject).summary.contains("The user answered the prompt"))
    }
  }

  @Test func onlyAMappedHostReceivesARequest() async throws {
    let authority = try TestAuthority()
    let server = try await RecordingServer.start(try authority.issue(names: ["consent.adjust.com"]))
    let mapping = "consent.adjust.com:443:127.0.0.1:\(server.port)"
    try await Stage.withService("--connect-to", mapping, "--ca-file", authority.certificateFile) { service in
      let device = try await PCM.browser("mapped", on: service).device
      let app = try await device.register(
        app: "com.example.shop", infoPlist: ["NSUserTrackingUsageDescription": "To measure ads."], itemIdentifier: 1)
      try await device.recordSDKEvent("before", by: app)
      try await device.requestTracking(by: app)
      try await device.answerTracking(of: app, allow: true)
      try await device.recordSDKEvent("after", by: app)
      _ = try await device.browser.advance(by: .seconds(1))
      let requests = try await device.sdkRequests()
      #expect(requests.map(\.state) == ["failed", "delivered"])
      #expect(requests.first?.reasons.map(\.code.rawValue) == ["address-refused"])
    }
    let received = await server.requests
    #expect(received.map(\.target) == ["/event"])
    #expect(received.allSatisfy { String(decoding: $0.body, as: UTF8.self).contains(#""event":"after""#) })
    await server.stop()
  }
}
