internal import PCMCore
package import PCMCrypto

extension SignatureVerifier {
  /// - Parameter wrapper: The object with `jws-string`; nil for the text alone.
  func verdict(onJWS text: String, wrapper: [JSON.Member]?) -> SignatureVerdict {
    if wrapper == nil, let other = OtherItem.token(text) { return other.verdict }
    do throws(JWSError) {
      return verdict(on: try CompactJWS(text), wrapper: wrapper)
    } catch {
      let fault = Fault((wrapper == nil ? "" : "/jws-string") + error.pointer, error.detail)
      if let (jws, repairs) = CompactJWS.repaired(text, named: wrapper == nil ? "the JSON Web Signature" : "jws-string") {
        return verdict(on: jws, wrapper: wrapper).repaired(by: repairs, fault)
      }
      let other = OtherItem.token(text).map { Fault("/jws-string", $0.detail) }
      return SignatureVerdict(
        framework: .adattributionkit, subject: wrapper == nil ? nil : .postback, unsigned: Self.unsigned(wrapper),
        faults: [fault] + [other].compactMap { $0 })
    }
  }

  /// The members next to the JSON Web Signature.
  private static func unsigned(_ wrapper: [JSON.Member]?) -> [JSON.Member] {
    (wrapper ?? []).filter { $0.name != "jws-string" }
  }

  private func verdict(on jws: CompactJWS, wrapper: [JSON.Member]?) -> SignatureVerdict {
    if wrapper == nil, jws.isImpression { return verdict(onImpression: jws).verdict }
    let pointer = wrapper == nil ? "" : "/jws-string"
    let unsigned = Self.unsigned(wrapper)
    var (payload, members) = (MemberReader(jws.payload.members, at: pointer + "/payload"), MemberReader(unsigned))
    _ = AdAttributionKitPostback(payload: &payload, wrapper: &members)
    let mixed = [
      MixedFrameworks.finding(payload.members, in: .adattributionkit, at: payload.pointer),
      MixedFrameworks.finding(unsigned, in: .adattributionkit).map { (finding: $0.finding, isFault: false) },
    ].compactMap { $0 }
    let notes =
      UnknownMembers.notes(payload, onlySimilar: true) + UnknownMembers.notes(members, onlySimilar: true)
      + mixed.filter { !$0.isFault }.map(\.finding)
    let faults =
      payload.faults + members.faults + UnsignedCopies.faults(unsigned, jws.payload, .adattributionkit)
      + mixed.filter(\.isFault).map(\.finding)
    let verdict = verdict(jws, .postback, faults: faults, notes: notes, unsigned: unsigned, pointer: pointer)
    return verdict.explained(by: members.wrong, signed: payload.wrong)
  }

  /// Verifies an AdAttributionKit impression with any members in its payload.
  package func verdict(onImpression jws: CompactJWS) -> ImpressionVerdict<AdAttributionKitImpression> {
    var payload = MemberReader(jws.payload.members, at: "/payload")
    let impression = AdAttributionKitImpression(payload: &payload)
    let notes = UnknownMembers.notes(payload)
    let verdict = verdict(
      jws, .impression, faults: payload.faults + [jws.networkFault].compactMap { $0 }, notes: notes, unsigned: [], pointer: "")
    return ImpressionVerdict(verdict: verdict.explained(by: [], signed: payload.wrong), impression: impression)
  }

