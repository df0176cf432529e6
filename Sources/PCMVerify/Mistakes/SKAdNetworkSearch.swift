internal import PCMCore
internal import PCMCrypto

/// Finds the changes of a postback or an impression, and the mistakes of its signer, that explain its signature.
struct SKAdNetworkSearch {
  let subject: SignatureVerdict.Subject
  let members: [JSON.Member]
  /// The possible signing keys of a version, and other keys that explain a signature that fails.
  let keys: (SKAdNetworkVersion) -> (keys: [NamedKey], others: [NamedKey])
  /// The published test keys for an item that fails with Apple's keys, and Apple's keys for an item that fails with the test keys.
  let foreignKeys: [NamedKey]

  /// A possible version, with the changes of the item.
  struct Version {
    let version: SKAdNetworkVersion
    let repairs: [Repair]

    init(_ version: SKAdNetworkVersion, _ repairs: [Repair]) {
      (self.version, self.repairs) = (version, repairs)
    }
  }

  /// Returns nil if no change is necessary, or if no change was found.
  func remedy(_ versions: [Version]) -> SignatureRemedy? {
    var (readable, count) = (SignatureRemedy?.none, 0)
    for version in versions {
      for (members, repairs) in completions(version.version) {
        let (remedy, verifies) = remedy(Version(version.version, version.repairs + repairs), members, &count)
        if verifies { return remedy }
        // The values of a postback are known only if they verify.
        if subject == .impression || repairs.isEmpty { readable = readable ?? remedy }
      }
    }
    return readable
  }

  /// Returns the members. If signed members with few possible values are missing, returns the members with each combination
  /// of values.
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

  /// - Parameter count: The number of verified texts.
  private func remedy(
    _ version: Version, _ members: [JSON.Member], _ count: inout Int
  ) -> (SignatureRemedy?, verifies: Bool) {
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
      guard
        let key = (keys + others + foreignKeys).first(where: { $0.key.verifies(candidate.signature, over: signedText.bytes) })
      else { continue }
      let further = further(key, keys)
      return (changes.isEmpty ? further : SignatureRemedy(changes, .verifies, further: further), true)
    }
    // A missing value and another text are two guesses, which prove nothing about a postback.
    let isGuess = subject == .postback && members.count > self.members.count
    var search = SignatureSearch(keys + others, after: count)
    defer { count = search.count }
    for candidate in candidates where !isGuess && !keys.isEmpty {
      let hash = keys.lazy.compactMap { $0.key.otherHash(of: candidate.signature, over: signedText.bytes) }.first
      guard let found = hash.map({ .otherHash($0) }) ?? search.remedy(candidate.signature, over: reading.form, reading.mistakes)
      else { continue }
      let changes = repairs + candidate.repairs
      return (changes.isEmpty ? found : SignatureRemedy(changes, .isReadable, further: found), true)
    }
    if candidates.isEmpty { return (SignatureText.loss(of: reading.signatureValue, name: reading.signatureName), false) }
    let changes = repairs + (candidates.first?.repairs ?? [])
    guard !changes.isEmpty else { return (keys.isEmpty ? nil : reading.loss, false) }
    guard keys.isEmpty else { return (SignatureRemedy(changes, .fails), false) }
    return (SignatureRemedy(changes, .isReadable, further: .missingKey), false)
  }

  /// Returns the advice about a key other than the version's key.
  private func further(_ key: NamedKey, _ keys: [NamedKey]) -> SignatureRemedy? {
    if keys.contains(where: { $0.key.spki == key.key.spki }) { return nil }
    guard foreignKeys.contains(where: { $0.key.spki == key.key.spki }) else { return .otherKey(key) }
    return AppleKey(rawValue: key.name) == nil ? .testKey(key) : .appleKey(key)
  }
}
