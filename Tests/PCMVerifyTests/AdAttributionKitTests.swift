import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

@Suite struct AdAttributionKitTests {
  static let sample = AdAttributionKitPostback(
    postbackIdentifier: "85546EB7-FD39-44BC-8990-C98A4AC36A49", sequenceIndex: 0,
    adNetworkIdentifier: "development.adattributionkit", sourceIdentifier: "1234", advertisedItemIdentifier: 10_738_027_756,
    conversionType: .reengagement, didWin: true, publisherItemIdentifier: 0, marketplaceIdentifier: "com.apple.AppStore",
    conversionValue: .fine(24), interactionType: .click, countryCode: "US")

  private static func key(_ identifier: TestKeyPair) throws -> PrivateKey {
    try DeviceFixtures.privateKey(identifier.rawValue.replacing("/", with: "-"))
  }

  private static func signer(_ identifier: TestKeyPair = .production) throws -> JWSSigner {
    try JWSSigner(identifier, with: key(identifier))
  }

  private static func verifier(_ identifier: TestKeyPair = .production) throws -> SignatureVerifier {
    let name = identifier.rawValue.replacing("/", with: "-")
    return try SignatureVerifier(.given([DeviceFixtures.publicKey("\(name).public.pem")]))
  }

  /// A body with other members in the payload and next to it, signed again.
  private static func body(payload: [(String, JSON?)] = [], wrapper: [(String, JSON?)] = []) throws -> [UInt8] {
    let members = try #require(JSON(parsing: sample.body(signedBy: signer()))).members
    let jws = try CompactJWS(#require(members.first?.value.string))
    let changed = payload.reduce(jws.payload.members) { $0.setting($1.0, $1.1) }
    let all = wrapper.reduce(members) { $0.setting($1.0, $1.1) }
    return try JSON.object(all.setting("jws-string", .string(signer().sign(.object(changed))))).bytes
  }

  @Test("A written postback is valid with each test key", arguments: TestKeyPair.adAttributionKit)
  func written(_ identifier: TestKeyPair) throws {
    let body = try Self.sample.body(signedBy: Self.signer(identifier))
    let verdict = try Self.verifier(identifier).verdict(on: body)
    #expect(verdict.outcome == .valid, "\(verdict.faults)")
    #expect(verdict.unsigned.map(\.name) == ["conversion-value", "ad-interaction-type", "country-code"])
    let apple = try SignatureVerifier(.apple).verdict(on: body)
    #expect(apple.outcome == .unverifiable)
    #expect(apple.faults.map(\.pointer) == ["/jws-string/header/kid"])
  }

  @Test("The signed text equals Apple's example except for the identifier of the key")
  func appleForm() throws {
    let example = try CompactJWS(DeviceFixtures.text("vectors/aak-postback.jws").replacing("\n", with: ""))
    let key = try DeviceFixtures.privateKey("ad-network")
    let body = try Self.sample.body(signedBy: JWSSigner(impersonating: .development1, with: key))
    let members = try #require(JSON(parsing: body)).members
    #expect(try CompactJWS(#require(members.first?.value.string)).signingInput == example.signingInput)
    #expect(
      JSON.object(Array(members.dropFirst())).text
        == #"{"conversion-value":24,"ad-interaction-type":"click","country-code":"US"}"#)
    let verdict = try SignatureVerifier(.apple).verdict(on: body)
    #expect(verdict.outcome == .invalid)
    #expect(verdict.faults.map(\.pointer) == ["/jws-string/signature"])
  }

  @Test("A coarse conversion value is written")
  func coarse() throws {
    var postback = Self.sample
    (postback.sequenceIndex, postback.conversionValue, postback.sourceIdentifier) = (2, .coarse(.high), "34")
    postback.publisherItemIdentifier = nil
    let body = try postback.body(signedBy: Self.signer())
    #expect(String(decoding: body, as: UTF8.self).contains(#""coarse-conversion-value":"high""#))
    #expect(try Self.verifier().verdict(on: body).outcome == .valid)
  }

  @Test("Keys of Apple are not signed for by accident, and no other curve signs")
  func signers() throws {
    let key = try DeviceFixtures.privateKey("ad-network")
    for apple in AppleKey.adAttributionKit {
      #expect(throws: SigningError.reservedKeyIdentifier(apple.rawValue)) {
        try JWSSigner(adNetworkIdentifier: apple.rawValue, with: key)
      }
    }
    #expect(throws: SigningError.unusedKeyIdentifier("apple-skadnetwork-p256")) {
      try JWSSigner(impersonating: .skadnetworkP256, with: key)
    }
    #expect(Set(TestKeyPair.adAttributionKit.map(\.rawValue)).isDisjoint(with: AppleKey.allCases.map(\.rawValue)))
    #expect(throws: SigningError.wrongCurve(.p192, expected: .p256)) {
      try JWSSigner(.production, with: DeviceFixtures.privateKey("skadnetwork-p192"))
    }
  }

  @Test(
    "A wrong member of the payload has a fault, although it is signed",
    arguments: [
      ("postback-identifier", "1"), ("postback-sequence-index", 3), ("postback-sequence-index", "0"),
      ("ad-network-identifier", nil), ("source-identifier", 1234), ("source-identifier", "1"),
      ("advertised-item-identifier", "10738027756"), ("impression-type", "web-impression"),
      ("conversion-type", "reengagement"), ("did-win", 1), ("publisher-item-identifier", "0"),
      ("marketplace-identifier", 1), ("marketplace-identifier", "com.example\u{202E}"),
    ] as [(String, JSON?)])
  func payloadFaults(_ name: String, _ value: JSON?) throws {
    let verdict = try Self.verifier().verdict(on: Self.body(payload: [(name, value)]))
    #expect(verdict.outcome == .invalid)
    #expect(verdict.check == .verifies)
    #expect(verdict.faults.map(\.pointer) == ["/jws-string/payload/\(name)"])
  }

  @Test(
    "A wrong member next to the signed text has a fault",
    arguments: [
      ("conversion-value", 64), ("coarse-conversion-value", "low"), ("ad-interaction-type", "tap"), ("country-code", "us"),
    ] as [(String, JSON)])
  func wrapperFaults(_ name: String, _ value: JSON) throws {
    let verdict = try Self.verifier().verdict(on: Self.body(wrapper: [(name, value)]))
    #expect(verdict.outcome == .invalid)
    #expect(verdict.check == .verifies)
    #expect(verdict.faults.map(\.pointer) == ["/\(name)"])
  }

  @Test("Values that exclude each other have faults")
  func contradictions() throws {
    func pointers(_ payload: [(String, JSON?)], _ wrapper: [(String, JSON?)] = []) throws -> [String] {
      try Self.verifier().verdict(on: Self.body(payload: payload, wrapper: wrapper)).faults.map(\.pointer)
    }
    let second = ("postback-sequence-index", JSON?.some(1))
    #expect(
      try pointers([second]) == [
        "/jws-string/payload/source-identifier", "/jws-string/payload/publisher-item-identifier", "/conversion-value",
      ])
    #expect(
      try pointers(
        [second, ("source-identifier", "34"), ("publisher-item-identifier", nil)], [("conversion-value", nil)]) == [])
    let lost = ("did-win", JSON?.some(.bool(false)))
    #expect(try pointers([lost]) == ["/jws-string/payload/publisher-item-identifier", "/conversion-value"])
    let withoutValues = [("conversion-value", JSON?.none)]
    #expect(try pointers([lost, ("publisher-item-identifier", nil)], withoutValues) == [])
    #expect(
      try pointers([lost, ("publisher-item-identifier", nil), ("postback-sequence-index", 1)], withoutValues)
        == ["/jws-string/payload/source-identifier", "/jws-string/payload/postback-sequence-index"])
  }

  @Test("A text that is not a JSON Web Signature has a fault", arguments: [1, "", "a.b", .null] as [JSON])
  func noSignature(_ value: JSON) throws {
    let verdict = try SignatureVerifier(.apple).verdict(on: JSON.object([.init("jws-string", value)]).bytes)
    #expect(verdict.outcome == .invalid)
    #expect(verdict.faults.map(\.pointer) == ["/jws-string"])
  }

  @Test("A header that was written again is found")
  func headerWrittenAgain() throws {
    let text = try DeviceFixtures.text("vectors/aak-postback.jws").replacing("\n", with: "")
    let header = Base64URL.encode(Array(#"{"kid":"apple-development-identifier/1","alg":"ES256"}"#.utf8))
    let changed = header + text.drop { $0 != "." }
    let verdict = try SignatureVerifier(.apple).verdict(on: Array(changed.utf8))
    #expect(verdict.check == .fails)
    #expect(verdict.fix?.contains("do not write the header again") == true)
  }

  @Test("Of several given keys, the signing key counts, whatever the header names")
  func severalKeys() throws {
    let members = try #require(JSON(parsing: Self.sample.body(signedBy: Self.signer(.development0)))).members
    let keys = try ["test-cas-identifier-0", "test-development-identifier-0"].map {
      try DeviceFixtures.publicKey("\($0).public.pem")
    }
    let verdict = try SignatureVerifier(.given(keys)).verdict(on: JSON.object(members).bytes)
    #expect(verdict.outcome == .valid)
    #expect(verdict.key?.name == "test-development-identifier-0.public.pem")
  }

  @Test("A given key on P-192 verifies nothing of AdAttributionKit")
  func wrongCurve() throws {
    let verifier = try SignatureVerifier(.given([DeviceFixtures.publicKey("skadnetwork-p192.public.pem")]))
    let verdict = try verifier.verdict(on: Self.sample.body(signedBy: Self.signer()))
    #expect(verdict.outcome == .invalid)
    #expect(verdict.fix == "Verify AdAttributionKit with a key on P-256.")
  }
}
