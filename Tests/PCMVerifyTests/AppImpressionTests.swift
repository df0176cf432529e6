import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

@Suite struct AppImpressionTests {
  private static let sample = AdAttributionKitImpression(
    impressionIdentifier: "544B8FAD-0AD5-4434-98B2-327113AF84DB", publisherItemIdentifier: 5_838_492,
    adNetworkIdentifier: "example.adattributionkit", sourceIdentifier: 5239, advertisedItemIdentifier: 1_108_187_390,
    timestamp: 1_719_599_957_239, isEligibleForReengagement: true)

  private static func signed(_ name: String, _ value: JSON?, as identifier: String? = nil) throws -> String {
    let key = try DeviceFixtures.privateKey("ad-network")
    let payload = try CompactJWS(sample.jws(signedBy: key)).payload.members
    return try JWSSigner(adNetworkIdentifier: identifier ?? sample.adNetworkIdentifier, with: key)
      .sign(.object(payload.setting(name, value)))
  }

  private func verdict(_ jws: String) throws -> SignatureVerdict {
    try DeviceFixtures.adNetworkVerifier().verdict(on: Array(jws.utf8))
  }

  @Test("A written impression is valid, and its signed text equals Apple's example")
  func written() throws {
    let jws = try Self.sample.jws(signedBy: DeviceFixtures.privateKey("ad-network"))
    let example = try CompactJWS(DeviceFixtures.text("vectors/aak-impression.jws").replacing("\n", with: ""))
    #expect(try CompactJWS(jws).signingInput == example.signingInput)
    let verdict = try verdict(jws)
    #expect(verdict.outcome == .valid, "\(verdict.faults)")
    #expect(verdict.subject == .impression)
  }

  @Test(
    "A wrong member has a fault, although it is signed",
    arguments: [
      ("impression-identifier", "1"), ("publisher-item-identifier", nil), ("impression-type", "app"),
      ("source-identifier", "5239"), ("source-identifier", 9), ("source-identifier", 10_000),
      ("timestamp", 1_719_599_957), ("advertised-item-identifier", "1"), ("eligible-for-re-engagement", 1),
    ] as [(String, JSON?)])
  func faults(_ name: String, _ value: JSON?) throws {
    let verdict = try verdict(Self.signed(name, value))
    #expect(verdict.check == .verifies)
    #expect(verdict.faults.map(\.pointer) == ["/payload/\(name)"])
  }

  @Test("The identifier of the key equals the ad network's")
  func keyIdentifier() throws {
    let verdict = try verdict(Self.signed("x", 1, as: "other.adattributionkit"))
    #expect(verdict.check == .verifies)
    #expect(verdict.faults.map(\.pointer) == ["/header/kid"])
  }

  @Test(
    "A member that a device does not read is named with the right member, and the ad is valid",
    arguments: [
      ("eligible-for-reengagement", "eligible-for-re-engagement"), ("eligible_for_re_engagement", "eligible-for-re-engagement"),
      ("eligibleForReEngagement", "eligible-for-re-engagement"),
    ])
  func unknownMember(_ name: String, _ meant: String) throws {
    let key = try DeviceFixtures.privateKey("ad-network")
    let payload = try CompactJWS(Self.sample.jws(signedBy: key)).payload.members.filter { $0.name != meant }
    let signer = try JWSSigner(adNetworkIdentifier: Self.sample.adNetworkIdentifier, with: key)
    let verdict = try verdict(signer.sign(.object(payload + [.init(name, .bool(true))])))
    #expect(verdict.outcome == .valid)
    #expect(verdict.notes.map(\.pointer) == ["/payload/\(name)"])
    #expect(verdict.notes.first?.detail == "\(name) is unknown, and a device ignores it. The member is named \(meant).")
    let other = try self.verdict(signer.sign(.object(payload + [.init("x-request", 1)])))
    #expect(other.notes.map(\.detail) == ["x-request is unknown, and a device ignores it."])
  }

  @Test("An ad network's identifier with upper-case letters is a fault, although it is signed")
  func upperCase() throws {
    let verdict = try verdict(Self.signed("ad-network-identifier", "Example.adattributionkit", as: "Example.adattributionkit"))
    #expect(verdict.check == .verifies)
    #expect(verdict.outcome == .invalid)
    #expect(verdict.faults.map(\.pointer) == ["/payload/ad-network-identifier"])
  }

  @Test("A member of the wrong type has a fix, although it is signed")
  func signedType() throws {
    let verdict = try verdict(Self.signed("source-identifier", "5239"))
    #expect(
      verdict.fix == "The signature verifies, but source-identifier is a string. Write source-identifier as a number. "
        + "Then sign the payload again.")
  }

  @Test("Values that a device rejects are not signed")
  func invalidValues() throws {
    var impression = Self.sample
    impression.sourceIdentifier = 5
    let key = try DeviceFixtures.privateKey("ad-network")
    #expect(throws: SigningError.self) { try impression.jws(signedBy: key) }
  }
}
