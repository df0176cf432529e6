internal import PCMCore
internal import PCMCrypto

/// The names that other programs use for the members of postbacks and impressions.
enum MemberNames {
  /// Returns the members with Apple's names; nil if no name is another spelling of Apple's name.
  static func repaired(
    _ members: [JSON.Member], _ subject: SignatureVerdict.Subject
  ) -> (members: [JSON.Member], fault: Fault, repair: Repair)? {
    let known = names(subject, members)
    var taken = Set(members.map(\.name)).intersection(known.values)
    var renamed: [(from: String, to: String)] = []
    let changed = members.map { member in
      guard !known.values.contains(member.name), let name = known[MemberSpelling.plain(member.name)],
        taken.insert(name).inserted
      else {
        return member
      }
      renamed.append((member.name, name))
      return JSON.Member(name, member.value)
    }
    guard let first = renamed.first else { return nil }
    let list = renamed.prefix(4).map { "\($0.from.asShown(upTo: 40)) is \($0.to)" }.joined(separator: ", ")
    let rest = renamed.count > 4 ? ", and \(renamed.count - 4) more" : ""
    let haveUnderscores = renamed.allSatisfy {
      $0.from.contains("_") && !$0.from.contains("-") && !$0.to.contains(where: \.isUppercase)
    }
    let repair = Repair(
      finding: haveUnderscores ? "the names of members have underscores" : "members have other names than Apple's",
      change: haveUnderscores ? "with hyphens" : "with Apple's names",
      instruction: "Write \(first.to) for \(first.from.asShown(upTo: 40))" + (renamed.count > 1 ? ", and so on." : "."))
    return (changed, Fault("", "Names of members are written differently: \(list)\(rest)."), repair)
  }

  /// Returns whether the names, in any spelling, fit a postback.
  static func arePostback(_ members: [JSON.Member]) -> Bool {
    let names = Set(members.map { MemberSpelling.plain($0.name) })
    if names.contains("attributionsignature") || members.contains(where: { $0.name == "transaction-id" }) { return true }
    let others = ["adnetworkid", "campaignid", "sourceidentifier", "appid", "redownload", "didwin", "fidelitytype"]
    return names.contains("transactionid") && others.count(where: names.contains) > 1
  }

  /// Returns whether the names, in any spelling, fit an impression.
  static func areImpression(_ members: [JSON.Member]) -> Bool {
    guard members.contains(where: { distinctive.contains(MemberSpelling.plain($0.name)) }) else { return false }
    let (known, spelling) = (names(.impression, members), MemberSpelling(.impression, members))
    let found = Set(members.compactMap { known[MemberSpelling.plain($0.name)] })
    let kinds = Set(
      SignedMember.ofImpressions.filter { member in
        found.contains { MemberSpelling.plain($0) == MemberSpelling.plain(spelling.name(member)) }
      })
    guard kinds.contains(.signature) || kinds.contains(.nonce) else { return false }
    return kinds.subtracting([.signature, .version, .timestamp]).count > 1
  }

  /// The names of a signature and a nonce. Every impression has one of them, and few other objects do.
  private static let distinctive = Set([SignedMember.signature, .nonce].flatMap(aliases).map(MemberSpelling.plain))

  /// Returns Apple's names by their plain form.
  private static func names(_ subject: SignatureVerdict.Subject, _ members: [JSON.Member]) -> [String: String] {
    let spelling = MemberSpelling(subject, members)
    let own = spelling.members.map { (MemberSpelling.plain(spelling.name($0)), spelling.name($0)) }
    guard subject == .impression else { return Dictionary(own + PostbackName.renamed.map { ($0, $1) }) { first, _ in first } }
    let others = spelling.members.flatMap { member in
      aliases(member).map { (MemberSpelling.plain($0), spelling.name(member)) }
    }
    return Dictionary(own + others) { first, _ in first }
  }

  /// Returns the names in all spellings and in advertising SDKs.
  private static func aliases(_ member: SignedMember) -> [String] {
    MemberSpelling.names(member) + (ofSDKs[member] ?? [])
  }

  private static let ofSDKs: [SignedMember: [String]] = [
    .version: ["skAdNetworkVersion"], .sourceIdentifier: ["sourceId"], .nonce: ["impressionId", "sourceNonce"],
    .sourceItemIdentifier: ["sourceAppStoreId", "sourceAppStoreIdentifier"], .fidelityType: ["adFidelityType"],
    .signature: ["attributionSignature"],
  ]
}
