import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

/// Items that no device can send or accept are invalid, although their signature verifies, and the other way around.
@Suite struct ItemFaultTests {
  private static let test = Result { try SignatureVerifier(.test) }

  private func verdict(_ file: String) throws -> SignatureVerdict {
    try Self.test.get().verdict(on: DeviceFixtures.bytes("cases/\(file)"))
  }

  // MARK: The names of StoreKit

  @Test(
    "An ad in the names of StoreKit is valid, with the fidelity that its kind implies",
    arguments: [
      ("s-skadimpression.json", "|0|1795168800000"), ("s-storekit-dictionary.json", "|1|1795168800000"),
      ("s-storekit-dictionary-strings.json", "|1|1795168800000"),
    ])
  func storeKit(_ file: String, _ end: String) throws {
    let verdict = try verdict(file)
    #expect(verdict.outcome == .valid, "\(verdict.faults)")
    #expect(verdict.version == "4.0" && verdict.notes.isEmpty && verdict.unsigned.isEmpty)
    #expect(verdict.signedText?.visible.hasSuffix("|1108187390" + end) == true)
    let bytes = try DeviceFixtures.bytes("cases/\(file)")
    let without = try SignatureVerifier(.apple).verdict(on: bytes)
    #expect(without.outcome == .unverifiable && without.signedText == verdict.signedText)
    #expect(without.fix?.contains("--test-keys") == true)
  }

  /// An impression of a version by the names of a kind, signed with a fidelity.
  private func signed(
    _ version: SKAdNetworkVersion, _ fidelity: Fidelity, _ names: [String: String], adding more: [JSON.Member] = []
  ) throws -> SignatureVerdict {
    let impression = SKAdNetworkImpression(
      version: version, adNetworkIdentifier: "example123.skadnetwork",
      campaign: version == .v4 ? .source("5239") : .campaign(42), itemIdentifier: 525_463_029,
      nonce: "b7c9da2b-15c7-4f3b-9326-135f9630033d", source: .app(0), fidelity: version < .v22 ? nil : fidelity,
      timestamp: 1_676_057_605_705)
    let members = try impression.json(signature: impression.signature(by: DeviceFixtures.privateKey("ad-network"))).members
    let renamed = members.filter { $0.name != "fidelity-type" }.map { JSON.Member(names[$0.name] ?? $0.name, $0.value) }
    return try DeviceFixtures.adNetworkVerifier().verdict(on: JSON.object(renamed + more).bytes)
  }

  private static let impressionNames = [
    "ad-network-id": "adNetworkIdentifier", "campaign-id": "adCampaignIdentifier", "source-identifier": "sourceIdentifier",
    "itunes-item-id": "advertisedAppStoreItemIdentifier", "nonce": "adImpressionIdentifier",
    "source-app-id": "sourceAppStoreItemIdentifier",
  ]

  private static let constants = [
    "version": "Version", "ad-network-id": "Identifier", "campaign-id": "CampaignIdentifier",
    "source-identifier": "SourceIdentifier",
    "nonce": "Nonce", "source-app-id": "SourceAppStoreIdentifier", "timestamp": "Timestamp",
    "signature": "AttributionSignature",
  ].mapValues { "SKStoreProductParameterAdNetwork" + $0 }.merging(
    ["itunes-item-id": "SKStoreProductParameterITunesItemIdentifier"]
  ) { $1 }

  @Test("SKAdImpression is view-through, in each version that has it", arguments: [SKAdNetworkVersion.v22, .v3, .v4])
  func adImpression(_ version: SKAdNetworkVersion) throws {
    #expect(try signed(version, .viewThrough, Self.impressionNames).outcome == .valid)
    let texts: [JSON.Member] = [.init("adType", "video"), .init("adDescription", "An ad"), .init("adPurchaserName", "Example")]
    #expect(try signed(version, .viewThrough, Self.impressionNames, adding: texts).outcome == .valid)
    let rendered = try signed(version, .storeKitRendered, Self.impressionNames)
    #expect(rendered.check == .fails && rendered.fix?.contains("The signed text has fidelity type 1.") == true)
    let presentation = JSON.Member("presentation", "storekit-rendered")
    #expect(try signed(version, .storeKitRendered, Self.impressionNames, adding: [presentation]).outcome == .valid)
  }

