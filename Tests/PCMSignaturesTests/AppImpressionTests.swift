import PCMCore
import PCMSignatures
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

  @Test("A written impression is valid, and its signed text is that of Apple's example")
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

  @Test("The identifier of the key is that of the ad network")
  func keyIdentifier() throws {
    let verdict = try verdict(Self.signed("x", 1, as: "other.adattributionkit"))
    #expect(verdict.check == .verifies)
    #expect(verdict.faults.map(\.pointer) == ["/header/kid"])
  }

  @Test("Values that a device rejects are not signed")
  func invalidValues() throws {
    var impression = Self.sample
    impression.sourceIdentifier = 5
    let key = try DeviceFixtures.privateKey("ad-network")
    #expect(throws: SigningError.self) { try impression.jws(signedBy: key) }
  }
}
