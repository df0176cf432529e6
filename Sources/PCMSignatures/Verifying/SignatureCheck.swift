internal import PCMCore

/// A text that SKAdNetwork signs, with its signature.
struct SignatureCheck {
  /// Nil if a signed value is unusable.
  let signedText: SignedText?
  /// Composed only for a signature that does not verify.
  let variations: () -> [Variation]
  /// Nil if it is missing or malformed.
  let signature: ECDSASignature?
  /// The curve of the key that signs.
  let curve: Curve

  /// - Parameters:
  ///   - keys: The keys that can have signed.
  ///   - otherKeys: Keys that sign other versions, to explain a signature that fails.
  ///   - testKeys: The published test keys, for the same.
  ///   - faults: What is wrong besides the signature.
  func verdict(
    _ subject: SignatureVerdict.Subject, version: SKAdNetworkVersion, keys: [NamedKey], otherKeys: [NamedKey],
    testKeys: [NamedKey] = [], faults: [Fault], unsigned: [JSON.Member], signaturePointer: String
  ) -> SignatureVerdict {
    let key = keys.first { $0.key.curve == curve } ?? keys.first
    let isUnverifiable = key == nil && faults.isEmpty
    var (faults, remedy, check) = (faults, SignatureRemedy?.none, SignatureVerdict.Check.notChecked)
    if let key, key.key.curve != curve {
      remedy = SignatureRemedy(instruction: "Verify version \(version.rawValue) with a key on \(curve.rawValue).")
      faults.append(
        Fault(
          "", "The key \(key.name) is on \(key.key.curve.rawValue); the \(subject.rawValue) is signed on \(curve.rawValue)."))
    } else if let key, let signedText, let signature {
      let verifies = key.key.verifies(signature, over: signedText.bytes)
      check = verifies ? .verifies : .fails
      if !verifies {
        let test = testKeys.first { $0.key.verifies(signature, over: signedText.bytes) }
        remedy = test.map { .testKey($0) } ?? self.remedy(signature, keys: keys + otherKeys, signedText)
        faults.append(Fault(signaturePointer, "The signature does not verify over the signed text with the key \(key.name)."))
      }
    } else if key == nil {
      remedy = .missingKey
      faults.append(Fault("", "An impression is verified with the public key of its ad network, and none is given."))
    }
    return SignatureVerdict(
      framework: .skadnetwork, subject: subject, version: version.rawValue, key: key.map(SignatureVerdict.Key.init),
      signedText: signedText, check: check, unsigned: unsigned, faults: faults, remedy: remedy,
      isUnverifiable: isUnverifiable)
  }

  /// The first change with which the signature verifies: another key, or another text.
  private func remedy(_ signature: ECDSASignature, keys: [NamedKey], _ signedText: SignedText) -> SignatureRemedy? {
    if let other = keys.first(where: { $0.key.verifies(signature, over: signedText.bytes) }) { return .otherKey(other) }
    return variations().first { variation in
      keys.contains { $0.key.verifies(signature, over: variation.signedBytes) }
    }?.remedy
  }
}

extension SignatureRemedy {
  /// For an impression without the key of its ad network.
  static let missingKey = SignatureRemedy(instruction: "Pass the public key of the ad network.")

  /// For a signature by a published test key.
  static func testKey(_ key: NamedKey) -> SignatureRemedy {
    SignatureRemedy(
      finding: "The signature verifies with the key \(key.name), \(key.use).",
      instruction:
        "Verify with the test keys (--test-keys) if a simulated device or the test ad network signed it. In production, "
        + "reject it: everybody has these keys.")
  }

  /// For a signature by another key than that of the item.
  static func otherKey(_ key: NamedKey) -> SignatureRemedy {
    SignatureRemedy(
      finding: "The signature verifies with the key \(key.name): \(key.use).", instruction: "Use that key if you trust it.")
  }
}
