import Foundation
import PCMCore
import PCMNetwork
import ServiceSupport
import Testing

/// `pcm-browser receive` as devices meet it: over TLS.
@Suite(.timeLimit(.minutes(10))) struct ReceivePostbackTests {
  private static let path = AdFramework.skadnetwork.copyPath
  private static let payload = "/.well-known/skadnetwork/get-signed-payload"
  private static let request = """
    {"source_domain":"news.example","source_engagement_type":"click_to_App_Store",\
    "source_nonce":"t8naKxXHTzuTJhNfljADPQ","version":"4.0"}
    """

  private func vector(_ name: String) throws -> String { try ReceiveStage.fixture("device/vectors/\(name)") }

  @Test func postbacksAreKeptListedAndWrittenDown() async throws {
    let (network, kit) = (try vector("postback-v4.0-a.json"), try vector("aak-postback.json"))
    func options(_: TemporaryFolder) -> [String] { ["--postback-path", "/postbacks"] }
    try await ReceiveStage.run(with: options) { stage async throws in
      let exchange = await stage.send(.post, Self.path, network)
      #expect(exchange.httpStatus == 200 && exchange.httpVersion == "2")
      #expect(await stage.send(.post, "/postbacks", kit, host: "shop.example").httpStatus == 200)
      #expect(await stage.send(.post, Self.path, network).httpStatus == 200)
      #expect(await stage.send(.post, Self.path, "{").httpStatus == 400)
      let entries = try await stage.postbacks()
      #expect(entries.map(\.verdict) == ["accepted", "accepted", "duplicate", "refused"])
      #expect(entries.map { $0.postback?.environment } == ["production", "development", "production", nil])
      #expect(entries.first?.postback?.key == "apple-skadnetwork-p256")
      let lines = try String(contentsOfFile: stage.files.path + "/reports.jsonl", encoding: .utf8).split(separator: "\n")
      #expect(lines.count == 4 && lines.allSatisfy { $0.contains(#""kind":"postback""#) })
    }
  }

  @Test func aWebAdIsServedWithItsFaults() async throws {
    func options(_: TemporaryFolder) -> [String] {
      ["--ad-network", "b2.adattributionkit", "--advertised-app", "42", "--source-identifier", "7"]
    }
    try await ReceiveStage.run(with: options) { stage async throws in
      let exchange = await stage.send(.post, Self.payload, Self.request)
      #expect(exchange.httpStatus == 200 && exchange.contentType == "application/json")
      let text = String(decoding: exchange.body, as: UTF8.self)
      #expect(
        text.hasPrefix(#"{"version":"4.0","ad_network_id":"b2.adattributionkit","source_identifier":7,"itunes_item_id":42,"#))
      #expect(exchange.member("nonce") == "b7c9da2b-15c7-4f3b-9326-135f9630033d")
      #expect(exchange.member("source_domain") == "news.example")
      try await stage.order(
        #"{"fault":"wrong-nonce","times":1},{"on":"signed-payload","fault":"truncated","times":1},{"fault":"stream-reset"}"#)
      #expect(await stage.send(.post, Self.payload, Self.request).member("nonce") == "b7c9da2b-15c7-4f3b-9326-135f96300330")
      let half = await stage.send(.post, Self.payload, Self.request)
      #expect(half.failure == nil && half.member("nonce") == nil && half.body.count > 50)
      #expect(await stage.send(.post, Self.payload, Self.request).failure != nil)
    }
  }
}
