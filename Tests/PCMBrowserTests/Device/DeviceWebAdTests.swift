import BrowserSupport
import PCMBrowser
import PCMCore
import PCMCrypto
import PCMDevice
import PCMNetwork
import PCMStore
import Testing

/// A click on a link to the App Store, whose signed values the device requests from the ad network.
@Suite struct DeviceWebAdTests {
  private static let nonce = "t8naKxXHTzuTJhNfljADPQ"
  private static let uuid = "b7c9da2b-15c7-4f3b-9326-135f9630033d"

  private static func payload(_ change: (inout [JSON.Member]) -> Void = { _ in }) throws -> [UInt8] {
    let impression = SKAdNetworkImpression(
      version: .v4, adNetworkIdentifier: DeviceScene.network, campaign: .source("3120"),
      itemIdentifier: DeviceScene.advertisedItem, nonce: uuid, source: .site("blog.example"), fidelity: .storeKitRendered,
      timestamp: Scene.start.milliseconds)
    var members: [JSON.Member] = [
      .init("version", "4.0"), .init("ad_network_id", .string(DeviceScene.network)), .init("source_identifier", 3120),
      .init("itunes_item_id", .number(DeviceScene.advertisedItem)), .init("nonce", .string(uuid)),
      .init("source_domain", "blog.example"), .init("timestamp", .number(Scene.start.milliseconds)),
      .init("signature", .string(try impression.signature(by: TestKeys().adNetwork))),
    ]
    change(&members)
    return JSON.object(members).bytes
  }

  private func click(_ device: DeviceScene) async throws -> ClickRecord {
    try await device.browser.perform(
      LinkClickInput(
        pageURL: "https://www.blog.example/", attributionSourceID: nil, attributionDestination: "https://ads.example",
        attributionSourceNonce: Self.nonce, href: "https://apps.apple.com/app/id\(DeviceScene.advertisedItem)"))
  }

  private func device(_ exchange: Exchange) async throws -> DeviceScene {
    try await DeviceScene(
      transport: ScriptedTransport { request, _ in
        request.url.contains("get-signed-payload") ? exchange : Exchange(httpStatus: 200)
      })
  }

  @Test("The device requests the signed values, and the install is attributed to the web ad")
  func recorded() async throws {
    let device = try await device(Exchange(httpStatus: 200, contentType: "application/json", body: try Self.payload()))
    let followed = try await click(device)
    #expect(followed.reasons.map(\.code) == ["app-store-link"])
    #expect(followed.kind == .handedOver && followed.state == .handedOver)
    #expect(try await device.browser.clicks(ClickFilter([.handedOver]), after: 0, limit: 2).items.map(\.kind) == [.handedOver])
    #expect(try await device.browser.clicks(ClickFilter([.discarded]), after: 0, limit: 2).items.isEmpty)
    let explanation = try await device.browser.explain("click-\(followed.sequence)")
    #expect(explanation.steps.map(\.outcome) == ["handed-over"])
    let impression = try #require(followed.webAd)
    #expect(explanation.summary.hasPrefix("The click was handed over to the device as impression-\(impression): "))
    #expect(try await device.browser.explain("ads.example").summary.hasPrefix("No report: the click was handed over, "))
    let request = try #require(await device.scene.transport.requests.first)
    #expect(request.url == "https://ads.example/.well-known/skadnetwork/get-signed-payload" && request.method == .post)
    let body =
      #"{"source_domain":"blog.example","source_engagement_type":"click_to_App_Store","source_nonce":"t8naKxXHTzuTJhNfljADPQ","version":"4.0"}"#
    #expect(String(decoding: request.body ?? [], as: UTF8.self) == body)
    let install = try await device.install()
    #expect(install.kind == .attributed)
    try await device.launch()
    try await device.report(fine: 63)
    _ = try await device.scene.browser.advance(.untilIdle())
    let postback = try #require(try await device.postbacks().first)
    #expect(JSON(parsing: Array(postback.body.utf8))?["source-domain"] == "blog.example")
  }

  @Test("A click whose caller leaves is decided as without a response", arguments: [false, true])
  func departed(_ isSent: Bool) async throws {
    let (requests, request) = AsyncStream.makeStream(of: Void.self)
    let device = try await DeviceScene(
      transport: ScriptedTransport { _, _ in
        request.yield()
        for await _ in AsyncStream.makeStream(of: Never.self).stream {}
        return Exchange(failure: TransportFailure(.transportClosed, "the send was canceled"))
      })
    let mayBegin = Gate()
    let click = Task {
      await mayBegin.wait()
      return try await self.click(device)
    }
    if isSent {
      mayBegin.open()
      for await _ in requests { break }
    }
    click.cancel()
    mayBegin.open()
    let outcome = try await click.value
    #expect(outcome.reasons.map(\.code) == ["app-store-link"])
    #expect(await device.scene.transport.requests.count == (isSent ? 1 : 0))
    let event = try #require(try await device.browser.events(after: 0, limit: 100).last)
    #expect(event.kind == .impressionRejected && event.detail.text.contains("transport-closed"), "\(event.detail.text)")
  }

  @Test("A web ad that the device has no room for is rejected with its reason")
  func full() async throws {
    let store = MemoryStore()
    let payload = try Self.payload()
    let device = try await DeviceScene(
      store: store,
      transport: ScriptedTransport { _, _ in Exchange(httpStatus: 200, contentType: "application/json", body: payload) })
    try await device.display(device.ad())
    try await store.write(device.browser.record.id) { writer in
      let row = try #require(try writer.deviceRows(.impression, after: "", limit: 1).first)
      for number in 1..<1_000 {
        let value = row.value.replacing(#""id":"#, with: #""id":9\#(number),"former":"#)
        try writer.save(DeviceRow(.impression, "impression-9\(number)", value: value))
      }
    }
    _ = try await click(device)
    let event = try #require(try await device.browser.events(after: 0, limit: 1_000).last)
    #expect(event.kind == .impressionRejected && event.detail.text.contains("too-many-impressions"))
  }
}
