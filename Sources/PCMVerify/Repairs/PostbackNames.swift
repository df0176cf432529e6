internal import PCMCore
internal import PCMCrypto

/// The members of postbacks in both frameworks, with their names in other programs.
struct PostbackName: Sendable {
  /// The name in SKAdNetwork; nil for a member of AdAttributionKit only.
  let skadnetwork: String?
  let adAttributionKit: String?
  /// Whether the members of both frameworks have the same values.
  let hasSameValues: Bool
  private let names: [String]
  private let plain: [(text: String, framework: AdFramework?)]

  private init(
    _ skadnetwork: String?, _ adAttributionKit: String?, sameValues: Bool = true, ofAdAttributionKit: [String] = [],
    _ others: [String] = []
  ) {
    (self.skadnetwork, self.adAttributionKit, hasSameValues) = (skadnetwork, adAttributionKit, sameValues)
    names = [adAttributionKit].compactMap { $0 } + ofAdAttributionKit + others
    let isShared = skadnetwork == adAttributionKit
    plain =
      [skadnetwork].compactMap { $0 }.map { (MemberSpelling.plain($0), isShared ? nil : .skadnetwork) }
      + ([adAttributionKit].compactMap { $0 } + ofAdAttributionKit).map {
        (MemberSpelling.plain($0), isShared ? nil : .adattributionkit)
      } + others.map { (MemberSpelling.plain($0), nil) }
  }

  private static let all: [PostbackName] = [
    PostbackName("version", nil, ["skadnetwork-version", "postback-version"]),
    PostbackName("ad-network-id", "ad-network-identifier", ["network-id", "ad-network", "network", "skadnetwork-id"]),
    PostbackName("campaign-id", nil, ["campaign", "ad-campaign-id", "campaign-identifier", "ad-campaign-identifier"]),
    PostbackName("source-identifier", "source-identifier", ["source-id", "hierarchical-source-identifier"]),
    PostbackName(
      "app-id", "advertised-item-identifier", ofAdAttributionKit: ["advertised-item-id"],
      [
        "advertised-app-id", "app-store-item-identifier", "app-item-id", "app-identifier", "itunes-item-id", "target-app-id",
        "app-store-item-id",
      ]),
    PostbackName(
      "transaction-id", "postback-identifier", ofAdAttributionKit: ["postback-id"], ["transaction-identifier"]),
    PostbackName("redownload", "conversion-type", sameValues: false, ["is-redownload"]),
    PostbackName(
      "source-app-id", "publisher-item-identifier", ofAdAttributionKit: ["publisher-item-id"],
      [
        "source-app-item-id", "source-app-store-item-identifier", "source-app-store-id", "source-app-identifier",
        "source-item-id", "source-item-identifier", "publisher-app-id", "source-app",
      ]),
    PostbackName("source-domain", nil, ["source-site", "source-web-domain"]),
    PostbackName(
      "fidelity-type", "ad-interaction-type", sameValues: false, ofAdAttributionKit: ["interaction-type"], ["fidelity"]),
    PostbackName("did-win", "did-win", ["won", "is-winner", "is-winning"]),
    PostbackName(
      "postback-sequence-index", "postback-sequence-index", ["sequence-index", "postback-index", "postback-sequence"]),
    PostbackName(
      "conversion-value", "conversion-value",
      ["fine-conversion-value", "fine-value", "fine-conv-value", "conv-value", "fine", "cv"]),
    PostbackName(
      "coarse-conversion-value", "coarse-conversion-value",
      ["coarse-value", "coarse-conv-value", "coarse-conversion", "coarse", "coarse-cv"]),
    PostbackName("country-code", "country-code", ["country", "country-id"]),
    PostbackName(nil, "marketplace-identifier", ofAdAttributionKit: ["marketplace-id"], ["marketplace"]),
    PostbackName(nil, "impression-type"),
    PostbackName("attribution-signature", "jws-string", sameValues: false),
  ]

  /// Other programs' names for SKAdNetwork members, in plain form. Single words are excluded, because they are ambiguous.
  static let renamed: [String: String] = Dictionary(
    all.filter(\.hasSameValues).flatMap { member in
      member.names.filter { $0.contains("-") }.compactMap { name in member.skadnetwork.map { (MemberSpelling.plain(name), $0) }
      }
    }
  ) { first, _ in first }