  @Test("An SKAdImpression before version 2.2 is a fault")
  func earlyView() throws {
    #expect(try signed(.v2, .viewThrough, Self.impressionNames).faults.map(\.pointer) == ["/version"])
  }

  @Test("The constants of loadProduct are read in each version", arguments: [SKAdNetworkVersion.v2, .v22, .v3, .v4])
  func productParameters(_ version: SKAdNetworkVersion) throws {
    let verdict = try signed(version, .storeKitRendered, Self.constants)
    #expect(verdict.outcome == .valid, "\(verdict.faults)")
    guard version > .v21 else { return }
    #expect(try signed(version, .viewThrough, Self.constants).check == .fails)
  }

  @Test("The identifier of other versions beside the signed one is no fault", arguments: [SKAdNetworkVersion.v3, .v4])
  func bothIdentifiers(_ version: SKAdNetworkVersion) throws {
    let (name, value): (String, JSON) = version == .v4 ? ("campaign-id", 42) : ("source-identifier", 5_239)
    for names in [[:], Self.impressionNames, Self.constants] {
      let other = JSON.Member(names[name] ?? name, value)
      let fidelity = names.isEmpty ? [JSON.Member("fidelity-type", 0)] : []
      let implied: Fidelity = names == Self.constants ? .storeKitRendered : .viewThrough
      let verdict = try signed(version, implied, names, adding: [other] + fidelity)
      #expect(verdict.outcome == .valid, "\(verdict.faults)")
      #expect(verdict.unsigned.map(\.name) == [other.name] && verdict.notes.map(\.pointer) == ["/" + other.name])
    }
  }

  @Test("The names of StoreKit in another spelling are written as StoreKit has them")
  func otherSpelling() throws {
    let snake = Self.impressionNames.mapValues { name in
      name.map { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }.joined()
    }
    let dotted = Self.constants.mapValues { $0.replacing("SKStoreProductParameter", with: "SKStoreProductParameter.") }
    for (names, fidelity, right) in [
      (snake, Fidelity.viewThrough, "ad_impression_identifier is adImpressionIdentifier"),
      (dotted, .storeKitRendered, "SKStoreProductParameter.AdNetworkVersion is adNetworkPayloadVersion"),
    ] {
      let verdict = try signed(.v4, fidelity, names)
      #expect(verdict.outcome == .invalid && verdict.check == .verifies, "\(verdict.faults)")
      let text = verdict.faults.map(\.detail).joined() + (verdict.fix ?? "")
      #expect(text.contains(right) && text.contains("with Apple's names the signature verifies"), "\(text)")
    }
  }

  // MARK: Web ads

  @Test(
    "The website of a web ad is a registrable domain, also if another text is signed",
    arguments: [
      ("w-domain-with-scheme.json", "/source_domain", "has a scheme"),
      ("w-domain-www-both.json", "/source_domain", "begins with www"),
      ("w-domain-upper-both.json", "/source_domain", "has upper-case letters"),
      ("k-domain-url.json", "/source-domain", "has a scheme"),
      ("k-web-fidelity0.json", "/fidelity-type", "A web ad has the fidelity type 1."),
    ])
  func webAds(_ file: String, _ pointer: String, _ part: String) throws {
    let bytes = try DeviceFixtures.bytes("cases/\(file)")
    let verdict = try Self.test.get().verdict(on: bytes)
    #expect(verdict.outcome == .invalid && verdict.check == .verifies)
    #expect(verdict.faults.map(\.pointer) == [pointer])
    #expect(verdict.faults.first?.detail.contains(part) == true, "\(verdict.faults)")
    if !file.contains("fidelity") {
      #expect(verdict.faults.first?.detail.hasSuffix(#"in lower case: "news.example"."#) == true)
    }
    #expect(try SignatureVerifier(.apple).verdict(on: bytes).outcome == .invalid)
  }

