package import PCMCore
import PCMCrypto

/// The ad network with the published test key. It signs the ads of scenarios and of simulated sites.
///
/// The values of an ad have the names of the API. The changes of a call are the values that the network signs instead, by the
/// same names, and the faults of a network: `fidelityType`, `separator`, `key` with the value `other`, and `forged`.
package enum TestAdNetwork {
  package static let identifier = "example123.skadnetwork"
  /// The public key, which verifies its ads.
  package static let publicKey = TestKeyPair.adNetwork.publicKey
  /// The App Store identifier of the advertised app.
  package static let advertisedItem: Int64 = 525_463_029
  package static let sourceIdentifier: Int64 = 5239
  /// The default time of the signature of a web ad: 2026-11-20T10:00:00Z.
  private static let timestamp: Int64 = 1_795_168_800_000

  /// Signs an ad of SKAdNetwork that an app displays.
  ///
  /// - Returns: The signature in Base64; nil when a signed value is missing.
  package static func signature(of ad: JSON, signedAs changes: JSON) -> String? {
    let values = SignedValues(ad: ad, changes: changes)
    return values.appImpression.flatMap(values.signature)
  }

  /// Signs an ad of AdAttributionKit. The changes can have `keyIdentifier`, the `kid` of the header, and `payload` with
  /// members as they are written, where null removes one.
  ///
  /// - Returns: The compact JSON Web Signature; nil when the signature cannot be created.
  package static func jws(of ad: JSON, signedAs changes: JSON) -> String? {
    SignedValues(ad: ad, changes: changes).jws
  }

  /// Signs an ad that an app displays.
  ///
  /// - Parameters:
  ///   - ad: The values, with `framework` and the body's other members. Absent values are the test ad's.
  ///   - sourceItem: The App Store identifier of the displaying app, for an ad that does not name it.
  ///   - nonce: The UUID of an ad without one.
  ///   - time: The time of an ad without a timestamp.
  /// - Returns: The body of the call that displays the ad; nil when the ad cannot be signed.
  package static func display(
    of ad: JSON, signedAs changes: JSON = .null, sourceItem: Int64?, nonce: String, at time: Instant
  ) -> JSON? {
    let isSKAdNetwork = ad["framework"]?.string != AdFramework.adattributionkit.rawValue
    let ad = filledIn(ad, version: isSKAdNetwork ? ad["version"]?.string ?? "1.0" : nil, sourceItem, nonce, at: time)
    guard isSKAdNetwork else {
      let kept = ad.members.filter { ["bundleIdentifier", "presentation", "handleView"].contains($0.name) }
      return jws(of: ad, signedAs: changes).map { .object(kept + [.init("jws", .string($0))]) }
    }
    let additions = ["signedBy", "framework", "eligibleForReengagement", "signedAs"]
    return signature(of: ad, signedAs: changes).map { signature in
      .object(
        ad.members.filter { !additions.contains($0.name) }
          + (ad["signature"] == nil ? [.init("signature", .string(signature))] : []))
    }
  }

  /// - Parameter version: The version of SKAdNetwork; nil for AdAttributionKit.
  private static func filledIn(
    _ ad: JSON, version: String?, _ sourceItem: Int64?, _ nonce: String, at time: Instant
  ) -> JSON {
    var standard: [JSON.Member] = [
      .init("adNetworkIdentifier", .string(identifier)),
      .init("advertisedAppStoreItemIdentifier", .number(advertisedItem)),
      .init("adImpressionIdentifier", .string(nonce)),
      .init("timestamp", .number(time.milliseconds)),
    ]
    if let version, ["1.0", "2.0", "2.1", "2.2", "3.0"].contains(version) {
      standard.append(.init("adCampaignIdentifier", 42))
    } else {
      standard.append(.init("sourceIdentifier", .number(sourceIdentifier)))
    }
    if version != "1.0", let sourceItem {
      standard.append(.init("sourceAppStoreItemIdentifier", .number(sourceItem)))
    }
    return .object(ad.members + standard.filter { ad[$0.name] == nil })
  }

  /// Responds to a device that requests the signed values of a web ad.
  ///
  /// - Parameters:
  ///   - request: The body of the request.
  ///   - ad: The values that differ from the test ad.
  /// - Returns: The body of the response; nil when the request has no nonce or no source domain.
  static func webAd(for request: JSON, _ ad: JSON, signedAs changes: JSON) -> JSON? {
    guard let nonce = request["source_nonce"]?.string.flatMap(Base64URL.decode).flatMap(UUIDText.text),
      let domain = request["source_domain"]?.string
    else { return nil }
    let standard: [JSON.Member] = [
      .init("adNetworkIdentifier", .string(identifier)), .init("sourceIdentifier", .number(sourceIdentifier)),
      .init("advertisedAppStoreItemIdentifier", .number(advertisedItem)), .init("adImpressionIdentifier", .string(nonce)),
      .init("sourceDomain", .string(domain)), .init("timestamp", .number(timestamp)), .init("version", "4.0"),
      .init("fidelityType", 1),
    ]
    let values = standard.map { JSON.Member($0.name, ad[$0.name] ?? $0.value) }
    let signed = SignedValues(ad: .object(values), changes: changes)
    let sent = SignedValues(ad: .object(values), changes: .null)
    guard let signature = signed.webImpression.flatMap(signed.signature) else { return nil }
    return sent.webImpression?.webAdResponse(signature: signature)
  }
}

