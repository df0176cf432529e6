package import PCMCore

extension SignatureVerifier {
  func verdict(onPostback members: [JSON.Member]) -> SignatureVerdict {
    let reader = MemberReader(members)
    let version: SKAdNetworkVersion
    switch Self.version(reader) {
    case .known(let known): version = known
    case .unknown(let verdict): return verdict(.postback)
    }
    var versioned = VersionedReader<PostbackMember>(reader, version: version)
    let signature = versioned.required(.signature, .signature)
    let postback = SKAdNetworkPostback(from: &versioned)
    let unsigned = members.filter { member in
      guard let known = PostbackMember(rawValue: member.name) else { return true }
      return known != .signature && !known.isSigned(in: version)
    }
    let check = SignatureCheck(
      signedText: postback?.signedText,
      variations: { (postback?.variations ?? []) + SKAdNetworkPostback.otherVersions(members, than: version) },
      signature: signature,
      curve: version.postbackCurve)
    let key =
      givenKeys
      ?? [version.postbackCurve == .p192 ? deviceKeys[.skadnetworkP192] : deviceKeys[.skadnetworkP256]]
      .compactMap { $0 }
    return check.verdict(
      .postback, version: version, keys: key, otherKeys: givenKeys == nil ? otherDeviceKeys(than: key) : [],
      testKeys: testKeys, faults: versioned.faults, unsigned: unsigned, signaturePointer: "/attribution-signature")
  }

  private func otherDeviceKeys(than keys: [NamedKey]) -> [NamedKey] {
    AppleKey.allCases.compactMap { deviceKeys[$0] }.filter { other in !keys.contains { $0.key.spki == other.key.spki } }
  }

  /// Verifies the members of an SKAdNetwork impression, whatever other members there are.
  package func verdict(onImpression members: [JSON.Member]) -> ImpressionVerdict<SKAdNetworkImpression> {
    let reader = MemberReader(members)
    let version: SKAdNetworkVersion
    switch Self.version(reader) {
    case .known(let known): version = known
    case .unknown(let verdict): return ImpressionVerdict(verdict: verdict(.impression), impression: nil)
    }
    let spelling = ImpressionSpelling(of: members)
    var versioned = VersionedReader<ImpressionMember>(reader, version: version, name: spelling.name)
    let signature = versioned.required(.signature, .signature)
    let impression = SKAdNetworkImpression(from: &versioned, spelling: spelling)
    let signed = Set(ImpressionMember.allCases.filter { $0.isSigned(in: version) || $0 == .signature }.map(spelling.name))
    let check = SignatureCheck(
      signedText: impression?.signedText,
      variations: {
        (impression?.variations ?? [])
          + SKAdNetworkImpression.otherVersions(members, than: version, spelling: spelling)
      }, signature: signature, curve: .p256)
    let verdict = check.verdict(
      .impression, version: version, keys: givenKeys ?? networkKeys, otherKeys: [], faults: versioned.faults,
      unsigned: members.filter { !signed.contains($0.name) }, signaturePointer: "/signature")
    return ImpressionVerdict(verdict: verdict, impression: impression)
  }

  private enum VersionReading {
    case known(SKAdNetworkVersion)
    case unknown((SignatureVerdict.Subject) -> SignatureVerdict)
  }

  /// No version is 1.0. An unknown version is not the sender's error, but it cannot be verified.
  private static func version(_ reader: MemberReader) -> VersionReading {
    guard let value = reader.members.first(where: { $0.name == "version" })?.value else { return .known(.v1) }
    guard case .string(let text) = value else {
      return .unknown { subject in
        let known = SKAdNetworkVersion.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        let fault = Fault("/version", "version is \(value.text.truncated(to: 40)); it must be a string: \(known).")
        return SignatureVerdict(framework: .skadnetwork, subject: subject, faults: [fault])
      }
    }
    if let version = SKAdNetworkVersion(rawValue: text) { return .known(version) }
    return .unknown { subject in
      let (known, shown) = (SKAdNetworkVersion.allCases.map(\.rawValue).joined(separator: ", "), text.truncated(to: 40))
      let fault = Fault("/version", "The version \(JSON.string(shown).text) is unknown. Known versions: \(known).")
      return SignatureVerdict(
        framework: .skadnetwork, subject: subject, version: shown, faults: [fault], isUnverifiable: true)
    }
  }
}
