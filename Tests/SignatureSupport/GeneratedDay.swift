internal import PCMCore
package import PCMCrypto

/// The log of an endpoint with signed postbacks, faults, copies, and other lines. The same seed draws the same values; only signatures
/// differ.
package struct GeneratedDay {
  package struct Line: Sendable {
    package let bytes: [UInt8]
    /// The expected verdict of `pcm-browser verify`.
    package let outcome: String
  }

  /// The shares of lines.
  private let faults: Double
  private let copies: Double
  private var chance: SplitMix64
  private var number: UInt64 = 0
  /// The last valid postbacks with a conversion value, which may be repeated.
  private var recent: [[JSON.Member]] = []
  private let key: PrivateKey
  private let foreign: PrivateKey
  private let signer: JWSSigner

  package init(seed: UInt64 = 1, faults: Double = 0.01, copies: Double = 0.005) throws {
    (self.faults, self.copies, chance) = (faults, copies, SplitMix64(seed: seed))
    key = try TestKeyPair.skadnetworkP256.privateKey()
    foreign = try TestKeyPair.adNetwork.privateKey()
    signer = try JWSSigner(.production, with: TestKeyPair.production.privateKey())
  }

  package mutating func next() throws -> Line {
    let draw = chance.unit()
    if draw < faults { return Line(bytes: try faulty(kind: Int(chance.next() % 10)), outcome: "invalid") }
    if draw < faults + copies, !recent.isEmpty { return copy() }
    let other = chance.unit()
    if other < 0.02 { return Line(bytes: Array("GET /health 200 \(chance.next() % 90)ms".utf8), outcome: "neither") }
    if other < 0.05 { return Line(bytes: report(), outcome: "not-signed") }
    let members = try postback()
    if members.contains(where: { $0.name == "conversion-value" }) {
      if recent.count < 1_000 { recent.append(members) } else { recent[Int(chance.next() % 1_000)] = members }
    }
    return Line(bytes: wrapped(members, chance.unit()), outcome: "valid")
  }

  /// Returns a line of postbacks on one curve, without faults.
  package mutating func valid(_ curve: Curve) throws -> [UInt8] {
    guard curve == .p192 else { return JSON.object(try skadnetwork(.v4)).bytes }
    number += 1
    return try sample(.v2).body(signedBy: TestKeyPair.skadnetworkP192.privateKey())
  }

  private mutating func copy() -> Line {
    let members = recent[Int(chance.next() % UInt64(recent.count))]
    guard chance.unit() < 0.5 else { return Line(bytes: JSON.object(members).bytes, outcome: "duplicate") }
    let value = members.first { $0.name == "conversion-value" }?.value.integer ?? 0
    let changed = members.setting("conversion-value", .number((value + 1) % 64))
    return Line(bytes: JSON.object(changed).bytes, outcome: "contradiction")
  }

  private mutating func postback() throws -> [JSON.Member] {
    switch chance.unit() {
    case ..<0.2: try adAttributionKit()
    case ..<0.4: try skadnetwork(.v3)
    case ..<0.5: try skadnetwork(.v22)
    default: try skadnetwork(.v4)
    }
  }

  /// Returns a postback with one of ten faults.
  private mutating func faulty(kind: Int) throws -> [UInt8] {
    let members = try skadnetwork(.v4)
    let changed: [JSON.Member] =
      switch kind {
      case 0: members.setting("app-id", 525_463_030)
      case 1: members.setting("attribution-signature", try skadnetwork(.v4).first { $0.name == "attribution-signature" }?.value)
      case 2: members.setting("source-identifier", .number(5239))
      case 3: members.setting("attribution-signature", nil)
      case 4: try adAttributionKit().setting("did-win", .bool(false))
      case 5: members.map { JSON.Member($0.name.replacing("-", with: "_"), $0.value) }
      case 6: try skadnetwork(.v4, foreign)
      case 7: members.setting("conversion-value", 64)
      case 8: members.setting("did-win", nil)
      default: members
      }
    let bytes = JSON.object(changed).bytes
    return kind == 9 ? Array(bytes.dropLast(40)) : bytes
  }

  /// Returns a line as applications and log collectors write it.
  private func wrapped(_ members: [JSON.Member], _ draw: Double) -> [UInt8] {
    let item = JSON.object(members)
    let envelope: JSON? =
      switch draw {
      case ..<0.02: ["log": .string(item.text + "\n"), "stream": "stdout", "time": "2026-11-29T00:00:00.000000000Z"]
      case ..<0.03: ["date": 1_795_910_400, "log": .string(item.text), "kubernetes": ["pod_name": "postbacks-1"]]
      case ..<0.04: ["timestamp": 1_795_910_400_000, "message": .string(item.text), "ingestionTime": 1_795_910_400_100]
      case ..<0.05: nil
      default: item
      }
    return envelope?.bytes ?? Array("2026-11-29T00:00:00.000Z stdout F \(item.text)".utf8)
  }

  private mutating func report() -> [UInt8] {
    let report: JSON = [
      "source_engagement_type": "click", "source_site": "news.example", "source_id": .number(Int64(chance.next() % 256)),
      "attributed_on_site": "shop.example", "trigger_data": .number(Int64(chance.next() % 16)), "version": 3,
    ]
    return report.bytes
  }

  private mutating func skadnetwork(_ version: SKAdNetworkVersion, _ other: PrivateKey? = nil) throws -> [JSON.Member] {
    number += 1
    return JSON(parsing: try sample(version).body(signedBy: other ?? key))?.members ?? []
  }

  private mutating func sample(_ version: SKAdNetworkVersion) -> SKAdNetworkPostback {
    var postback = SKAdNetworkPostback.sample(version)
    postback.transactionIdentifier = uuid
    postback.campaign = version == .v4 ? .source("\(1_000 + chance.next() % 50)") : .campaign(Int64(1 + chance.next() % 50))
    postback.conversionValue = chance.unit() < 0.7 ? .fine(Int64(chance.next() % 64)) : nil
    return postback
  }

  private mutating func adAttributionKit() throws -> [JSON.Member] {
    number += 1
    let postback = AdAttributionKitPostback(
      postbackIdentifier: uuid, sequenceIndex: 0, adNetworkIdentifier: "example123.adattributionkit",
      sourceIdentifier: "\(1_000 + chance.next() % 50)", advertisedItemIdentifier: 10_738_027_756, conversionType: .download,
      didWin: true, publisherItemIdentifier: 0, marketplaceIdentifier: "com.apple.AppStore",
      conversionValue: .fine(Int64(chance.next() % 64)), interactionType: .view, countryCode: "US")
    return JSON(parsing: try postback.body(signedBy: signer))?.members ?? []
  }

  /// A UUID for each number.
  private var uuid: String {
    let digits = String(SplitMix64.mix(number), radix: 16)
    let text = String(repeating: "0", count: 16 - digits.count) + digits
    return "\(text.prefix(8))-\(text.dropFirst(8).prefix(4))-4\(text.suffix(3))-8000-\(String(repeating: "0", count: 12))"
  }
}