  /// Returns the name in a framework; nil if the framework has no such member.
  func name(in framework: AdFramework) -> String? {
    switch framework {
    case .skadnetwork: skadnetwork
    case .adattributionkit: adAttributionKit
    }
  }

  /// Returns the member with a name in any spelling, and the framework if only one has the member; nil for an unknown name.
  static func meant(by name: String) -> (member: PostbackName, framework: AdFramework?)? {
    byPlainName[MemberSpelling.plain(name)]
  }

  private static let byPlainName: [String: (member: PostbackName, framework: AdFramework?)] = Dictionary(
    all.flatMap { member in member.plain.map { ($0.text, (member, $0.framework)) } }
  ) { first, _ in first }
}

/// Members of one framework in a postback of the other framework, as written by programs that mix both.
enum MixedFrameworks {
  /// Returns a fault if such a member replaces a missing member, and a note otherwise; nil if all members belong to the
  /// framework.
  static func finding(
    _ members: [JSON.Member], in framework: AdFramework, at pointer: String = ""
  ) -> (finding: Fault, isFault: Bool)? {
    let present = Set(members.map(\.name))
    let foreign = members.compactMap { member -> (name: String, own: String?)? in
      guard let meant = PostbackName.meant(by: member.name), let other = meant.framework, other != framework else { return nil }
      return (member.name, meant.member.name(in: framework))
    }
    guard !foreign.isEmpty else { return nil }
    let other: AdFramework = framework == .skadnetwork ? .adattributionkit : .skadnetwork
    let list = foreign.prefix(6).map { name, own in
      name.asShown(upTo: 40) + (own.map { " (here \($0))" } ?? "")
    }
    let text = "Members of \(other.title) in a postback of \(framework.title): \(list.joined(separator: ", "))."
    return (Fault(pointer, text), foreign.contains { $0.own.map { !present.contains($0) } ?? false })
  }
}

/// Unsigned members that repeat signed values. Anyone can change them.
enum UnsignedCopies {
  private static let limit = 8

  /// Returns a fault for each copy that contradicts the signed value.
  ///
  /// - Parameters:
  ///   - unsigned: The members next to the signature, and the members of their objects, such as a decoded payload.
  ///   - signed: The signed members by their names.
  ///   - framework: The framework of a postback; nil for an impression, whose members have several names.
  static func faults(_ unsigned: [JSON.Member], _ signed: JSON, _ framework: AdFramework?) -> [Fault] {
    let nested = unsigned.flatMap { outer in
      outer.value.members.map {
        (pointer: "/\(JSONPointer.escaped(outer.name.truncated(to: 60)))/\(JSONPointer.escaped($0.name))", member: $0)
      }
    }
    let copies = unsigned.map { (pointer: "/" + JSONPointer.escaped($0.name), member: $0) } + nested
    let names = Dictionary(signed.members.map { (MemberSpelling.plain($0.name), $0.name) }) { first, _ in first }
    let place = framework == .adattributionkit ? "in the signed payload" : "that is signed"
    return Array(
      copies.compactMap { pointer, copy in
        let meant = framework == nil ? nil : PostbackName.meant(by: copy.name)?.member
        let isOther = meant.map { $0.hasSameValues && [$0.skadnetwork, $0.adAttributionKit].contains(copy.name) } ?? false
        let other = isOther ? framework.flatMap { meant?.name(in: $0) } : nil
        guard let name = names[MemberSpelling.plain(copy.name)] ?? other, let value = signed[name], !isSame(copy.value, value)
        else { return nil }
        return Fault(
          pointer,
          "\(copy.name.asShown(upTo: 60)) is \(copy.value.text.asShown(upTo: 60)), but \(name) \(place) is "
            + "\(value.text.asShown(upTo: 60)). A copy beside the signature is not signed, and anyone can change it; read the "
            + "\(framework == .adattributionkit ? "payload" : "signed member").")
      }.prefix(limit))
  }

  /// Returns whether two values are equal, regardless of their types.
  private static func isSame(_ copy: JSON, _ signed: JSON) -> Bool {
    (copy.string ?? copy.text).lowercased() == (signed.string ?? signed.text).lowercased()
  }
}
