internal import PCMCore

/// Finds the changes with which a postback or an impression can be read, and its signature verifies.
struct SKAdNetworkRecovery {
  let subject: SignatureVerdict.Subject
  let members: [JSON.Member]
  /// The keys that can have signed a version, and those that explain a signature that fails.
  let keys: (SKAdNetworkVersion) -> (keys: [NamedKey], others: [NamedKey])
  let testKeys: [NamedKey]

  /// A version that can be meant, with the change of the item.
  struct Version {
    let version: SKAdNetworkVersion
    let repairs: [Repair]

    init(_ version: SKAdNetworkVersion, _ repairs: [Repair]) {
      (self.version, self.repairs) = (version, repairs)
    }
  }

  /// Returns nil if nothing needs to be changed, or no change was found.
  func remedy(_ versions: [Version]) -> SignatureRemedy? {
    var readable: SignatureRemedy?
    for version in versions {
      for (members, repairs) in completions(version.version) {
        let (remedy, verifies) = remedy(Version(version.version, version.repairs + repairs), members)
        if verifies { return remedy }
        readable = readable ?? remedy
      }
    }
    return readable
  }

  /// The members, and for an impression without a fidelity type, those with one.
  private func completions(_ version: SKAdNetworkVersion) -> [(members: [JSON.Member], repairs: [Repair])] {
    let name = SignedMember.fidelityType.rawValue
    guard subject == .impression, version >= .v22, MemberSpelling(subject, members) == .dashes,
      !members.contains(where: { $0.name == name })
    else { return [(members, [])] }
    return [(members, [])]
      + [Fidelity.storeKitRendered, .viewThrough].map { fidelity in
        let value = "\(fidelity.rawValue)"
        let repair = Repair(
          finding: "\(name) is missing", change: "with \(value)", instruction: "Write \(name) \(value), as it is signed.")
        return (members + [JSON.Member(name, .number(fidelity.rawValue))], [repair])
      }
  }

  private func remedy(_ version: Version, _ members: [JSON.Member]) -> (SignatureRemedy?, verifies: Bool) {
    let given = SKAdNetworkReading(subject, members, version: version.version)
    let reading =
      given.repairs.isEmpty
      ? given : SKAdNetworkReading(subject, members.applying(given.repairs), version: version.version)
    let repairs = version.repairs + given.repairs.map(\.repair)
    guard let signedText = reading.signedText else { return (nil, false) }
    let candidates = SignatureText.candidates(of: reading.signatureValue, name: reading.signatureName)
    let (keys, others) = keys(version.version)
    for candidate in candidates {
      let changes = repairs + candidate.repairs
      if !changes.isEmpty, let key = (keys + others + testKeys).first(where: { $0.verifies(candidate, signedText.bytes) }) {
        return (SignatureRemedy(changes, .verifies, further: further(key, keys)), true)
      }
    }
    for candidate in candidates where !(repairs + candidate.repairs).isEmpty {
      let variation = reading.variations.first { variation in
        (keys + others + testKeys).contains { $0.verifies(candidate, variation.signedBytes) }
      }
      if let variation {
        return (SignatureRemedy(repairs + candidate.repairs, .isReadable, further: variation.remedy), true)
      }
    }
    if candidates.isEmpty { return (SignatureText.loss(of: reading.signatureValue, name: reading.signatureName), false) }
    let changes = repairs + (candidates.first?.repairs ?? [])
    guard !changes.isEmpty else { return (nil, false) }
    guard keys.isEmpty else { return (SignatureRemedy(changes, .fails), false) }
    return (SignatureRemedy(changes, .isReadable, further: .missingKey), false)
  }

  /// What to say about a key that is not the version's key.
  private func further(_ key: NamedKey, _ keys: [NamedKey]) -> SignatureRemedy? {
    if keys.contains(where: { $0.key.spki == key.key.spki }) { return nil }
    return testKeys.contains { $0.key.spki == key.key.spki } ? .testKey(key) : .otherKey(key)
  }
}

extension NamedKey {
  fileprivate func verifies(_ candidate: SignatureText.Candidate, _ bytes: [UInt8]) -> Bool {
    key.verifies(candidate.signature, over: bytes)
  }
}