  private func verdict(
    _ jws: CompactJWS, _ subject: SignatureVerdict.Subject, faults: [Fault], notes: [Fault], unsigned: [JSON.Member],
    pointer: String
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
      signedText: SignedText([jws.signingInput]), check: check, unsigned: unsigned, faults: faults, notes: notes,
      remedy: remedy, isUnverifiable: isUnverifiable)
  }

  /// Returns the given key, regardless of its name, or the device's key with the name in the header.
  private func key(for jws: CompactJWS, _ subject: SignatureVerdict.Subject) -> NamedKey? {
    if let givenKeys {
      let usable = givenKeys.filter { $0.key.curve == .p256 }
      return usable.first { usable.count > 1 && jws.isSigned(by: $0.key) } ?? usable.first ?? givenKeys.first
    }
    guard subject == .postback else { return networkKeys.first }
    return postbackKeys.first { $0.name == jws.keyIdentifier } ?? appleKeys.first { $0.name == jws.keyIdentifier }
  }

  /// The keys for postbacks, which a header can name.
  private var postbackKeys: [NamedKey] { AppleKey.adAttributionKit.compactMap { deviceKeys[$0] } }

  private func missingKey(
    _ jws: CompactJWS, _ subject: SignatureVerdict.Subject
  ) -> (detail: String, remedy: SignatureRemedy) {
    let test = testKeys.first { jws.isSigned(by: $0.key) }
    guard subject == .postback else {
      return (
        "An impression is verified with the public key of its ad network, and none is given.",
        test.map { .testKey($0) } ?? .missingKey
      )
    }
    let known = postbackKeys.map(\.name).joined(separator: ", ")
    let nearest = nearestKeys(to: jws.keyIdentifier).joined(separator: " or ")
    return (
      "No key in use is named \(JSON.string(jws.keyIdentifier.truncated(to: 60)).text). Keys in use: \(known)."
        + (nearest.isEmpty ? "" : " The nearest name is \(nearest): kid has the name and the number of the key."),
      test.map { .testKey($0) } ?? postbackKeys.first { jws.isSigned(by: $0.key) }.map { .otherKey($0) }
        ?? SignatureRemedy(instruction: "Pass the public key of the device that signed the postback.")
    )
  }

  /// Returns the names of keys that most resemble an unknown name: without its number, with another number, or misspelled.
  private func nearestKeys(to name: String) -> [String] {
    let name = Array(name.lowercased().filter { !$0.isWhitespace && $0 != "\\" }.utf8)
    let known = Set((postbackKeys + testKeys + appleKeys).map(\.name).filter { $0.contains("/") }).sorted()
    return EditDistance.nearest(of: known) { known in
      let other = Array(known.utf8)
      return name.count >= 8 && other.starts(with: name) ? 0 : EditDistance.between(name, other, atMost: 6)
    }
  }

  private func remedy(_ jws: CompactJWS, _ key: NamedKey) -> SignatureRemedy? {
    if key.key.curve != .p256 { return SignatureRemedy(instruction: "Verify AdAttributionKit with a key on P-256.") }
    if let test = testKeys.first(where: { jws.isSigned(by: $0.key) }) { return .testKey(test) }
    let others = givenKeys ?? postbackKeys
    if let other = others.first(where: { jws.isSigned(by: $0.key) }) { return .otherKey(other) }
    if let hash = key.key.otherHash(of: jws.signature, over: Array(jws.signingInput.utf8)) { return .otherHash(hash) }
    var search = SignatureSearch([key])
    return search.remedy(jws.signature, over: SignedForm(values: [(.signature, jws.signingInput)]), jws.mistakes)
  }
}

extension CompactJWS {
  /// Whether the payload belongs to an impression, not to a postback.
  fileprivate var isImpression: Bool {
    if payload["impression-identifier"] != nil { return true }
    let isPostback = ["postback-identifier", "did-win", "conversion-type"].contains { payload[$0] != nil }
    return !isPostback && (payload["timestamp"] != nil || payload["impression-type"] != nil)
  }

  /// The fault of an impression's header if `kid` is not the name of the ad network; nil for the correct name, and for a
  /// payload without a name.
  package var networkFault: Fault? {
    guard let network = payload["ad-network-identifier"]?.string, network != keyIdentifier else { return nil }
    return Fault(
      "/header/kid",
      "kid is \(JSON.string(keyIdentifier.asShown(upTo: 60)).text). In an impression, kid names the ad network and not a key: it "
        + "must be equal to ad-network-identifier in the payload, \(JSON.string(network.asShown(upTo: 64)).text).")
  }
}

extension SignatureVerdict {
  /// Returns the verdict with the necessary changes of members.
  ///
  /// - Parameters:
  ///   - unsigned: Changes of members that are not signed.
  ///   - signed: Changes of members that must be signed again.
  fileprivate func explained(by unsigned: [WrongMember], signed: [WrongMember]) -> SignatureVerdict {
    let (unsigned, signed) = (unsigned.compactMap(\.repair), signed.compactMap(\.repair))
    guard check != .fails || remedy == nil else { return self }
    if !unsigned.isEmpty, check != .fails {
      let result: RepairResult = check == .verifies ? .verifies : .isReadable
      return with(SignatureRemedy(unsigned.map(\.repair), result, further: remedy))
    }
    guard !signed.isEmpty, check == .verifies else { return self }
    let instructions = signed.map(\.repair.instruction).joined(separator: " ")
    return with(
      SignatureRemedy(
        finding: "The signature verifies, but \(signed.map(\.repair.finding).joined(separator: ", ")).",
        instruction: "\(instructions) Then sign the payload again."))
  }
}
