import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMVerify
import Testing

/// The signed values of a web ad.
@Suite struct WebAdTests {
  /// Apple's example of a nonce with its UUID.
  private static let nonce = ("t8naKxXHTzuTJhNfljADPQ", "b7c9da2b-15c7-4f3b-9326-135f9630033d")

  private static func body(_ change: (String, String) = ("", "")) -> String {
    let body = """
      {"source_domain":"example.com","source_engagement_type":"click_to_App_Store","source_nonce":"\(nonce.0)",\
      "version":"4.0"}
      """
    return change.0.isEmpty ? body : body.replacing(change.0, with: change.1)
  }

  private func signedPayload(_ body: String = body(), fault: InjectedFault.Kind? = nil, ad: WebAd = WebAd()) async throws
    -> JSON
  {
    let endpoint = try ReceiverFixture.endpoint(appAds: AppAds(webAd: ad))
    return try await endpoint.signedPayload(
      ReceiverFixture.request(.signedPayload, body), fault: fault.map { InjectedFault($0) })
  }

  private func verify(_ payload: JSON) throws -> SignatureVerdict {
    try SignatureVerifier(.given([PostbackFixture.key("ad-network.public.pem")])).verdict(on: payload.bytes)
  }

  @Test func thePayloadIsSignedByTheTestAdNetwork() async throws {
    let payload = try await signedPayload()
    #expect(
      payload.members.map(\.name) == [
        "version", "ad_network_id", "source_identifier", "itunes_item_id", "nonce", "source_domain", "timestamp", "signature",
      ])
    let verdict = try verify(payload)
    #expect(verdict.outcome == .valid, "\(verdict.faults)")
    #expect(
      verdict.signedText?.visible
        == "4.0|example123.skadnetwork|5239|525463029|\(Self.nonce.1)|example.com|1|1676057605705")
  }

  @Test func theAdIsConfigurable() async throws {
    let ad = WebAd(adNetworkIdentifier: "b2.adattributionkit", sourceIdentifier: 7, itemIdentifier: 42)
    let text = try verify(await signedPayload(ad: ad)).signedText?.visible
    #expect(text?.hasPrefix("4.0|b2.adattributionkit|7|42|") == true)
  }

  @Test(
    "A nonce may have padding, and other members may follow",
    arguments: [
      (nonce.0, nonce.0 + "=="), ("\"version\"", #""later":[1],"version""#),
    ])
  func accepted(_ text: String, _ replacement: String) async throws {
    #expect(try await signedPayload(Self.body((text, replacement)))["nonce"] == .string(Self.nonce.1))
  }

  @Test(
    "An invalid request is rejected with its code and recorded",
    arguments: [
      (("{", "["), RequestError.Code.notAnObject), (("4.0", "3.0"), .memberWrong), (("\"4.0\"", "4"), .memberWrong),
      (("click_to_App_Store", "click"), .memberWrong), (("source_domain", "domain"), .memberMissing),
      (("\"example.com\"", "\"\""), .memberWrong), ((nonce.0, nonce.1), .nonceInvalid),
      ((nonce.0, nonce.0 + "="), .nonceInvalid), (("\"version\":\"4.0\"", "\"a\":1"), .memberMissing),
    ])
  func rejected(_ change: (String, String), _ code: RequestError.Code) async throws {
    let endpoint = try ReceiverFixture.endpoint()
    let request = ReceiverFixture.request(.signedPayload, Self.body(change))
    let error = await #expect(throws: RequestError.self) { () async throws in
      _ = try await endpoint.signedPayload(request)
    }
    #expect(error?.code == code && error?.status == 400)
    let entry = try #require(await endpoint.entries(after: 0, kinds: [.signedPayload], limit: 1).first)
    #expect(entry.verdict.outcome == .refused)
  }

  /// Each fault has its effect and no other: a wrong value has a signature that matches it.
  @Test(arguments: [
    (InjectedFault.Kind.wrongNonce, "nonce", true), (.wrongSourceDomain, "source_domain", true),
    (.wrongVersion, "version", false),
    (.forgedSignature, "signature", false), (.shortSignature, "signature", false),
  ])
  func faultsChangeOneMember(_ fault: InjectedFault.Kind, _ name: String, _ verifies: Bool) async throws {
    let (right, wrong) = (try await signedPayload(), try await signedPayload(fault: fault))
    let different = zip(right.members, wrong.members).filter { $0.0 != $0.1 }.map(\.1.name)
    #expect(different == (verifies ? [name, "signature"] : [name]))
    #expect((try verify(wrong).check == .verifies) == verifies)
    if fault == .wrongNonce { #expect(try verify(wrong).outcome == .valid) }
  }
}