/// The values of an ad that a network signs.
private struct SignedValues {
  let ad: JSON
  let changes: JSON

  private subscript(name: String) -> JSON? { changes[name] ?? ad[name] }

  private func number(_ name: String) -> Int64? { self[name]?.integer }
  private func text(_ name: String) -> String? { self[name]?.string }

  var appImpression: SKAdNetworkImpression? {
    // A version that does not exist has the form of the latest one.
    let version = text("version").map { SKAdNetworkVersion(rawValue: $0) ?? .v4 } ?? .v1
    return impression(version, version > .v1 ? number("sourceAppStoreItemIdentifier").map { .app($0) } : nil)
  }

  var webImpression: SKAdNetworkImpression? { impression(.v4, text("sourceDomain").map { .site($0) }) }

  private func impression(_ version: SKAdNetworkVersion, _ source: AdSource?) -> SKAdNetworkImpression? {
    let campaign: CampaignIdentifier? =
      version == .v4
      ? number("sourceIdentifier").map { .source(String($0)) } : number("adCampaignIdentifier").map { .campaign($0) }
    guard let network = text("adNetworkIdentifier"), let campaign, let item = number("advertisedAppStoreItemIdentifier"),
      let nonce = text("adImpressionIdentifier"), let timestamp = number("timestamp")
    else { return nil }
    let standard: Fidelity = text("presentation") == "view-through" ? .viewThrough : .storeKitRendered
    let fidelity = number("fidelityType").map { Fidelity(rawValue: $0) ?? standard } ?? standard
    return SKAdNetworkImpression(
      version: version, adNetworkIdentifier: network, campaign: campaign, itemIdentifier: item, nonce: nonce, source: source,
      fidelity: version >= .v22 ? fidelity : nil, timestamp: timestamp)
  }

  /// Another network's key, for a network that signs with the wrong one.
  private var key: PrivateKey? { try? (text("key") == "other" ? TestKeyPair.production : .adNetwork).privateKey() }

  private var isForged: Bool { self["forged"] == .bool(true) }

  func signature(of impression: SKAdNetworkImpression) -> String? {
    let text = impression.signedText
    let bytes = self.text("separator").map { Array(text.values.joined(separator: $0).utf8) } ?? text.bytes
    guard var der = (try? key?.sign(bytes))?.der else { return nil }
    if isForged { der[der.count - 1] ^= 1 }
    return Base64.encode(der)
  }

  var jws: String? {
    guard let key, let network = text("adNetworkIdentifier"),
      let signer = try? JWSSigner(adNetworkIdentifier: text("keyIdentifier") ?? network, with: key),
      let jws = try? signer.sign(payload)
    else { return nil }
    return isForged ? forged(jws) : jws
  }

  /// The members in the order of Apple's example.
  private var payload: JSON {
    let members: [(String, JSON?)] = [
      ("advertised-item-identifier", self["advertisedAppStoreItemIdentifier"]),
      ("ad-network-identifier", self["adNetworkIdentifier"]), ("impression-type", "app-impression"),
      ("eligible-for-re-engagement", self["eligibleForReengagement"]), ("timestamp", self["timestamp"]),
      ("publisher-item-identifier", self["sourceAppStoreItemIdentifier"]),
      ("impression-identifier", self["adImpressionIdentifier"]),
      ("source-identifier", self["sourceIdentifier"]),
    ]
    let written = changes["payload"]
    let others = (written?.members ?? []).filter { member in !members.contains { $0.0 == member.name } }
    return .object(
      (members.compactMap { name, value in (written?[name] ?? value).map { JSON.Member(name, $0) } } + others)
        .filter { $0.value != .null })
  }

  private func forged(_ jws: String) -> String? {
    let parts = jws.split(separator: ".").map(String.init)
    guard parts.count == 3, var signature = Base64URL.decode(parts[2]) else { return nil }
    signature[signature.count - 1] ^= 1
    return parts[0] + "." + parts[1] + "." + Base64URL.encode(signature)
  }
}
