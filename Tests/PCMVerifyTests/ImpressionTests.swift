import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

@Suite struct ImpressionTests {
  private static func sample(_ version: SKAdNetworkVersion) -> SKAdNetworkImpression {
    SKAdNetworkImpression(
      version: version, adNetworkIdentifier: "example123.skadnetwork",
      campaign: version == .v4 ? .source("5239") : .campaign(42), itemIdentifier: 525_463_029,
      nonce: "b7c9da2b-15c7-4f3b-9326-135f9630033d", source: version >= .v2 ? .app(0) : nil,
      fidelity: version >= .v22 ? .storeKitRendered : nil, timestamp: 1_676_057_605_705)
  }

  private static func signed(
    _ version: SKAdNetworkVersion, signing change: (inout SKAdNetworkImpression) -> Void = { _ in }
  ) throws -> [JSON.Member] {
    var changed = sample(version)
    change(&changed)
    let signature = try changed.signature(by: DeviceFixtures.privateKey("ad-network"))
    return sample(version).json(signature: signature).members
  }

  private func verdict(_ members: [JSON.Member]) throws -> SignatureVerdict {
    try DeviceFixtures.adNetworkVerifier().verdict(on: JSON.object(members).bytes)
  }

  @Test(
    "The signed text of each version has the values of the reference",
    arguments: [
      (.v1, "example123.skadnetwork|42|525463029|b7c9da2b-15c7-4f3b-9326-135f9630033d|1676057605705"),
      (.v2, "2.0|example123.skadnetwork|42|525463029|b7c9da2b-15c7-4f3b-9326-135f9630033d|0|1676057605705"),
      (.v21, "2.1|example123.skadnetwork|42|525463029|b7c9da2b-15c7-4f3b-9326-135f9630033d|0|1676057605705"),
      (.v22, "2.2|example123.skadnetwork|42|525463029|b7c9da2b-15c7-4f3b-9326-135f9630033d|0|1|1676057605705"),
      (.v3, "3.0|example123.skadnetwork|42|525463029|b7c9da2b-15c7-4f3b-9326-135f9630033d|0|1|1676057605705"),
      (.v4, "4.0|example123.skadnetwork|5239|525463029|b7c9da2b-15c7-4f3b-9326-135f9630033d|0|1|1676057605705"),
    ] as [(SKAdNetworkVersion, String)])
  func signedText(_ version: SKAdNetworkVersion, _ text: String) throws {
    #expect(Self.sample(version).signedText.visible == text)
    let verdict = try verdict(Self.signed(version))
    #expect(verdict.outcome == .valid, "\(verdict.faults)")
    #expect(verdict.subject == .impression)
  }

