import PCMCore
import Testing

/// Tokens between the two executables: `serve` plays the browser, and `receive` signs and verifies.
@Suite(.timeLimit(.minutes(10))) struct TokenStoryTests {
  /// The members of a report without its tokens.
  private static let opening =
    #"{"source_engagement_type":"click","source_site":"news.example","source_id":4,"#
    + #""attributed_on_site":"shop.example","trigger_data":12,"version":3"#

  /// Kind and host of a request at an endpoint.
  private static func line(_ entry: ReceiveStage.EntryView) -> String { "\(entry.kind) \(entry.host)" }

  @Test("cases 111 and 112: each token is signed and checked on its site, and a report shows both in their order")
  func bothTokens() async throws {
    try await TokenStage.run { browser, endpoint async throws in
      let (sourceNonce, destinationNonce) = (try await endpoint.mint(), try await endpoint.mint())
      try await browser.click(4, nonce: sourceNonce)
      #expect(try await browser.trigger("12", nonce: destinationNonce).outcome == "attributed")
      try await browser.advance()
      let requests = try await endpoint.requests()
      #expect(
        requests.map(Self.line).filter { !$0.hasPrefix("report") } == [
          "key news.example", "sign news.example", "key shop.example", "sign shop.example",
          "key news.example", "key shop.example", "key news.example", "key shop.example",
        ])
      #expect(requests.map(\.kind).suffix(6) == ["key", "key", "report", "key", "key", "report"])
      let asked = try textMembers(requests[3].body)
      #expect(requests[3].body.hasPrefix(#"{"source_engagement_type":"click","destination_nonce":"\#(destinationNonce)""#))
      // Of the size of the destination's modulus, not of the source's.
      #expect(asked["destination_unlinkable_token"].flatMap(Base64URL.decode)?.count == 384)
      let reports = try await endpoint.entries()
      #expect(reports.count == 2 && reports.allSatisfy { $0.verdict == "accepted" && !$0.hasCookie })
      for report in reports {
        let names = ["source_secret_token", "source_secret_token_signature", "destination_secret_token"]
        let all = names + ["destination_secret_token_signature"]
        let reported = try textMembers(report.body)
        #expect(
          report.body == Self.opening + all.map { #","\#($0)":"\#(reported[$0] ?? "")""# }.joined() + "}", "\(report.body)")
        #expect(report.tokens.mapValues { $0?.verdict } == ["source": "verified", "destination": "verified"])
        #expect(report.tokens["source"]??.keyId != report.tokens["destination"]??.keyId)
        #expect(![sourceNonce, destinationNonce].contains { report.body.contains($0) })
      }
    }
  }
}