  private static let domains: [(String, String?)] = [
    ("news.example", nil), ("a-b.co.uk", nil), ("localhost", nil), ("192.0.2.7", nil), ("www.com", nil),
    ("xn--bcher-kva.example", nil),
    ("https://news.example/a", "has a scheme"), ("news.example/", "has a path"), ("news.example?a=1", "has a path"),
    ("news.example:443", "has a port"), ("https:news.example", "has a scheme"), ("//news.example", "has a path"),
    ("news.example.", "ends with a period"), ("News.example", "has upper-case letters"),
    ("www.news.example", "begins with www"), ("com", "is a public suffix"), ("co.uk", "is a public suffix"),
    ("blog.news.example", "has a subdomain"), ("bücher.example", "is no host name"), ("a b", "is no host name"),
    ("news..example", "is no host name"), ("-a.example", "is no host name"),
  ]

  @Test("A domain that no device sends has a fault with the right one", arguments: domains.indices)
  func domain(_ index: Int) throws {
    let (domain, flaw) = Self.domains[index]
    var postback = SKAdNetworkPostback.sample(.v4)
    postback.source = .site(domain)
    let key = try DeviceFixtures.skadnetworkKey(.v4)
    let signature = try key.sign(postback.signedText.bytes)
    let suffixes: Set<String> = ["com", "example", "co.uk", "uk"]
    let verifier = try SignatureVerifier(.given([DeviceFixtures.publicKey("skadnetwork-p256.public.pem")])) { host in
      let labels = host.split(separator: ".")
      return labels.indices.lazy.map { labels[$0...].joined(separator: ".") }.enumerated().first {
        suffixes.contains($0.element)
      }
      .flatMap { $0.offset == 0 ? nil : labels[($0.offset - 1)...].joined(separator: ".") }
    }
    let verdict = verifier.verdict(on: postback.json(signature: signature).bytes)
    #expect(verdict.outcome == (flaw == nil ? .valid : .invalid), "\(domain): \(verdict.faults)")
    #expect(verdict.check == .verifies)
    if let flaw {
      #expect(verdict.faults.map(\.pointer) == ["/source-domain"])
      #expect(verdict.faults.first?.detail.contains("which \(flaw)") == true, "\(domain): \(verdict.faults)")
    }
  }

  // MARK: Unsigned members

