import PCMReceiver
import PCMTokens
import Testing

/// What a report must be, and what its tokens are worth.
@Suite struct ReportTests {
  @Test(arguments: [
    ("", Refusal.Code.notAnObject), ("[]", .notAnObject), ("{", .notAnObject), ("{}", .memberMissing),
    (Party.report().replacing("\"click\"", with: "\"view\""), .memberWrong),
    (Party.report().replacing(":12,", with: ":16,"), .memberWrong),
    (Party.report().replacing(":12,", with: ":\"12\","), .memberWrong),
    (Party.report().replacing("\"source_id\":4", with: "\"source_id\":256"), .memberWrong),
    (Party.report().replacing("\"source_id\":4", with: "\"source_id\":-1"), .memberWrong),
    (Party.report().replacing("\"version\":3", with: "\"version\":4"), .memberWrong),
    (Party.report().replacing("\"version\":3", with: "\"version\":0"), .memberWrong),
    (Party.report().replacing("\"news.example\"", with: "\"\""), .memberWrong),
    (Party.report().replacing("\"source_site\"", with: "\"site\""), .memberMissing),
    (Party.report(extra: #","source_secret_token":"AAAA""#), .pairIncomplete),
    (Party.report(extra: #","destination_secret_token_signature":"AAAA""#), .pairIncomplete),
  ])
  func aMalformedReportIsRefusedByName(_ body: String, _ code: Refusal.Code) async throws {
    let endpoint = try Party.endpoint()
    await #expect(throws: Refusal.self) { () async throws in _ = try await endpoint.takeReport(Party.arrival(.report, body)) }
    let entry = try #require(await endpoint.entries(after: 0, kind: .report, limit: 1).first)
    #expect(entry.verdict.outcome == .refused)
    #expect(entry.verdict.refusal?.code == code)
    #expect(entry.verdict.refusal?.status == 400)
  }

  @Test(arguments: [1, 2, 3])
  func everyVersionIsTakenAndUnknownMembersAreTolerated(_ version: Int) throws {
    let body = Party.report(extra: #","later":[1.5,{"a":null}]"#).replacing("\"version\":3", with: "\"version\":\(version)")
    #expect(try ReceivedReport(body: Array(body.utf8)).version == version)
  }

  @Test func aTokenIsVerifiedOnceAtEachParty() async throws {
    let key = try Party.key(bits: 2_048)
    let endpoint = try Party.endpoint()
    let report = Party.report([(.source, try Party.signed(by: key))])
    for (host, outcome) in [
      ("news.example", Verdict.Outcome.accepted), ("shop.example", .accepted), ("news.example", .duplicate),
    ] {
      #expect(try await endpoint.takeReport(Party.arrival(.report, report, host: host)).outcome == outcome)
    }
  }

  @Test func theSameBytesWrittenWithPaddingAreADuplicate() async throws {
    let token = try Party.signed(by: try Party.key(bits: 2_048))
    let endpoint = try Party.endpoint()
    let report = Party.report([(.source, token)])
    let text = Base64URL.encode(token.token.bytes)
    #expect(try await endpoint.takeReport(Party.arrival(.report, report)).outcome == .accepted)
    let padded = report.replacing(text, with: text + "=")
    let verdict = try await endpoint.takeReport(Party.arrival(.report, padded))
    #expect(verdict.tokens == [.source: .duplicate(token.keyID)])
    #expect(verdict.recipients == [.source])
  }

  @Test func theSameTokenOfBothSidesIsNoDuplicate() async throws {
    let token = try Party.signed(by: try Party.key(bits: 2_048))
    let verdict = try await Party.endpoint().takeReport(
      Party.arrival(.report, Party.report([(.source, token), (.destination, token)])))
    #expect(verdict.tokens == [.source: .verified(token.keyID), .destination: .verified(token.keyID)])
  }

  @Test func aForgedTokenDoesNotUseUpTheRealOne() async throws {
    let token = try Party.signed(by: try Party.key(bits: 2_048))
    var signature = token.signature
    signature[100] ^= 1
    let forged = SignedToken(token: token.token, signature: signature, keyID: token.keyID)
    let endpoint = try Party.endpoint()
    let verdict = try await endpoint.takeReport(Party.arrival(.report, Party.report([(.source, forged)])))
    guard case .rejected(let code, _)? = verdict.tokens[.source] else {
      Issue.record("\(verdict)")
      return
    }
    #expect(code == "signature-does-not-verify")
    #expect(verdict.outcome == .forged)
    #expect(try await endpoint.takeReport(Party.arrival(.report, Party.report([(.source, token)]))).outcome == .accepted)
  }

  @Test(arguments: [("AAAA", "token-wrong-size"), ("++++", "token-not-base64url")])
  func whatIsNoTokenIsRejected(_ text: String, _ code: String) async throws {
    let body = Party.report(extra: #","source_secret_token":"\#(text)","source_secret_token_signature":"AAAA""#)
    let verdict = try await Party.endpoint().takeReport(Party.arrival(.report, body))
    guard case .rejected(code, _)? = verdict.tokens[.source] else {
      Issue.record("\(verdict)")
      return
    }
  }

  @Test func theOtherPartysTokenIsUnverifiedUnlessItsKeyIsKnown() async throws {
    let (own, other) = (try Party.key(bits: 2_048), try Party.key(bits: 3_072))
    let token = try Party.signed(by: other)
    let report = Party.arrival(.report, Party.report([(.destination, token)]))
    let alone = try Party.endpoint(KeyRing(common: KeySeries(current: own), names: ["news.example"]))
    #expect(try await alone.takeReport(report).tokens == [.destination: .unverified])
    for ring in [
      KeyRing(common: KeySeries(current: own), anyOther: other.publicKey),
      KeyRing(common: KeySeries(current: own), others: ["shop.example": other.publicKey]),
      KeyRing(common: KeySeries(current: own), byHost: ["shop.example": KeySeries(current: other)]),
    ] {
      #expect(try await Party.endpoint(ring).takeReport(report).tokens == [.destination: .verified(token.keyID)])
    }
  }

  @Test func afterARotationTheOldKeysTokensAreStillVerified() async throws {
    let (old, new) = (try Party.key(bits: 2_048), try Party.key(bits: 3_072))
    let endpoint = try Party.endpoint()
    let before = try Party.signed(by: old)
    #expect(try await endpoint.rotate(nil, to: new, save: { _ in }) != nil)
    #expect(try await endpoint.rotate("stranger.example", to: new, save: { _ in }) == nil)
    #expect(await endpoint.publicKey(Party.arrival(.key, "")) == new.publicKeyWire)
    let report = Party.report([(.source, before), (.destination, try Party.signed(by: new))])
    #expect(try await endpoint.takeReport(Party.arrival(.report, report)).outcome == .accepted)
  }

  @Test func clearingForgetsReportsAndTokens() async throws {
    let endpoint = try Party.endpoint()
    let report = Party.arrival(.report, Party.report([(.source, try Party.signed(by: try Party.key(bits: 2_048)))]))
    _ = try await endpoint.takeReport(report)
    await endpoint.clear()
    #expect(await endpoint.entries(after: 0, kind: nil, limit: 10).isEmpty)
    #expect(try await endpoint.takeReport(report).outcome == .accepted)
    #expect(await endpoint.entries(after: 0, kind: nil, limit: 10).map(\.number) == [2])
  }

  @Test func theOldestTokensMakeRoom() throws {
    var seen = SeenTokens(capacity: 20)
    func token(_ number: Int) throws -> UnlinkableToken {
      try UnlinkableToken(bytes: [UInt8](repeating: UInt8(number), count: 32))
    }
    for number in 0..<20 { #expect(seen.insert(try token(number), of: .source, at: "news.example")) }
    #expect(!seen.insert(try token(0), of: .source, at: "news.example"))
    #expect(seen.insert(try token(20), of: .source, at: "news.example"))
    // A tenth has gone: the first two.
    #expect(!seen.insert(try token(2), of: .source, at: "news.example"))
    #expect(seen.insert(try token(1), of: .source, at: "news.example"))
    #expect(!seen.insert(try token(20), of: .source, at: "news.example"))
  }
}
