import PCMCore
import PCMCrypto
import Testing

/// Section I of the conformance cases between the two executables: `serve` plays the browser, `receive` signs, verifies and
/// fails on command.
@Suite(.timeLimit(.minutes(10))) struct TokenStoryTests {
  /// The members of a report without its tokens.
  private static func opening(_ sourceID: Int, _ data: Int = 12) -> String {
    #"{"source_engagement_type":"click","source_site":"news.example","source_id":\#(sourceID),"#
      + #""attributed_on_site":"shop.example","trigger_data":\#(data),"version":3"#
  }

  /// Kind and host of a request at an endpoint.
  private static func line(_ entry: ReceiveStage.EntryView) -> String { "\(entry.kind) \(entry.host)" }

  @Test("cases 100 and 105: key, signature, key and report in this order, without cookies, and both reports verify")
  func sourceToken() async throws {
    try await TokenStage.run { browser, endpoint async throws in
      let nonce = try await endpoint.mint()
      try await browser.click(3, nonce: nonce)
      #expect(try await browser.trigger("12").outcome == "attributed")
      try await browser.advance()
      let requests = try await endpoint.requests()
      let lines = requests.map(Self.line)
      #expect(lines.prefix(3) == ["key news.example", "sign news.example", "key news.example"])
      #expect(lines.count == 6 && lines[4] == "key news.example", "\(lines)")
      #expect(Set([lines[3], lines[5]]) == ["report news.example", "report shop.example"])
      #expect(requests.allSatisfy { !$0.hasCookie && $0.verdict == "accepted" })
      let blinded = try #require(try textMembers(requests[1].body)["source_unlinkable_token"])
      #expect(
        requests[1].body
          == #"{"source_engagement_type":"click","source_nonce":"\#(nonce)","source_unlinkable_token":"\#(blinded)","version":3}"#
      )
      #expect(Base64URL.decode(blinded)?.count == 256)
      let reported = try textMembers(requests[3].body)
      let (token, signature) = (reported["source_secret_token"] ?? "", reported["source_secret_token_signature"] ?? "")
      #expect(
        requests[3].body == Self.opening(3)
          + #","source_secret_token":"\#(token)","source_secret_token_signature":"\#(signature)"}"#)
      #expect(requests[5].body == requests[3].body)
      #expect(try await endpoint.entries().map { $0.tokens["source"]??.verdict } == ["verified", "verified"])
      #expect(try await browser.storedClicks().isEmpty)
      #expect(try await browser.pendingAttributions().isEmpty)
    }
  }

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
          report.body == Self.opening(4) + all.map { #","\#($0)":"\#(reported[$0] ?? "")""# }.joined() + "}", "\(report.body)")
        #expect(report.tokens.mapValues { $0?.verdict } == ["source": "verified", "destination": "verified"])
        #expect(report.tokens["source"]??.keyId != report.tokens["destination"]??.keyId)
        #expect(![sourceNonce, destinationNonce].contains { report.body.contains($0) })
      }
    }
  }

  @Test("case 107: a key that is rotated after one report was sent loses the other, and a later click passes with the new key")
  func rotatedKey() async throws {
    try await TokenStage.run { browser, endpoint async throws in
      try await browser.click(3, nonce: endpoint.mint())
      try await browser.trigger("12")
      try await browser.advance("toNextEvent")
      #expect(try await endpoint.entries().map(\.verdict) == ["accepted"])
      #expect(try await endpoint.admin("POST", "keys/rotate?host=news.example").status == 200)
      try await browser.advance()
      #expect(try await endpoint.requests().map(\.kind) == ["key", "sign", "key", "report", "key"])
      let lost = try #require(try await browser.reports().first { $0.state == "failed" })
      #expect(Set(try await browser.reports().map(\.state)) == ["delivered", "failed"])
      let failures = try await browser.events().filter { $0.kind == "report-failed" }
      #expect(failures.map { $0.detail.text.contains(#""code":"token-key-changed""#) } == [true])
      let why = try await browser.read("explain?about=\(lost.id)", as: TokenStage.ExplanationView.self)
      #expect(why.firstFailure?.rule == "token-keys-are-unchanged")
      #expect(why.events.last?.kind == "report-failed")
      try await browser.click(5, nonce: endpoint.mint())
      try await browser.trigger("09")
      try await browser.advance()
      let later = try await endpoint.entries()
      #expect(later.map(\.verdict) == ["accepted", "accepted", "accepted"])
      #expect(later.dropFirst().allSatisfy { $0.body.hasPrefix(Self.opening(5, 9)) })
      #expect(later.map { $0.tokens["source"]??.verdict } == ["verified", "verified", "verified"])
      #expect(later[0].tokens["source"]??.keyId != later[1].tokens["source"]??.keyId)
    }
  }

  @Test(
    "case 107: a party that serves one caller another key gets no report from them",
    arguments: ["webkit", "reliable"])
  func otherKeyBeforeTheReport(_ policy: String) async throws {
    try await TokenStage.run(policy: policy) { browser, endpoint async throws in
      try await browser.click(3, nonce: endpoint.mint())
      try await browser.trigger("12")
      try await endpoint.order(#"{"on":"key","fault":"wrong-key"}"#)
      try await browser.advance()
      #expect(try await endpoint.entries().isEmpty)
      #expect(try await endpoint.requests().map(\.kind) == ["key", "sign", "key", "key"])
      #expect(try await browser.reports().map(\.state) == ["failed", "failed"])
    }
  }

  @Test("case 108: the destination's site is asked for a signature although no click is stored")
  func unconditional() async throws {
    try await TokenStage.run { browser, endpoint async throws in
      #expect(try await browser.trigger("12", nonce: TokenStage.nonce).outcome == "unmatched")
      let requests = try await endpoint.requests()
      #expect(requests.map(Self.line) == ["key shop.example", "sign shop.example"])
      #expect(requests.map(\.verdict) == ["accepted", "accepted"])
    }
  }

  @Test(
    "case 110: an invalid destination nonce is refused before any request", arguments: ["short", TokenStage.nonce + "ABCD", ""])
  func invalidDestinationNonce(_ nonce: String) async throws {
    try await TokenStage.run { browser, endpoint async throws in
      try await browser.click(3)
      let outcome = try await browser.trigger("12", nonce: nonce)
      #expect(outcome.outcome == "rejected")
      #expect(outcome.codes == [nonce.isEmpty ? "nonce-parameter-empty" : "destination-token-failed"])
      #expect(try await endpoint.requests().isEmpty)
      #expect(try await browser.storedClicks().count == 1)
    }
  }

  /// The fault of the exchange, its code, and the requests.
  static let broken: [(fault: String, code: String, kinds: [String])] = [
    (#"{"on":"sign","fault":"forged-signature"}"#, "token-signature-invalid", ["key", "sign"]),
    (#"{"on":"sign","fault":"short-signature"}"#, "token-signature-invalid", ["key", "sign"]),
    (#"{"on":"sign","fault":"status","status":403}"#, "token-signature-invalid", ["key", "sign"]),
    (#"{"on":"sign","fault":"reset-after-body"}"#, "token-signature-unavailable", ["key", "sign"]),
    (#"{"on":"key","fault":"wrong-key"}"#, "token-signature-invalid", ["key", "sign"]),
    (#"{"on":"key","fault":"status","status":503}"#, "token-key-invalid", ["key"]),
    (#"{"on":"key","fault":"redirect","location":"https://shop.example/"}"#, "token-key-invalid", ["key"]),
    (#"{"on":"key","fault":"reset-before-body"}"#, "token-key-unavailable", ["key"]),
  ]

  @Test(
    "cases 109 and 113: with a forged or short signature, or none, a click stays without token and an event counts for nothing",
    arguments: broken)
  func brokenExchange(_ fault: String, _ code: String, _ kinds: [String]) async throws {
    try await TokenStage.run { browser, endpoint async throws in
      try await endpoint.order(fault)
      try await browser.click(3, nonce: endpoint.mint())
      #expect(try await browser.events().last { $0.kind == "token-failed" }?.codes == [code])
      let rejected = try await browser.trigger("12", nonce: endpoint.mint())
      #expect(rejected.outcome == "rejected" && rejected.codes == ["destination-token-failed"])
      #expect(rejected.reasons.first?.detail.contains(code) == true, "\(rejected)")
      #expect(try await endpoint.requests().map(\.kind) == kinds + kinds)
      #expect(try await browser.storedClicks().count == 1)
      #expect(try await browser.trigger("12").outcome == "attributed")
      try await browser.advance()
      let reports = try await endpoint.entries()
      #expect(reports.map(\.body) == [Self.opening(3) + "}", Self.opening(3) + "}"])
    }
  }

  @Test("a browser's second click with a nonce that has had its signature gets none")
  func spentNonce() async throws {
    try await TokenStage.run { browser, endpoint async throws in
      try await browser.click(3, nonce: TokenStage.nonce)
      try await browser.click(4, nonce: TokenStage.nonce)
      #expect(try await endpoint.requests().map(\.verdict) == ["accepted", "accepted", "accepted", "refused"])
      #expect(try await browser.events().last { $0.kind == "token-failed" }?.codes == ["token-signature-invalid"])
    }
  }
}
