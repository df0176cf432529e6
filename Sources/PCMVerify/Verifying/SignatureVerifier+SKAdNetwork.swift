package import PCMCore
package import PCMCrypto

extension SignatureVerifier {
  func verdict(onPostback members: [JSON.Member]) -> SignatureVerdict { verdict(.postback, members).verdict }

  /// Verifies the members of an SKAdNetwork impression. Other members are allowed.
  package func verdict(onImpression members: [JSON.Member]) -> ImpressionVerdict<SKAdNetworkImpression> {
    let (verdict, impression) = verdict(.impression, members)
    return ImpressionVerdict(verdict: verdict, impression: impression)
  }

  private typealias Result = (verdict: SignatureVerdict, impression: SKAdNetworkImpression?)

  private func verdict(_ subject: SignatureVerdict.Subject, _ members: [JSON.Member]) -> Result {
    let strict = namedVerdict(subject, members)
    let mixed = subject == .postback ? MixedFrameworks.finding(members, in: .skadnetwork) : nil
    let faults = mixed.flatMap { $0.isFault ? [$0.finding] : nil } ?? []
    let notes = mixed.flatMap { $0.isFault ? nil : [$0.finding] } ?? []
    guard strict.verdict.outcome != .valid, let names = MemberNames.repaired(members, subject) else {
      let similar = UnknownMembers.notes(subject, members)
      return (strict.verdict.adding(faults: faults, notes: similar + notes), strict.impression)
    }
    let renamed = namedVerdict(subject, names.members).verdict.repaired(by: [names.repair], names.fault)
    let similar = UnknownMembers.notes(subject, names.members)
    return (renamed.adding(faults: faults, notes: similar + notes), strict.impression)
  }

  /// Returns the verdict on members with correct names.
  private func namedVerdict(_ subject: SignatureVerdict.Subject, _ members: [JSON.Member]) -> Result {
    let search = SKAdNetworkSearch(
      subject: subject, members: members, keys: { candidateKeys(subject, $0) }, foreignKeys: testKeys + appleKeys)
    let version: SKAdNetworkVersion
    switch VersionReading(subject, members) {
    case .known(let known): version = known
    case .unusable(let fault, let shown, let isUnknown, let versions):
      let verdict = SignatureVerdict(
        framework: .skadnetwork, subject: subject, version: shown, faults: [fault], remedy: search.remedy(versions),
        isUnverifiable: isUnknown)
      return (verdict, nil)
    }
    let reading = SKAdNetworkReading(subject, members, version: version)
    let verdict = reading.verdict(keys: candidateKeys(subject, version).keys, domains: domains)
    guard verdict.outcome != .valid, let remedy = search.remedy([.init(version, [])]) else {
      return (verdict, reading.impression)
    }
    return (verdict.with(remedy), reading.impression)
  }

  /// Returns the possible signing keys, and other keys that explain a signature that fails.
  private func candidateKeys(
    _ subject: SignatureVerdict.Subject, _ version: SKAdNetworkVersion
  ) -> (keys: [NamedKey], others: [NamedKey]) {
    guard subject == .postback else { return (givenKeys ?? networkKeys, []) }
    if let givenKeys { return (givenKeys, []) }
    let key = deviceKeys[version.postbackCurve == .p192 ? .skadnetworkP192 : .skadnetworkP256]
    let others = AppleKey.allCases.compactMap { deviceKeys[$0] }.filter { $0.key.spki != key?.key.spki }
    return ([key].compactMap { $0 }, others)
  }
}

/// The version of a postback or an impression, according to its members.
private enum VersionReading {
  case known(SKAdNetworkVersion)
  /// - Parameters:
  ///   - shown: The text of an unknown version.
  ///   - isUnknown: Whether the text may be a later version. It is not the sender's error, but it cannot be verified.
  ///   - versions: The possible versions.
  case unusable(Fault, shown: String?, isUnknown: Bool, [SKAdNetworkSearch.Version])

  private static let known = SKAdNetworkVersion.allCases.map(\.rawValue)

  init(_ subject: SignatureVerdict.Subject, _ members: [JSON.Member]) {
    let name = MemberSpelling(subject, members).name(.version)
    guard let value = members.first(where: { $0.name == name })?.value else {
      self = Self.absent(subject, members)
      return
    }
    if let version = value.string.flatMap(SKAdNetworkVersion.init) {
      self = .known(version)
      return
    }
    let meant = Self.meant(value).map { version in
      let form = "\"\(version.rawValue)\""
      let repair = Repair(
        finding: "\(name) is \(value.text.asShown(upTo: 40))", change: "as \(form)", instruction: "Write \(name) as \(form).")
      return SKAdNetworkSearch.Version(version, [repair])
    }
    guard case .string(let text) = value else {
      let names = Self.known.map { "\"\($0)\"" }.joined(separator: ", ")
      let fault = Fault("/" + name, "\(name) is \(value.text.truncated(to: 40)); it must be a string: \(names).")
      self = .unusable(fault, shown: nil, isUnknown: false, meant.map { [$0] } ?? [])
      return
    }
    let shown = text.truncated(to: 40)
    let fault = Fault(
      "/" + name, "The version \(JSON.string(shown).text) is unknown. Known versions: \(Self.known.joined(separator: ", ")).")
    self = .unusable(fault, shown: shown, isUnknown: true, meant.map { [$0] } ?? [])
  }

  /// Handles a missing version, which is 1.0 if the other members fit.
  private static func absent(_ subject: SignatureVerdict.Subject, _ members: [JSON.Member]) -> VersionReading {
    let later = foreign(subject, members, .v1)
    guard !later.isEmpty else { return .known(.v1) }
    let fitting = SKAdNetworkVersion.allCases.reversed().filter { foreign(subject, members, $0).isEmpty }
    let names = later.count > 4 ? later.prefix(4) + ["…"] : later[...]
    let fault = Fault(
      "/version",
      "version is missing. Only version 1.0 has none, and it has no \(names.joined(separator: ", ")).")
    return .unusable(
      fault, shown: nil, isUnknown: false,
      fitting.map { version in
        let repair = Repair(
          finding: "version is missing", change: "with \"\(version.rawValue)\"",
          instruction: "Keep version, \"\(version.rawValue)\", with the other members.")
        return SKAdNetworkSearch.Version(version, [repair])
      })
  }

  /// Returns the names of members that only other versions have.
  private static func foreign(
    _ subject: SignatureVerdict.Subject, _ members: [JSON.Member], _ version: SKAdNetworkVersion
  ) -> [String] {
    let spelling = MemberSpelling(subject, members)
    let names = spelling.members.filter { !$0.versions.contains(version) }.map(spelling.name)
    return names.filter { name in members.contains { $0.name == name } }
  }

  /// Returns the version for a number or text such as `4` or `v4.0`.
  private static func meant(_ value: JSON) -> SKAdNetworkVersion? {
    let text = value.string ?? value.text
    let digits = text.split { !($0.isASCII && $0.isNumber) && $0 != "." }.last.map(String.init) ?? ""
    return SKAdNetworkVersion(rawValue: digits) ?? SKAdNetworkVersion(rawValue: digits + ".0")
  }
}
