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
        // The values of a postback are known only if they verify.
        if subject == .impression || repairs.isEmpty { readable = readable ?? remedy }
      }
    }
    return readable
  }

  /// The members, and if signed ones with few values are missing, the members with each combination of these values.
  private func completions(_ version: SKAdNetworkVersion) -> [(members: [JSON.Member], repairs: [Repair])] {
    let spelling = MemberSpelling(subject, members)
    let choices: [(member: SignedMember, values: [JSON])] =
      subject == .impression
      ? [(.fidelityType, [1, 0])]
      : [
        (.redownload, [.bool(true), .bool(false)]), (.didWin, [.bool(true), .bool(false)]), (.fidelityType, [1, 0]),
        (.sequenceIndex, [0, 1, 2]),
      ]
    let missing = choices.filter { member, _ in
      member.isSigned(in: version) && !members.contains { $0.name == spelling.name(member) }
    }
    guard spelling.kind == .postback || spelling.kind == .dashes, (1...2).contains(missing.count) else {
      return [(members, [])]
    }
    let completed = missing.reduce([(members: members, repairs: [Repair]())]) { completed, choice in
      completed.flatMap { members, repairs in
        choice.values.map { value in
          let name = spelling.name(choice.member)
          let repair = Repair(
            finding: "\(name) is missing", change: "with \(name) \(value.text)",
            instruction: subject == .impression
              ? "Write \(name) \(value.text), as it is signed." : "Keep \(name) with the other members.")
          return (members + [JSON.Member(name, value)], repairs + [repair])
        }
      }
    }
    return [(members, [])] + completed
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
    // Two guesses at once, a missing value and another text, prove nothing about a postback.
    let isGuess = subject == .postback && members.count > self.members.count
    for candidate in candidates where !(repairs + candidate.repairs).isEmpty && !isGuess {
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