  @Test func theResponseForAWebAdHasItsMembersInOrder() throws {
    var impression = Self.sample(.v4)
    impression.source = .site("example.com")
    impression.fidelity = .storeKitRendered
    let signature = try impression.signature(by: DeviceFixtures.privateKey("ad-network"))
    let response = impression.webAdResponse(signature: signature)
    #expect(
      response.members.map(\.name) == [
        "version", "ad_network_id", "source_identifier", "itunes_item_id", "nonce", "source_domain", "timestamp", "signature",
      ])
    #expect(try verdict(response.members).outcome == .valid)
    #expect(try verdict(response.members.setting("fidelity_type", 1)).outcome == .valid)
    let viewThrough = try verdict(response.members.setting("fidelity_type", 0))
    #expect(viewThrough.faults.map(\.pointer) == ["/fidelity_type", "/signature"])
    #expect(try verdict(impression.json(signature: signature).members).outcome == .valid)
  }

  @Test("Without the ad network's key, an impression is not verifiable")
  func noKey() throws {
    let verdict = try SignatureVerifier(.apple).verdict(on: JSON.object(Self.signed(.v4)).bytes)
    #expect(verdict.outcome == .unverifiable)
    #expect(verdict.faults.first?.detail.contains("public key of its ad network") == true)
    #expect(verdict.signedText?.visible == Self.sample(.v4).signedText.visible)
  }

  @Test(
    "A wrong member has a fault",
    arguments: [
      (.v4, "source-identifier", "5239", ["/source-identifier"]), (.v4, "source-identifier", 10_000, ["/source-identifier"]),
      (.v3, "campaign-id", 101, ["/campaign-id"]), (.v1, "source-app-id", 0, ["/source-app-id"]),
      (.v21, "fidelity-type", 1, ["/fidelity-type"]), (.v4, "fidelity-type", nil, ["/fidelity-type"]),
      (.v4, "source-app-id", nil, ["/source-app-id"]), (.v4, "nonce", "b7c9da2b", ["/nonce"]),
      (.v4, "timestamp", "1676057605705", ["/timestamp"]), (.v4, "source-identifier", nil, ["/source-identifier"]),
      (.v4, "signature", "MEUC", ["/signature"]), (.v4, "nonce", nil, ["/nonce"]),
    ] as [(SKAdNetworkVersion, String, JSON?, [String])])
  func faults(_ version: SKAdNetworkVersion, _ name: String, _ value: JSON?, _ pointers: [String]) throws {
    let verdict = try verdict(Self.signed(version).setting(name, value))
    #expect(verdict.outcome == .invalid)
    #expect(verdict.faults.map(\.pointer) == pointers, "\(verdict.faults)")
  }

  /// A mistake in the signed text: the impression is right, but another text was signed.
  private static let mistakes: [(String, @Sendable (inout SKAdNetworkImpression) -> Void)] = [
    ("The nonce is signed in upper case.", { $0.nonce = $0.nonce.uppercased() }),
    ("The timestamp is signed in seconds.", { $0.timestamp /= 1_000 }),
    (
      "The signed text has fidelity type 0. Use fidelity type 1 for StoreKit-rendered and web ads",
      { $0.fidelity = .viewThrough }
    ),
    ("The source app is not part of the signed text.", { $0.source = nil }),
    ("The fidelity type is not part of the signed text.", { $0.fidelity = nil }),
  ]

  @Test("A mistake in the signed text is found", arguments: mistakes.indices)
  func signedMistake(_ index: Int) throws {
    let (fix, change) = Self.mistakes[index]
    let verdict = try verdict(Self.signed(.v4, signing: change))
    #expect(verdict.check == .fails)
    #expect(verdict.fix?.hasPrefix(fix) == true, "\(verdict.fix ?? "no fix")")
  }

  @Test("Another version before the values is found", arguments: ["2.2", "4"])
  func signedVersion(_ version: String) throws {
    let impression = Self.sample(.v4)
    let text = SignedText([version] + impression.signedText.values.dropFirst())
    let signature = try DeviceFixtures.privateKey("ad-network").sign(text.bytes)
    let verdict = try verdict(impression.json(signature: Base64.encode(signature.der)).members)
    #expect(verdict.fix == "The signed text is for version \(version). Sign the values of version 4.0.")
  }

  @Test("A mistake in the signed text of a web ad is found")
  func webAdMistake() throws {
    var impression = Self.sample(.v4)
    let key = try DeviceFixtures.privateKey("ad-network")
    impression.source = nil
    let signature = try impression.signature(by: key)
    impression.source = .site("example.com")
    let verdict = try verdict(impression.webAdResponse(signature: signature).members)
    #expect(verdict.fix == "The source domain is not part of the signed text. Sign the source domain as it is in the item.")
    impression.source = .app(0)
    let development = try impression.signature(by: key)
    impression.source = .site("example.com")
    #expect(try self.verdict(impression.webAdResponse(signature: development).members).fix == nil)
  }

  @Test(
    "A mistake in a member is found",
    arguments: [
      ("ad-network-id", "Example123.skadnetwork", "identifier in lower case"),
      ("source-app-id", 5, "the source app 0"),
    ] as [(String, JSON, String)])
  func wrongMember(_ name: String, _ value: JSON, _ fix: String) throws {
    let verdict = try verdict(Self.signed(.v4).setting(name, value))
    #expect(verdict.check == .fails)
    #expect(verdict.fix?.contains(fix) == true, "\(verdict.fix ?? "no fix")")
  }

  @Test("Members with underscores have faults with underscores")
  func underscores() throws {
    let verdict = try verdict([.init("source_identifier", "1"), .init("nonce", 1), .init("version", "4.0")])
    #expect(
      Set(verdict.faults.map(\.pointer)) == [
        "/signature", "/ad_network_id", "/source_identifier", "/itunes_item_id", "/nonce", "/source_app_id", "/timestamp",
      ])
  }

  @Test("The signed text of another version is found")
  func otherVersion() throws {
    let verdict = try verdict(Self.signed(.v3) { $0.version = .v22 })
    #expect(verdict.fix == "The signed text is for version 2.2. Sign the values of version 3.0.")
  }

  @Test("A timestamp in seconds with a signature in milliseconds is found")
  func seconds() throws {
    let members = try Self.signed(.v4) { $0.timestamp = 1_676_057_605_000 }.setting("timestamp", 1_676_057_605)
    let verdict = try verdict(members)
    #expect(verdict.faults.map(\.pointer) == ["/timestamp", "/signature"])
    #expect(verdict.fix?.contains("the timestamp in milliseconds") == true)
  }

  @Test("A nonce may be written in upper case, as StoreKit takes a UUID, and is signed in lower case")
  func upperCaseNonce() throws {
    let nonce: JSON = "B7C9DA2B-15C7-4F3B-9326-135F9630033D"
    #expect(try verdict(Self.signed(.v4).setting("nonce", nonce)).outcome == .valid)
    let upper = try verdict(Self.signed(.v4) { $0.nonce = $0.nonce.uppercased() }.setting("nonce", nonce))
    #expect(upper.check == .fails)
    #expect(upper.fix == "The nonce is signed in upper case. Sign the nonce in lower case.")
    var webAd = Self.sample(.v4)
    (webAd.source, webAd.nonce) = (.site("example.com"), "B7C9DA2B-15C7-4F3B-9326-135F9630033D")
    let response = try webAd.webAdResponse(signature: webAd.signature(by: DeviceFixtures.privateKey("ad-network")))
    #expect(try verdict(response.members).faults.map(\.pointer) == ["/nonce"])
  }

  @Test("The advertised app 0 and a time in seconds are faults, even if they are signed")
  func signedAsWritten() throws {
    let item = try verdict(Self.signed(.v4) { $0.itemIdentifier = 0 }.setting("itunes-item-id", 0))
    #expect(item.check == .verifies)
    #expect(item.faults.map(\.pointer) == ["/itunes-item-id"])
    let seconds = try Self.signed(.v4) { $0.timestamp /= 1_000 }.setting("timestamp", 1_676_057_605)
    #expect(try verdict(seconds).faults.map(\.pointer) == ["/timestamp"])
    #expect(try verdict(seconds).faults.first?.detail.contains("a time in seconds") == true)
    let micro = try verdict(Self.signed(.v4) { $0.timestamp *= 1_000 }.setting("timestamp", 1_676_057_605_705_000))
    #expect(micro.check == .verifies && micro.faults.map(\.pointer) == ["/timestamp"])
    #expect(micro.faults.first?.detail.contains("a time in microseconds") == true)
    let sent = try verdict(Self.signed(.v4).setting("timestamp", 1_676_057_605_705_000))
    #expect(sent.fix?.contains("the timestamp in milliseconds") == true)
    let five = try verdict(Self.signed(.v4) { $0.timestamp = 5 }.setting("timestamp", 5))
    #expect(
      five.faults.map(\.detail) == [
        "timestamp is the number 5; it must be a time in milliseconds since 1970, such as 1676057605705."
      ])
  }

  @Test("A web ad's nonce under the name and in the form of the request is found")
  func sourceNonce() throws {
    var impression = Self.sample(.v4)
    impression.source = .site("example.com")
    let signature = try impression.signature(by: DeviceFixtures.privateKey("ad-network"))
    let members = impression.webAdResponse(signature: signature).members.filter { $0.name != "nonce" }
    let verdict = try verdict(members + [.init("source_nonce", "t8naKxXHTzuTJhNfljADPQ")])
    #expect(verdict.outcome == .invalid)
    let fix = verdict.fix ?? ""
    #expect(fix.contains("nonce is in Base64URL") && fix.contains("the signature verifies"), "\(fix)")
  }

  @Test("A wrong separator is found", arguments: ["|", ","])
  func separator(_ separator: String) throws {
    let text = Self.sample(.v4).signedText.values.joined(separator: separator)
    let signature = try DeviceFixtures.privateKey("ad-network").sign(Array(text.utf8))
    let verdict = try verdict(Self.sample(.v4).json(signature: Base64.encode(signature.der)).members)
    #expect(verdict.fix?.contains("the separator \(separator). Join the values with U+2063") == true)
  }

  @Test func onlyP256SignsImpressions() throws {
    #expect(throws: SigningError.wrongCurve(.p192, expected: .p256)) {
      try Self.sample(.v1).signature(by: DeviceFixtures.privateKey("skadnetwork-p192"))
    }
  }
}
