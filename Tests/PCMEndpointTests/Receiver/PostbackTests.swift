import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMVerify
import Testing

/// The verdicts on postbacks, and duplicates.
@Suite struct PostbackTests {
  private static let versions = SKAdNetworkVersion.allCases

  @Test("A postback that a test key signs is a test, in every version", arguments: versions)
  func testKeys(_ version: SKAdNetworkVersion) async throws {
    let verdict = try await PostbackFixture.take(PostbackFixture.skAdNetwork(version), at: ReceiverFixture.endpoint())
    #expect(verdict.outcome == .accepted)
    #expect(verdict.postback?.postback.environment == .test)
    #expect(verdict.postback?.postback.signature.key?.name == (version < .v21 ? "skadnetwork-p192" : "skadnetwork-p256"))
  }

  @Test("A test key of AdAttributionKit counts under its identifier", arguments: TestKeyPair.adAttributionKit)
  func testIdentifiers(_ identifier: TestKeyPair) async throws {
    let body = try PostbackFixture.adAttributionKit(TestKeys().signer(identifier))
    let verdict = try await PostbackFixture.take(body, at: ReceiverFixture.endpoint())
    #expect(verdict.outcome == .accepted)
    #expect(verdict.postback?.postback.environment == .test)
    #expect(verdict.postback?.postback.signature.key?.name == identifier.rawValue)
  }

  @Test func aTestKeyUnderAnotherIdentifierIsForged() async throws {
    let key = try TestKeyPair.production.privateKey()
    let signers = [
      try JWSSigner(impersonating: .production, with: key), try JWSSigner(TestKeyPair.development0, with: key),
    ]
    for signer in signers {
      let body = try PostbackFixture.adAttributionKit(signer)
      let verdict = try await PostbackFixture.take(body, at: ReceiverFixture.endpoint())
      #expect(verdict.outcome == .forged, "\(signer.keyIdentifier)")
      #expect(verdict.postback?.postback.signature.key?.name == signer.keyIdentifier)
    }
  }

  @Test func anotherKeyCountsUnderAnIdentifierOfApple() async throws {
    let signer = try JWSSigner(impersonating: .production, with: TestKeyPair.adNetwork.privateKey())
    let ads = try AppAds(otherKeys: [PostbackFixture.key("ad-network.public.pem")])
    let body = try PostbackFixture.adAttributionKit(signer)
    let verdict = try await PostbackFixture.take(body, at: ReceiverFixture.endpoint(appAds: ads))
    #expect(verdict.outcome == .accepted)
    #expect(verdict.postback?.postback.environment == .test)
  }

