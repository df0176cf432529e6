internal import PCMCore

extension SignatureVerifier {
  /// - Parameter wrapper: The object with `jws-string`; nil for the text alone.
  func verdict(onJWS text: String, wrapper: [JSON.Member]?) -> SignatureVerdict {
    let pointer = wrapper == nil ? "" : "/jws-string"
    let unsigned = (wrapper ?? []).filter { $0.name != "jws-string" }
    let jws: CompactJWS
    do {
      jws = try CompactJWS(text)
    } catch {
      return SignatureVerdict(
        framework: .adattributionkit, subject: wrapper == nil ? nil : .postback, unsigned: unsigned,
        faults: [Fault(pointer + error.pointer, error.detail)])
    }
    let payload = MemberReader(jws.payload.members, at: pointer + "/payload")
    let isImpression = payload.has("impression-identifier") && wrapper == nil
    let faults =
      isImpression
      ? Self.impressionFaults(payload, jws, pointer) : Self.postbackFaults(payload, MemberReader(unsigned))
    return verdict(jws, isImpression ? .impression : .postback, faults: faults, unsigned: unsigned, pointer: pointer)
  }

  private static func postbackFaults(_ payload: MemberReader, _ wrapper: MemberReader) -> [Fault] {
    var (payload, wrapper) = (payload, wrapper)
    _ = AdAttributionKitPostback(payload: &payload, wrapper: &wrapper)
    return payload.faults + wrapper.faults
  }

  private static func impressionFaults(_ payload: MemberReader, _ jws: CompactJWS, _ pointer: String) -> [Fault] {
    var payload = payload
    _ = AdAttributionKitImpression(payload: &payload)
    guard let network = jws.payload["ad-network-identifier"]?.string, network != jws.keyIdentifier else {
      return payload.faults
    }
    return payload.faults + [
      Fault(pointer + "/header/kid", "kid names the ad network: it must be equal to ad-network-identifier in the payload.")
    ]
  }

  private func verdict(
    _ jws: CompactJWS, _ subject: SignatureVerdict.Subject, faults: [Fault], unsigned: [JSON.Member], pointer: String
  ) -> SignatureVerdict {
    var (faults, fix, check) = (faults, String?.none, SignatureVerdict.Check.notChecked)
    let key = key(for: jws, subject)
    if let key {
      check = jws.isSigned(by: key.key) ? .verifies : .fails
      if check == .fails {
        fix = self.fix(jws, key)
        faults.append(Fault(pointer + "/signature", "The signature does not verify with the key \(key.name)."))
      }
    } else {
      let (detail, change) = Self.missingKey(jws, subject)
      fix = change
      faults.append(Fault(pointer + "/header/kid", detail))
    }
    return SignatureVerdict(
      framework: .adattributionkit, subject: subject, key: key.map(SignatureVerdict.Key.init),
      signedText: SignedText([jws.signingInput]), check: check, unsigned: unsigned, faults: faults, fix: fix,
      isUnverifiable: key == nil)
  }

  /// The given key whatever its name, or the key of Apple that the header names.
  private func key(for jws: CompactJWS, _ subject: SignatureVerdict.Subject) -> NamedKey? {
    if let givenKeys { return givenKeys.first { $0.key.curve == .p256 } ?? givenKeys.first }
    guard subject == .postback else { return nil }
    return AppleKey.adAttributionKit.first { $0.rawValue == jws.keyIdentifier }.flatMap { appleKeys[$0] }
  }

  private static func missingKey(_ jws: CompactJWS, _ subject: SignatureVerdict.Subject) -> (detail: String, fix: String) {
    guard subject == .postback else {
      return (
        "An impression is verified with the public key of its ad network, and none is given.",
        "Give the public key of the ad network."
      )
    }
    let known = AppleKey.adAttributionKit.map(\.rawValue).joined(separator: ", ")
    return (
      "No key of Apple is named \(JSON.string(String(jws.keyIdentifier.prefix(60))).text); known are \(known).",
      "Give the public key of the device that signed the postback."
    )
  }

  private func fix(_ jws: CompactJWS, _ key: NamedKey) -> String? {
    if key.key.curve != .p256 { return "Verify AdAttributionKit with a key on P-256." }
    let others = givenKeys ?? AppleKey.adAttributionKit.compactMap { appleKeys[$0] }
    if let other = others.first(where: { jws.isSigned(by: $0.key) }) {
      return "The signature verifies with the key \(other.name): \(other.use)."
    }
    return jws.variations.first { key.key.verifies(jws.signature, over: $0.signedBytes) }?.fix
  }
}
