import Foundation
import PCMCrypto
import PCMVerify
import Testing

@testable import PCMCore
@testable import PCMDevice

/// `verify` and the device have the same verdict on an ad, on a device on which nothing but the ad decides.
@Suite struct VerdictAgreementTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures")

  /// The files of the fixtures that can be ads.
  private static let files: [URL] = ["device/vectors", "device/cases"].flatMap { name in
    let folder = fixtures.appending(path: name)
    return ((try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? [])
      .sorted { $0.path < $1.path }
  }

  /// The inputs of the fuzzer's corpora that can be ads, each a line in Base64.
  private static func corpus(_ name: String) throws -> [[UInt8]] {
    try String(contentsOf: fixtures.appending(path: "fuzz/\(name).corpus"), encoding: .utf8).split(separator: "\n")
      .map { [UInt8](try #require(Data(base64Encoded: String($0)))) }
  }

  /// Values of each kind, in and out of range.
  private static let values: [JSON] = [
    0, 1, 5, 9, 10, 42, 100, 101, 9_999, 10_000, -1, .number(.max), 1_800_000_000, 1_800_000_000_000, "0", "1", "42", "4.0", "",
    " ", "com.example", "Example123.skadnetwork", "a b", "a\u{2063}b", "b7c9da2b-15c7-4f3b-9326-135f9630033d",
    "B7C9DA2B-15C7-4F3B-9326-135F9630033D", .bool(true), .bool(false), .null, [], [:], .verbatim("1.5"), "app-impression",
  ]

  private static let keys: [PublicKey] = {
    let names = ["ad-network.public.pem", "apple-sample-ad-network.txt"]
    return names.compactMap { name in try? PublicKey(file: Sample.fixture("keys/\(name)")) }
  }()

  private func verifier(_ key: PublicKey) throws -> SignatureVerifier {
    try SignatureVerifier(.given([NamedKey(name: "ad network", use: "a test key", key: key)]))
  }

  /// A device on which the ad network is registered, and an app that declares it and has the identifier of the ad.
  private func world(
    _ network: String, _ key: PublicKey, item: Int64?, sdk: OSVersion = OSVersion(18, 4)
  ) throws -> (app: DeviceApp, networks: AdNetworkRegistry) {
    var app = DeviceApp(bundleIdentifier: "com.example.news", itemIdentifier: item == 0 ? 5 : item, sdk: sdk)
    app.signing = item == 0 ? .development : app.signing
    app.adAttribution.skAdNetworkIdentifiers = [network]
    app.adAttribution.adNetworkIdentifiers = [network]
    let registered = try AdNetwork(identifier: network, key: key, postbackURL: Sample.url("https://ads.example/postback"))
    return (app, AdNetworkRegistry([registered]))
  }

  private func accepts(jws text: String, _ key: PublicKey) throws -> Bool {
    let jws = try? CompactJWS(text)
    let (app, networks) = try world(
      jws?.keyIdentifier ?? "", key, item: jws?.payload["publisher-item-identifier"]?.integer)
    var evaluation = RuleEvaluation(of: DeviceRuleBook.adAttributionKitAd)
    let ad = AdAttributionKitAd(text, .storeKitTap, in: app, networks: networks, device: Device(), at: Sample.now)
    return ad.decide(&evaluation).recorded != nil
  }

  /// Passes the members to StoreKit, or as the response for a web ad.
  private func accepts(_ members: [JSON.Member], _ key: PublicKey) throws -> Bool {
    let object = JSON.object(members)
    if members.contains(where: { $0.name == "ad_network_id" }) { return try acceptsWebAd(object, key) }
    func text(_ name: String) -> String? { object[name]?.string }
    func number(_ name: String) -> Int64? { object[name]?.integer }
    let ad = ImpressionInput(
      version: text("version"), adNetworkIdentifier: text("ad-network-id"), adCampaignIdentifier: number("campaign-id"),
      sourceIdentifier: number("source-identifier"), advertisedAppStoreItemIdentifier: number("itunes-item-id"),
      adImpressionIdentifier: text("nonce"), sourceAppStoreItemIdentifier: number("source-app-id"),
      timestamp: number("timestamp"), signature: text("signature"))
    let isFirst = object["version"] == nil || text("version") == "1.0"
    let (app, networks) = try world(
      text("ad-network-id") ?? "", key, item: number("source-app-id"), sdk: isFirst ? OSVersion(13, 7) : OSVersion(18, 4))
    var evaluation = RuleEvaluation(of: DeviceRuleBook.skAdNetworkAd)
    let decision = SKAdNetworkDisplay(
      ad, as: number("fidelity-type") == 0 ? .viewThrough : .storeKitRendered, in: app, networks: networks,
      device: Device(system: isFirst ? OSVersion(13, 7) : Device().system), at: Sample.now
    ).decide(&evaluation)
    return decision.recorded != nil || decision.view != nil
  }

  private func acceptsWebAd(_ object: JSON, _ key: PublicKey) throws -> Bool {
    let nonce = object["nonce"]?.string ?? ""
    let isUUID = nonce == nonce.lowercased() && UUIDText.isValid(nonce)
    let bytes = isUUID ? Hexadecimal.bytes(nonce.filter { $0 != "-" }) : nil
    let donation = AppStoreDonation(
      itemID: UInt64(exactly: object["itunes_item_id"]?.integer ?? 1) ?? 1, adNetwork: Site("ads.example"),
      impressionID: bytes.map(Base64URL.encode) ?? nonce, source: Site("example.com"))
    let request = SignedPayloadRequest(
      donation: donation, sourceDomain: object["source_domain"]?.string ?? "", isDevelopment: false, clickedAt: Sample.now)
    let (_, networks) = try world(object["ad_network_id"]?.string ?? "", key, item: nil)
    var evaluation = RuleEvaluation(of: DeviceRuleBook.signedPayload)
    let response = SignedPayloadResponse(
      to: request, status: 200, contentType: "application/json", body: object.bytes, networks: networks, device: Device())
    return response.decide(&evaluation).recorded != nil
  }

  private func expectAgreement(_ bytes: [UInt8], _ key: PublicKey, _ name: String) throws -> Bool {
    let verdict = try verifier(key).verdict(on: bytes)
    guard verdict.subject == .impression else { return false }
    let isAccepted: Bool
    if case .object(let members)? = JSON(parsing: bytes, keepingNumbers: true) {
      // Members that only StoreKit's callers cannot pass: a site in an app, and members of another version.
      isAccepted = try accepts(members, key)
      guard verdict.framework == .skadnetwork, !hasOtherMembers(members) else { return false }
    } else {
      let text = String(decoding: bytes, as: UTF8.self)
      isAccepted = try accepts(jws: text.trimmingCharacters(in: .whitespacesAndNewlines), key)
    }
    #expect(isAccepted == (verdict.outcome == .valid), "\(name): \(verdict.faults) \(String(decoding: bytes, as: UTF8.self))")
    return true
  }

  /// Whether StoreKit has no place for a member in the version, or the members belong to an OpenRTB bid.
  private func hasOtherMembers(_ members: [JSON.Member]) -> Bool {
    let names = Set(members.map(\.name))
    if names.contains("ad_network_id") { return false }
    // The call decides the fidelity type.
    if let fidelity = members.first(where: { $0.name == "fidelity-type" })?.value, fidelity != 0, fidelity != 1 { return true }
    let version = members.first { $0.name == "version" }?.value.string ?? "1.0"
    let isKnown = names.isSubset(of: [
      "version", "ad-network-id", "campaign-id", "source-identifier", "itunes-item-id", "nonce", "source-app-id",
      "fidelity-type", "timestamp", "signature",
    ])
    let later: Set<String> = version < "2.2" ? ["fidelity-type"] : []
    let other: Set<String> = version < "2.0" ? ["source-app-id"] : []
    // The call always decides one.
    if version >= "2.2", !names.contains("fidelity-type") { return true }
    // The identifier of other versions is ignored only beside the own one.
    let campaign: Set<String> =
      names.isSuperset(of: ["campaign-id", "source-identifier"])
      ? [] : version == "4.0" ? ["campaign-id"] : ["source-identifier"]
    return !isKnown || !names.isDisjoint(with: later.union(other).union(campaign))
  }

  @Test("The device and the verifier agree about each fixture and each input of the fuzzer")
  func files() throws {
    var count = 0
    for file in Self.files {
      let bytes = try [UInt8](Data(contentsOf: file))
      for key in Self.keys where try expectAgreement(bytes, key, file.lastPathComponent) { count += 1 }
    }
    for name in ["signed-item", "jws"] {
      for (index, bytes) in try Self.corpus(name).enumerated()
      where try expectAgreement(bytes, Self.keys[0], "\(name), line \(index + 1)") { count += 1 }
    }
    #expect(count > 20)
  }

  @Test("They agree about each value of each member of an SKAdNetwork ad", arguments: [SKAdNetworkVersion.v1, .v22, .v4])
  func members(_ version: SKAdNetworkVersion) throws {
    let key = Self.keys[0]
    let impression = Sample.impression(version)
    let members = try impression.json(signature: impression.signature(by: Sample.privateKey())).members
    #expect(try verifier(key).verdict(on: JSON.object(members).bytes).outcome == .valid)
    let other = JSON.Member(version == .v4 ? "campaign-id" : "source-identifier", 42)
    let both = JSON.object(members + [other]).bytes
    #expect(try expectAgreement(both, key, "both identifiers") && verifier(key).verdict(on: both).outcome == .valid)
    for member in members {
      for value in Self.values {
        let changed = members.map { $0.name == member.name ? JSON.Member(member.name, value) : $0 }
        let signed = member.name == "signature" ? changed : try signedAgain(changed)
        _ = try expectAgreement(JSON.object(signed).bytes, key, "\(version.rawValue) \(member.name) \(value.text)")
      }
      let rest = members.filter { $0.name != member.name }
      _ = try expectAgreement(JSON.object(rest).bytes, key, "\(version.rawValue) without \(member.name)")
    }
  }

  /// The members with a signature over their values as they are, in the order of the version.
  private func signedAgain(_ members: [JSON.Member]) throws -> [JSON.Member] {
    let names = [
      "version", "ad-network-id", "campaign-id", "source-identifier", "itunes-item-id", "nonce", "source-app-id",
      "source-domain", "fidelity-type", "timestamp",
    ]
    var object: [String: JSON] = [:]
    for member in members { object[member.name.replacing("_", with: "-")] = member.value }
    if object["source-domain"] != nil { object["fidelity-type"] = 1 }
    let isFirst = object["version"] == "1.0"
    let values = names.dropFirst(isFirst ? 1 : 0).compactMap { name in object[name].map { $0.string ?? $0.text } }
    let signature = try Sample.privateKey().sign(SignedText(values).bytes)
    return members.map { $0.name == "signature" ? JSON.Member("signature", .string(Base64.encode(signature.der))) : $0 }
  }

  @Test("They agree about each value of each member of an AdAttributionKit ad")
  func payload() throws {
    let payload = try CompactJWS(Sample.jws { $0.isEligibleForReengagement = true }).payload.members
    let names = payload.map(\.name) + ["eligible-for-reengagement"]
    for name in names {
      for value in Self.values.map(Optional.some) + [nil] {
        let changed =
          payload.filter { $0.name != name } + [value.map { JSON.Member(name, $0) }].compactMap { $0 }
        let network = changed.first { $0.name == "ad-network-identifier" }?.value.string ?? ""
        for kid in Set([network, Sample.network, "key-1"]) where !kid.isEmpty {
          let jws = try JWSSigner(adNetworkIdentifier: kid, with: Sample.privateKey()).sign(.object(changed))
          #expect(try expectAgreement(Array(jws.utf8), Self.keys[0], "\(kid) \(name) \(value?.text ?? "missing")"))
        }
      }
    }
  }

  @Test("They agree about each value of the response for a web ad")
  func webAd() throws {
    var impression = Sample.impression(.v4)
    impression.source = .site("example.com")
    let members = try impression.webAdResponse(signature: impression.signature(by: Sample.privateKey())).members
    #expect(try acceptsWebAd(.object(members), Self.keys[0]))
    for member in members where !["itunes_item_id", "nonce", "source_domain", "version"].contains(member.name) {
      for value in Self.values {
        let changed = members.map { $0.name == member.name ? JSON.Member(member.name, value) : $0 }
        let signed = member.name == "signature" ? changed : try signedAgain(changed)
        _ = try expectAgreement(JSON.object(signed).bytes, Self.keys[0], "\(member.name) \(value.text)")
      }
    }
  }
}
