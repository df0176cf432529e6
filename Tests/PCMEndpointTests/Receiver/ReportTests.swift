import PCMCore
import PCMCrypto
import Testing

@testable import PCMEndpoint

/// The validation of reports and the verdicts on their tokens.
@Suite struct ReportTests {
  @Test(arguments: [
    ("", RequestError.Code.notAnObject), ("[]", .notAnObject), ("{", .notAnObject), ("{}", .memberMissing),
    (ReceiverFixture.report().replacing("\"click\"", with: "\"view\""), .memberWrong),
    (ReceiverFixture.report(extra: ","), .notAnObject), (ReceiverFixture.report(extra: #","version":3"#), .notAnObject),
    (ReceiverFixture.report(extra: #","a":[1,]"#), .notAnObject),
    (ReceiverFixture.report().replacing(":12,", with: ":12.5,"), .memberWrong),
    (ReceiverFixture.report().replacing(":12,", with: ":1e400,"), .memberWrong),
    (ReceiverFixture.report().replacing(":12,", with: ":16,"), .memberWrong),
    (ReceiverFixture.report().replacing(":12,", with: ":\"12\","), .memberWrong),
    (ReceiverFixture.report().replacing("\"source_id\":4", with: "\"source_id\":256"), .memberWrong),
    (ReceiverFixture.report().replacing("\"source_id\":4", with: "\"source_id\":-1"), .memberWrong),
    (ReceiverFixture.report().replacing("\"version\":3", with: "\"version\":4"), .memberWrong),
    (ReceiverFixture.report().replacing("\"version\":3", with: "\"version\":0"), .memberWrong),
    (ReceiverFixture.report().replacing("\"news.example\"", with: "\"\""), .memberWrong),
    (ReceiverFixture.report().replacing("\"source_site\"", with: "\"site\""), .memberMissing),
    (ReceiverFixture.report(extra: #","source_secret_token":"AAAA""#), .pairIncomplete),
    (ReceiverFixture.report(extra: #","destination_secret_token_signature":"AAAA""#), .pairIncomplete),
  ])
  func aMalformedReportIsRejectedWithItsCode(_ body: String, _ code: RequestError.Code) async throws {
    let endpoint = try ReceiverFixture.endpoint()
    await #expect(throws: RequestError.self) { () async throws in
      _ = try await endpoint.takeReport(ReceiverFixture.request(.report, body))
    }
    let entry = try #require(await endpoint.entries(after: 0, kinds: [.report], limit: 1).first)
    #expect(entry.verdict.outcome == .refused)
    #expect(entry.verdict.error?.code == code)
    #expect(entry.verdict.error?.status == 400)
  }

  @Test(arguments: [1, 2, 3])
  func allVersionsAndUnknownMembersAreAccepted(_ version: Int) throws {
    let body = ReceiverFixture.report(extra: #","later":[1.5,{"a":null}]"#).replacing(
      "\"version\":3", with: "\"version\":\(version)")
    #expect(try ReceivedReport(body: Array(body.utf8)).version == version)
  }

  @Test func aTokenIsVerifiedOnceAtEachSite() async throws {
    let key = try ReceiverFixture.key(bits: 2_048)
    let endpoint = try ReceiverFixture.endpoint()
    let report = ReceiverFixture.report([(.source, try ReceiverFixture.signed(by: key))])
    for (host, outcome) in [
      ("news.example", Verdict.Outcome.accepted), ("shop.example", .accepted), ("news.example", .duplicate),
    ] {
      #expect(try await endpoint.takeReport(ReceiverFixture.request(.report, report, host: host)).outcome == outcome)
    }
  }

  @Test func theSameTokenWithPaddingIsADuplicate() async throws {
    let token = try ReceiverFixture.signed(by: try ReceiverFixture.key(bits: 2_048))
    let endpoint = try ReceiverFixture.endpoint()
    let report = ReceiverFixture.report([(.source, token)])
    let text = Base64URL.encode(token.token.bytes)
    #expect(try await endpoint.takeReport(ReceiverFixture.request(.report, report)).outcome == .accepted)
    let padded = report.replacing(text, with: text + "=")
    let verdict = try await endpoint.takeReport(ReceiverFixture.request(.report, padded))
    #expect(verdict.tokens == [.source: .duplicate(token.keyID)])
    #expect(verdict.recipients == [.source])
  }

  @Test func theSameTokenOfBothRecipientsIsNotADuplicate() async throws {
    let token = try ReceiverFixture.signed(by: try ReceiverFixture.key(bits: 2_048))
    let verdict = try await ReceiverFixture.endpoint().takeReport(
      ReceiverFixture.request(.report, ReceiverFixture.report([(.source, token), (.destination, token)])))
    #expect(verdict.tokens == [.source: .verified(token.keyID), .destination: .verified(token.keyID)])
  }

  @Test func aForgedTokenDoesNotConsumeTheValidOne() async throws {
    let token = try ReceiverFixture.signed(by: try ReceiverFixture.key(bits: 2_048))
    var signature = token.signature
    signature[100] ^= 1
    let forged = SignedToken(token: token.token, signature: signature, keyID: token.keyID)
    let endpoint = try ReceiverFixture.endpoint()
    let verdict = try await endpoint.takeReport(ReceiverFixture.request(.report, ReceiverFixture.report([(.source, forged)])))
    guard case .rejected(let code, _)? = verdict.tokens[.source] else {
      Issue.record("\(verdict)")
      return
    }
    #expect(code == "signature-does-not-verify")
    #expect(verdict.outcome == .forged)
    #expect(
      try await endpoint.takeReport(ReceiverFixture.request(.report, ReceiverFixture.report([(.source, token)]))).outcome
        == .accepted)
  }

  @Test(arguments: [("AAAA", "token-wrong-size"), ("++++", "token-not-base64url")])
  func invalidTokensAreRejected(_ text: String, _ code: String) async throws {
    let body = ReceiverFixture.report(extra: #","source_secret_token":"\#(text)","source_secret_token_signature":"AAAA""#)
    let verdict = try await ReceiverFixture.endpoint().takeReport(ReceiverFixture.request(.report, body))
    guard case .rejected(code, _)? = verdict.tokens[.source] else {
      Issue.record("\(verdict)")
      return
    }
  }

  @Test func theOtherSitesTokenIsUnverifiedWithoutItsKey() async throws {
    let (own, other) = (try ReceiverFixture.key(bits: 2_048), try ReceiverFixture.key(bits: 3_072))
    let token = try ReceiverFixture.signed(by: other)
    let report = ReceiverFixture.request(.report, ReceiverFixture.report([(.destination, token)]))
    let alone = try ReceiverFixture.endpoint(KeyRing(common: KeySeries(current: own), names: ["news.example"]))
    #expect(try await alone.takeReport(report).tokens == [.destination: .unverified])
    for ring in [
      KeyRing(common: KeySeries(current: own), anyOther: other.publicKey),
      KeyRing(common: KeySeries(current: own), others: ["shop.example": other.publicKey]),
      KeyRing(common: KeySeries(current: own), byHost: ["shop.example": KeySeries(current: other)]),
    ] {
      #expect(try await ReceiverFixture.endpoint(ring).takeReport(report).tokens == [.destination: .verified(token.keyID)])
    }
  }

  @Test func afterARotationTokensOfTheOldKeyAreVerified() async throws {
    let (old, new) = (try ReceiverFixture.key(bits: 2_048), try ReceiverFixture.key(bits: 3_072))
    let endpoint = try ReceiverFixture.endpoint()
    let before = try ReceiverFixture.signed(by: old)
    #expect(try await endpoint.rotate(nil, to: new, save: { _ in }) != nil)
    #expect(try await endpoint.rotate("stranger.example", to: new, save: { _ in }) == nil)
    #expect(await endpoint.publicKey(ReceiverFixture.request(.key, "")) == new.publicKeyWire)
    let report = ReceiverFixture.report([(.source, before), (.destination, try ReceiverFixture.signed(by: new))])
    #expect(try await endpoint.takeReport(ReceiverFixture.request(.report, report)).outcome == .accepted)
  }

  @Test func clearingRemovesReportsAndTokens() async throws {
    let endpoint = try ReceiverFixture.endpoint()
    let report = ReceiverFixture.request(
      .report, ReceiverFixture.report([(.source, try ReceiverFixture.signed(by: try ReceiverFixture.key(bits: 2_048)))]))
    _ = try await endpoint.takeReport(report)
    await endpoint.clear()
    #expect(await endpoint.entries(after: 0, kinds: [], limit: 10).isEmpty)
    #expect(try await endpoint.takeReport(report).outcome == .accepted)
    #expect(await endpoint.entries(after: 0, kinds: [], limit: 10).map(\.number) == [2])
  }

  @Test("of the earlier keys, the newest sixteen verify tokens")
  func earlierKeys() async throws {
    let (old, new) = (try ReceiverFixture.key(bits: 2_048), try ReceiverFixture.key(bits: 3_072))
    let endpoint = try ReceiverFixture.endpoint()
    func outcome(_ byte: UInt8) async throws -> Verdict.Outcome {
      let report = ReceiverFixture.report([(.source, try ReceiverFixture.signed(by: old, filledWith: byte))])
      return try await endpoint.takeReport(ReceiverFixture.request(.report, report)).outcome
    }
    for _ in 1...KeySeries.maximumEarlierCount { _ = try await endpoint.rotate(nil, to: new, save: { _ in }) }
    #expect(try await outcome(1) == .accepted)
    let series = try await endpoint.rotate(nil, to: new, save: { _ in })
    #expect(series?.earlier.count == 16)
    #expect(try await outcome(2) == .forged)
  }

  @Test(
    "the list of requests has a maximum number and a maximum size, and keeps the newest",
    arguments: [(0, "news.example"), (65_000, "news.example"), (0, String(repeating: "x", count: 65_000))])
  func listedRequests(_ bodySize: Int, _ host: String) async throws {
    let endpoint = try ReceiverFixture.endpoint()
    let request = ReceiverFixture.request(.pixel, String(repeating: "x", count: bodySize), host: host)
    let size = max(bodySize, host == "news.example" ? 0 : host.utf8.count)
    let total = size == 0 ? ReportEndpoint.listed + 1 : ReportEndpoint.listedByteCount / size + 1
    for _ in 0..<total { await endpoint.note(request, fault: nil) }
    let numbers = await endpoint.entries(after: 0, kinds: [], limit: .max).map(\.number)
    #expect((total * 8 / 10..<total).contains(numbers.count))
    #expect(numbers == Array(Int64(total - numbers.count + 1)...Int64(total)))
  }

  @Test func theOldestValuesAreRemoved() {
    var values = NewestValues<Int, Void>(capacity: 20)
    // Beyond the capacity, a tenth goes: the first two.
    for (number, isNew) in (0..<20).map({ ($0, true) }) + [(0, false), (20, true), (2, false), (1, true), (20, false)] {
      let result = values.set((), for: number)
      #expect(result == isNew, "\(number)")
    }
  }
}
