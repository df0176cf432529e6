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
    if wrapper == nil, payload.has("impression-identifier") { return verdict(onImpression: jws).verdict }
    let faults = Self.postbackFaults(payload, MemberReader(unsigned))
    return verdict(jws, .postback, faults: faults, unsigned: unsigned, pointer: pointer)
  }

  /// Verifies an AdAttributionKit impression, whatever members its payload has.
  package func verdict(onImpression jws: CompactJWS) -> ImpressionVerdict<AdAttributionKitImpression> {
    var payload = MemberReader(jws.payload.members, at: "/payload")
    let impression = AdAttributionKitImpression(payload: &payload)
    let verdict = verdict(
      jws, .impression, faults: payload.faults + Self.networkFaults(jws), unsigned: [], pointer: "")
    return ImpressionVerdict(verdict: verdict, impression: impression)
  }

  private static func postbackFaults(_ payload: MemberReader, _ wrapper: MemberReader) -> [Fault] {
    var (payload, wrapper) = (payload, wrapper)
    _ = AdAttributionKitPostback(payload: &payload, wrapper: &wrapper)
    return payload.faults + wrapper.faults
  }

  private static func networkFaults(_ jws: CompactJWS) -> [Fault] {
    guard let network = jws.payload["ad-network-identifier"]?.string, network != jws.keyIdentifier else { return [] }
    return [Fault("/header/kid", "kid names the ad network: it must be equal to ad-network-identifier in the payload.")]
  }

  private func verdict(
    _ jws: CompactJWS, _ subject: SignatureVerdict.Subject, faults: [Fault], unsigned: [JSON.Member], pointer: String
  ) -> SignatureVerdict {
    let key = key(for: jws, subject)
    let isUnverifiable = key == nil && faults.isEmpty
    var (faults, remedy, check) = (faults, SignatureRemedy?.none, SignatureVerdict.Check.notChecked)
    if let key {
      check = jws.isSigned(by: key.key) ? .verifies : .fails
      if check == .fails {
        remedy = self.remedy(jws, key)
        faults.append(Fault(pointer + "/signature", "The signature does not verify with the key \(key.name)."))
      }
    } else {
      let (detail, missingKey) = self.missingKey(jws, subject)
      remedy = missingKey
      faults.append(Fault(pointer + "/header/kid", detail))
    }
    return SignatureVerdict(
      framework: .adattributionkit, subject: subject, key: key.map(SignatureVerdict.Key.init),
      signedText: SignedText([jws.signingInput]), check: check, unsigned: unsigned, faults: faults, remedy: remedy,
      isUnverifiable: isUnverifiable)
  }

  /// The given key whatever its name, or the device's key that the header names.
  private func key(for jws: CompactJWS, _ subject: SignatureVerdict.Subject) -> NamedKey? {
    if let givenKeys { return givenKeys.first { $0.key.curve == .p256 } ?? givenKeys.first }
    guard subject == .postback else { return networkKeys.first }
    return postbackKeys.first { $0.name == jws.keyIdentifier }
  }

  /// The keys that the header of a postback can name.
  private var postbackKeys: [NamedKey] { AppleKey.adAttributionKit.compactMap { deviceKeys[$0] } }

  private func missingKey(
    _ jws: CompactJWS, _ subject: SignatureVerdict.Subject
  ) -> (detail: String, remedy: SignatureRemedy) {
    guard subject == .postback else {
      return ("An impression is verified with the public key of its ad network, and none is given.", .missingKey)
    }
    let known = postbackKeys.map(\.name).joined(separator: ", ")
    let test = testKeys.first { jws.isSigned(by: $0.key) }
    return (
      "No key in use is named \(JSON.string(jws.keyIdentifier.truncated(to: 60)).text). Keys in use: \(known).",
      test.map { SignatureRemedy.testKey($0) }
        ?? SignatureRemedy(instruction: "Pass the public key of the device that signed the postback.")
    )
  }

  private func remedy(_ jws: CompactJWS, _ key: NamedKey) -> SignatureRemedy? {
    if key.key.curve != .p256 { return SignatureRemedy(instruction: "Verify AdAttributionKit with a key on P-256.") }
    if let test = testKeys.first(where: { jws.isSigned(by: $0.key) }) { return .testKey(test) }
    let others = givenKeys ?? postbackKeys
    if let other = others.first(where: { jws.isSigned(by: $0.key) }) { return .otherKey(other) }
    return jws.variations.first { key.key.verifies(jws.signature, over: $0.signedBytes) }?.remedy
  }
}
