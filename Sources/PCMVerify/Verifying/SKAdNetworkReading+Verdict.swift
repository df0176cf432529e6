internal import PCMCore
internal import PCMCrypto

extension SKAdNetworkReading {
  /// Checks the signature.
  ///
  /// - Parameters:
  ///   - keys: The possible signing keys.
  ///   - domains: Finds the registrable domain of a website in the Public Suffix List; nil to check only the website's format.
  func verdict(keys: [NamedKey], domains: SourceDomain.Registry?) -> SignatureVerdict {
    let key = key(keys)
    var (faults, remedy, check) = (
      self.faults + domainFault(domains), SignatureRemedy?.none, SignatureVerdict.Check.notChecked
    )
    let isUnverifiable = key == nil && faults.isEmpty
    if let key, key.key.curve != curve {
      remedy = SignatureRemedy(instruction: "Verify version \(version.rawValue) with a key on \(curve.rawValue).")
      faults.append(
        Fault(
          "", "The key \(key.name) is on \(key.key.curve.rawValue); the \(subject.rawValue) is signed on \(curve.rawValue)."))
    } else if let key, let signedText, let signature {
      check = key.key.verifies(signature, over: signedText.bytes) ? .verifies : .fails
      if check == .fails {
        faults.append(
          Fault("/" + signatureName, "The signature does not verify over the signed text with the key \(key.name)."))
      }
    } else if key == nil {
      remedy = .missingKey
      faults.append(Fault("", "An impression is verified with the public key of its ad network, and none is given."))
    }
    return SignatureVerdict(
      framework: .skadnetwork, subject: subject, version: version.rawValue, key: key.map(SignatureVerdict.Key.init),
      signedText: signedText, check: check, unsigned: unsigned, faults: faults, notes: notes, remedy: remedy,
      isUnverifiable: isUnverifiable)
  }

  private func domainFault(_ domains: SourceDomain.Registry?) -> [Fault] {
    guard case .site(let domain)? = source else { return [] }
    return SourceDomain.fault(in: domain, name: name(.sourceDomain), domains).map { [Fault("/" + name(.sourceDomain), $0)] }
      ?? []
  }

  /// Returns the key that verifies the signature, or the first key on the curve.
  private func key(_ keys: [NamedKey]) -> NamedKey? {
    let usable = keys.filter { $0.key.curve == curve }
    guard usable.count > 1, let signedText, let signature else {
      return usable.first ?? keys.first
    }
    return usable.first { $0.key.verifies(signature, over: signedText.bytes) } ?? usable.first
  }
}

extension SignatureRemedy {
  /// The advice for an impression without the key of its ad network.
  static let missingKey = SignatureRemedy(instruction: "Pass the public key of the ad network.")

  /// Returns the advice for a signature by a published test key.
  static func testKey(_ key: NamedKey) -> SignatureRemedy {
    SignatureRemedy(
      finding: "The signature verifies with the key \(key.name), \(key.use).",
      instruction:
        "Verify with the test keys (--test-keys) if a simulated device or the test ad network signed it. In production, "
        + "reject it: everybody has these keys.")
  }

  /// Returns the advice for a signature by Apple's key of an item that is verified with the test keys.
  static func appleKey(_ key: NamedKey) -> SignatureRemedy {
    SignatureRemedy(
      finding: "The signature verifies with the key \(key.name): \(key.use).",
      instruction: "Verify with Apple's keys (without --test-keys): a device signed it.")
  }

  /// Returns the advice for a signature with another hash function.
  static func otherHash(_ name: String) -> SignatureRemedy {
    SignatureRemedy(finding: "The text is signed with \(name).", instruction: "Sign it with ECDSA and SHA-256.")
  }

  /// Returns the advice for a signature by a key other than the item's key.
  static func otherKey(_ key: NamedKey) -> SignatureRemedy {
    SignatureRemedy(
      finding: "The signature verifies with the key \(key.name): \(key.use).", instruction: "Use that key if you trust it.")
  }
}