  @Test("Copies that contradict the signed token are a fault each, and equal ones are not")
  func copies() throws {
    let verdict = try verdict("a-copies-contradict-valid.json")
    #expect(verdict.outcome == .invalid && verdict.check == .verifies)
    #expect(verdict.faults.map(\.pointer) == ["/did-win"])
    #expect(
      verdict.faults.first?.detail
        == "did-win is true, but did-win in the signed payload is false. A copy beside the signature is not signed, and anyone can "
        + "change it; read the payload.")
    #expect(try wrapped([.init("app-id", 1)]).faults.map(\.pointer) == ["/app-id"])
    #expect(try wrapped([.init("payload", ["didWin": .bool(false)])]).faults.map(\.pointer) == ["/payload/didWin"])
    #expect(try wrapped([.init("advertised_item_identifier", "10738027756")]).outcome == .valid)
    #expect(try wrapped([.init("app_id", "com.example.shop"), .init("network", "x")]).outcome == .valid)
  }

  @Test("Copies of SKAdNetwork's signed members are faults of a postback, and notes of an ad")
  func copiesOfSKAdNetwork() throws {
    func postback(_ more: JSON.Member) throws -> SignatureVerdict {
      let members = try SKAdNetworkPostback.signedSample(.v4) + [more]
      return try DeviceFixtures.verifier(.v4).verdict(on: JSON.object(members).bytes)
    }
    for (name, value, pointer) in [
      ("app_id", 1, "/app_id"), ("did_win", .bool(false), "/did_win"),
      ("payload", ["did-win": .bool(false)], "/payload/did-win"),
      ("postback-identifier", "a", "/postback-identifier"),
    ] as [(String, JSON, String)] {
      let verdict = try postback(.init(name, value))
      #expect(verdict.outcome == .invalid && verdict.check == .verifies, "\(name)")
      #expect(verdict.faults.map(\.pointer) == [pointer])
    }
    #expect(try postback(.init("did_win", .bool(true))).outcome == .valid)
    let ad = try signed(.v4, .viewThrough, [:], adding: [.init("fidelity-type", 0), .init("itunes_item_id", 7)])
    #expect(ad.outcome == .valid && ad.notes.map(\.pointer) == ["/itunes_item_id"], "\(ad.faults) \(ad.notes)")
  }

  /// Apple's example with other members beside the signature.
  private func wrapped(_ more: [JSON.Member], without name: String = "") throws -> SignatureVerdict {
    let members = try #require(JSON(parsing: DeviceFixtures.bytes("vectors/aak-postback.json"), keepingNumbers: true)).members
    return try SignatureVerifier(.apple).verdict(on: JSON.object(members.filter { $0.name != name } + more).bytes)
  }

  @Test("A re-engagement by a view is a fault, although the signature verifies")
  func reengagementByView() throws {
    let verdict = try wrapped([.init("ad-interaction-type", "view")], without: "ad-interaction-type")
    #expect(verdict.outcome == .invalid && verdict.check == .verifies)
    #expect(verdict.faults.map(\.pointer) == ["/ad-interaction-type"])
  }

  // MARK: Names

  @Test(
    "The right name of an unsigned member is named, and the postback is valid",
    arguments: [
      ("fine-conversion-value", 42, "conversion-value"), ("fineConversionValue", 42, "conversion-value"),
      ("fine_conversion_value", 42, "conversion-value"), ("conversionValue", 42, "conversion-value"),
      ("fine-conversion-valeu", 42, "conversion-value"), ("conversion_val", 42, "conversion-value"),
      ("coarseConversionValue", "low", "coarse-conversion-value"), ("coarse-value", "low", "coarse-conversion-value"),
    ] as [(String, JSON, String)])
  func nearestName(_ name: String, _ value: JSON, _ right: String) throws {
    let attribution = try wrapped([.init(name, value)], without: "conversion-value")
    let postback = try #require(JSON(parsing: DeviceFixtures.bytes("vectors/postback-v4.0-a.json"), keepingNumbers: true))
      .members
    let members = postback.filter { $0.name != "conversion-value" } + [.init(name, value)]
    for verdict in [attribution, try SignatureVerifier(.apple).verdict(on: JSON.object(members).bytes)] {
      #expect(verdict.outcome == .valid, "\(verdict.faults)")
      #expect(verdict.notes.map(\.pointer) == ["/" + name])
      #expect(verdict.notes.first?.detail.hasSuffix("The member is named \(right).") == true, "\(verdict.notes)")
    }
  }

  @Test("Names of both frameworks in one postback are named")
  func mixedFrameworks() throws {
    #expect(try verdict("a-fine-name.json").notes.map(\.pointer) == ["/fine-conversion-value"])
    let agent = try verdict("a-agent-fixture.json").faults.map(\.detail).joined(separator: " ")
    #expect(agent.contains("postback-id is transaction-id, fine-conversion-value is conversion-value"), "\(agent)")
    #expect(agent.contains("Members of AdAttributionKit in a postback of SKAdNetwork: postback-id (here transaction-id)."))
    let guide = try verdict("s-guide-4.0.json").faults.map(\.detail).joined(separator: " ")
    #expect(guide.contains("source-app-item-id is source-app-id"), "\(guide)")
    let note = try wrapped([.init("transaction-id", "85546EB7-FD39-44BC-8990-C98A4AC36A49")])
    #expect(note.outcome == .valid)
    #expect(
      note.notes.map(\.detail) == [
        "Members of SKAdNetwork in a postback of AdAttributionKit: transaction-id (here postback-identifier)."
      ])
  }
}