  @Test func aPostbackWithAnUnknownVersionOrKeyIsUnverifiable() async throws {
    let endpoint = try ReceiverFixture.endpoint()
    let later = try PostbackFixture.skAdNetwork().replacing(#""version":"4.0""#, with: #""version":"5.0""#)
    #expect(try await PostbackFixture.take(later, at: endpoint).outcome == .unverifiable)
    let signer = try JWSSigner(adNetworkIdentifier: "apple-cas-identifier/1", with: TestKeyPair.adNetwork.privateKey())
    let verdict = try await PostbackFixture.take(PostbackFixture.adAttributionKit(signer), at: endpoint)
    #expect(verdict.outcome == .unverifiable)
    #expect(verdict.postback?.postback.environment == nil)
    #expect(await endpoint.postbackCounts["unverifiable"] == 2)
  }

  @Test func aPostbackIsCountedOnceAndItsFirstCopyStays() async throws {
    let endpoint = try ReceiverFixture.endpoint()
    let first = try PostbackFixture.skAdNetwork(value: .fine(3), country: "US")
    #expect(try await PostbackFixture.take(first, at: endpoint).outcome == .accepted)
    let again = try await PostbackFixture.take(first, at: endpoint)
    #expect(again.outcome == .duplicate)
    #expect(again.postback?.duplicate?.number == 1)
    #expect(again.postback?.duplicate?.changed == [])
    for (value, changed) in [
      (ConversionValue.fine(63), ["conversion-value"]), (.coarse(.high), ["coarse-conversion-value", "conversion-value"]),
    ] {
      let other = try PostbackFixture.skAdNetwork(value: value, country: "US")
      let duplicate = try await PostbackFixture.take(other, at: endpoint).postback?.duplicate
      #expect(duplicate?.number == 1)
      #expect(duplicate?.changed == changed)
    }
    let counts = await endpoint.postbackCounts
    #expect(counts["test"]?.text == #"{"counted":1,"duplicates":3}"#)
    #expect(counts["production"]?.text == #"{"counted":0,"duplicates":0}"#)
  }

  @Test func otherIndexesFrameworksAndURLsAreNoDuplicates() async throws {
    let endpoint = try ReceiverFixture.endpoint()
    let body = try PostbackFixture.skAdNetwork()
    var verdicts = [try await PostbackFixture.take(body, at: endpoint)]
    for index in [Int64(1), 2] {
      verdicts.append(try await PostbackFixture.take(PostbackFixture.skAdNetwork(index: index), at: endpoint))
      verdicts.append(try await PostbackFixture.take(PostbackFixture.adAttributionKit(index: index), at: endpoint))
    }
    verdicts.append(try await PostbackFixture.take(PostbackFixture.adAttributionKit(), at: endpoint))
    verdicts.append(try await PostbackFixture.take(body, at: endpoint, host: "shop.example"))
    verdicts.append(try await PostbackFixture.take(body, at: endpoint, path: "/copies"))
    #expect(verdicts.map(\.outcome) == Array(repeating: .accepted, count: 8))
    #expect(try await PostbackFixture.take(body, at: endpoint, path: "/copies?a=1").outcome == .duplicate)
  }

  @Test func anInvalidCopyUsesUpNothing() async throws {
    let endpoint = try ReceiverFixture.endpoint()
    let body = try PostbackFixture.skAdNetwork(value: .fine(3))
    let altered = body.replacing(#""conversion-value":3"#, with: #""conversion-value":"3""#)
    let tampered = body.replacing("5239", with: "5238")
    for invalid in [altered, tampered] {
      #expect(try await PostbackFixture.take(invalid, at: endpoint).outcome == .forged)
    }
    #expect(try await PostbackFixture.take(body, at: endpoint).outcome == .accepted)
    await endpoint.clear()
    #expect(try await PostbackFixture.take(body, at: endpoint).outcome == .accepted)
    #expect(await endpoint.postbackCounts["forged"] == 0)
  }

  @Test(
    "A request whose signature cannot be checked is rejected with its code and recorded",
    arguments: [
      ("", RequestError.Code.notAnObject, "JSON object"), ("[]", .notAnObject, "JSON object"),
      ("{", .notAnObject, "JSON object"),
      (#"{"jws-string":1,"jws-string":1}"#, .notAnObject, "JSON object"), ("{}", .notPostback, "attribution-signature"),
      (#"{"jws-string":5}"#, .postbackInvalid, "/jws-string"), (#"{"jws-string":"a.b"}"#, .postbackInvalid, "three parts"),
      (#"{"jws-string":"eyJhbGciOiJub25lIn0.e30.AAAA"}"#, .postbackInvalid, "alg"),
      (#"{"transaction-id":"x"}"#, .postbackInvalid, "/ad-network-id"),
      (#"{"version":4,"transaction-id":"x"}"#, .postbackInvalid, "/version"),
    ])
  func rejected(_ body: String, _ code: RequestError.Code, _ detail: String) async throws {
    let endpoint = try ReceiverFixture.endpoint()
    let error = await #expect(throws: RequestError.self) { () async throws in
      _ = try await PostbackFixture.take(body, at: endpoint)
    }
    #expect(error?.code == code && error?.status == 400)
    #expect(error?.detail.contains(detail) == true, "\(error?.detail ?? "")")
    let entry = try #require(await endpoint.entries(after: 0, kinds: [.postback], limit: 1).first)
    #expect(entry.verdict.outcome == .refused)
    #expect(await endpoint.postbackCounts["refused"] == 1)
  }

  /// Changes of a postback, with the code, the fault, and the remedy.
  private static let otherBodies: [(change: @Sendable (String) -> String, RequestError.Code, fault: String, fix: String)] = [
    ({ $0.replacing("\"version\":", with: "\"version\"") }, .notAnObject, "line 1, column", "the signature verifies"),
    ({ "[\($0)]" }, .notAnObject, "The item has other text around it", "Pass the JSON alone."),
    ({ Base64.encode(Array($0.utf8)) }, .notAnObject, "The item is Base64", "Decode it first."),
    ({ _ in #"{"payload":{"postback-identifier":"x"}}"# }, .notPostback, "a decoded JSON Web Signature", "as received"),
    (
      { _ in #"{"signedPayload":"a.b.c"}"# }, .notPostback, "a notification of the App Store", "not a postback of an ad network"
    ), ({ _ in "version=3.0&app-id=1" }, .notAnObject, "is a form", "as the device sent it"),
    ({ "POST /a HTTP/1.1\r\nHost: x\r\n\r\n\($0)" }, .notAnObject, "request with its header lines", "Pass the body alone."),
    ({ "{\"postback\":\($0)}" }, .notPostback, "not a postback", "/postback is an item. Pass the value alone."),
  ]

  @Test("A body that is no postback has the remedy of verify", arguments: otherBodies.indices)
  func remedies(_ index: Int) async throws {
    let (change, code, fault, fix) = Self.otherBodies[index]
    let body = change(try PostbackFixture.text("vectors/postback-v4.0-a.json").replacing("\n", with: ""))
    let error = await #expect(throws: RequestError.self) { () async throws in
      _ = try await PostbackFixture.take(body, at: ReceiverFixture.endpoint())
    }
    #expect(error?.code == code && error?.status == 400)
    #expect(error?.detail.contains(fault) == true && error?.detail.contains(fix) == true, "\(error?.detail ?? "")")
  }

  @Test(
    "A postback at the path of the other framework is rejected with the right path",
    arguments: [AdFramework.skadnetwork, .adattributionkit])
  func wrongFramework(_ framework: AdFramework) async throws {
    let body =
      framework == .skadnetwork ? try PostbackFixture.adAttributionKit() : try PostbackFixture.skAdNetwork()
    let error = await #expect(throws: RequestError.self) { () async throws in
      _ = try await PostbackFixture.take(body, at: ReceiverFixture.endpoint(), for: framework)
    }
    let other = AdFramework.allCases.first { $0 != framework }
    #expect(error?.code == .wrongFramework)
    #expect(error?.detail.contains(other?.copyPath ?? "-") == true, "\(error?.detail ?? "")")
  }

  @Test func entriesAreListedByTheirEnvironment() async throws {
    let endpoint = try ReceiverFixture.endpoint()
    for body in [
      try PostbackFixture.text("vectors/postback-v4.0-a.json"), try PostbackFixture.skAdNetwork(),
      try PostbackFixture.text("vectors/aak-postback.json"), try PostbackFixture.text("vectors/postback-n2.1-a.json"),
    ] { _ = try await PostbackFixture.take(body, at: endpoint) }
    func numbers(_ environments: Set<PostbackEnvironment>) async -> [Int64] {
      await endpoint.entries(after: 0, kinds: [.postback], environments: environments, limit: 10).map(\.number)
    }
    #expect(await numbers([]) == [1, 2, 3, 4])
    #expect(await numbers([.production]) == [1])
    #expect(await numbers([.development]) == [3])
    #expect(await numbers([.test, .production]) == [1, 2])
  }

  @Test func anEntryHasTheVerdictAndWhatTheReceiverAdds() async throws {
    let endpoint = try ReceiverFixture.endpoint()
    let body = try PostbackFixture.text("vectors/postback-v3.0-a.json")
    for _ in 0..<2 { _ = try await PostbackFixture.take(body, at: endpoint) }
    let json = try #require(await endpoint.entries(after: 1, kinds: [], limit: 1).first?.json["postback"])
    #expect(json["verdict"] == "valid" && json["environment"] == "production" && json["duplicateOf"] == 1)
    #expect(json["identifier"] == .string(PostbackFixture.identifier) && json["sequenceIndex"] == 0)
    #expect(json["unsigned"]?["conversion-value"] == 20 && json["changed"] == [])
    #expect(json["signedText"]?.string?.contains("\u{2063}525463029\u{2063}") == true)
  }
}
