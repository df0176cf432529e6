internal import PCMCore

/// A signed text of SKAdNetwork with its signature.
struct SignatureCheck {
  /// Nil if a signed value is unusable.
  let signedText: SignedText?
  let variations: [Variation]
  /// Nil if it is missing or malformed.
  let signature: ECDSASignature?
  /// The curve of the key that signs.
  let curve: Curve

  /// - Parameters:
  ///   - keys: The keys that can have signed.
  ///   - otherKeys: Keys that sign other versions, to explain a signature that fails.
  ///   - faults: What is wrong besides the signature.
  func verdict(
    _ subject: SignatureVerdict.Subject, version: SKAdNetworkVersion, keys: [NamedKey], otherKeys: [NamedKey],
    faults: [Fault], unsigned: [JSON.Member], signaturePointer: String
  ) -> SignatureVerdict {
    let key = keys.first { $0.key.curve == curve } ?? keys.first
    var (faults, fix, check) = (faults, String?.none, SignatureVerdict.Check.notChecked)
    if let key, key.key.curve != curve {
      fix = "Verify version \(version.rawValue) with a key on \(curve.rawValue)."
      faults.append(
        Fault(
          "", "The key \(key.name) is on \(key.key.curve.rawValue); the \(subject.rawValue) is signed on \(curve.rawValue)."))
    } else if let key, let signedText, let signature {
      let verifies = key.key.verifies(signature, over: signedText.bytes)
      check = verifies ? .verifies : .fails
      if !verifies {
        fix = self.fix(signature, keys: keys + otherKeys, signedText)
        faults.append(Fault(signaturePointer, "The signature does not verify over the signed text with the key \(key.name)."))
      }
    } else if key == nil {
      fix = "Give the public key of the ad network."
      faults.append(Fault("", "An impression is verified with the public key of its ad network, and none is given."))
    }
    return SignatureVerdict(
      framework: .skadnetwork, subject: subject, version: version.rawValue, key: key.map(SignatureVerdict.Key.init),
      signedText: signedText, check: check, unsigned: unsigned, faults: faults, fix: fix, isUnverifiable: key == nil)
  }

  /// The first change with which the signature verifies: another key, or another text.
  private func fix(_ signature: ECDSASignature, keys: [NamedKey], _ signedText: SignedText) -> String? {
    for other in keys where other.key.verifies(signature, over: signedText.bytes) {
      return "The signature verifies with the key \(other.name): \(other.use)."
    }
    return variations.first { variation in
      keys.contains { $0.key.verifies(signature, over: variation.signedBytes) }
    }?.fix
  }
}
