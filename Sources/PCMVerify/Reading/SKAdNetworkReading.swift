internal import PCMCore
internal import PCMCrypto

/// The members of a postback or an impression, read as a version.
struct SKAdNetworkReading {
  let subject: SignatureVerdict.Subject
  let version: SKAdNetworkVersion
  /// The signature; nil if it is missing or malformed.
  let signature: ECDSASignature?
  let signatureName: String
  let signatureValue: JSON?
  /// The signed text; nil if a signed value is unusable.
  let signedText: SignedText?
  let faults: [Fault]
  /// The most likely values in place of invalid values.
  let repairs: [MemberRepair]
  let unsigned: [JSON.Member]
  /// The members that a device ignores.
  let notes: [Fault]
  /// The postback; nil for an impression, and if a signed value is unusable.
  private let postback: SKAdNetworkPostback?
  /// The impression; nil for a postback, and if a signed value is unusable.
  let impression: SKAdNetworkImpression?
  private let members: [JSON.Member]
  private let spelling: MemberSpelling

  /// The source of the ad; nil if a signed value is unusable.
  var source: AdSource? { postback?.source ?? impression?.source }

  func name(_ member: SignedMember) -> String { spelling.name(member) }

  /// The curve of the signing key.
  var curve: Curve { subject == .postback ? version.postbackCurve : .p256 }

  init(_ subject: SignatureVerdict.Subject, _ given: [JSON.Member], version: SKAdNetworkVersion) {
    let spelling = MemberSpelling(subject, given)
    let members = spelling.typed(given)
    var reader = VersionedReader(members, version: version, spelling: spelling)
    let signatureName = spelling.name(.signature)
    signature = reader.required(.signature, .signature)
    signatureValue = members.first { $0.name == signatureName }?.value
    postback = subject == .postback ? SKAdNetworkPostback(from: &reader) : nil
    impression = subject == .impression ? SKAdNetworkImpression(from: &reader) : nil
    signedText = postback?.signedText ?? impression?.signedText
    let signed = Set(spelling.members.filter { $0.isSigned(in: version) }.map(spelling.name) + [signatureName])
    unsigned = members.filter { !signed.contains($0.name) }
    (self.subject, self.version, self.signatureName, self.members) = (subject, version, signatureName, members)
    self.spelling = spelling
    repairs = reader.wrong.compactMap(\.repair)
    // A device reads an ad by its names, and ignores copies. In a postback, copies can conceal a forgery.
    let copies = UnsignedCopies.faults(
      unsigned, .object(members.filter { signed.contains($0.name) }), subject == .postback ? .skadnetwork : nil)
    faults = reader.faults + (subject == .postback ? copies : [])
    notes =
      (subject == .postback ? [] : copies)
      + spelling.members.filter(reader.isOfOtherSystems).map { member in
        let name = spelling.name(member)
        return Fault(
          "/" + name,
          "\(name) is not signed in version \(version.rawValue), and a device ignores it beside the other identifier."
        )
      }
  }

  /// The signed values; empty if a signed value is unusable.
  var form: SignedForm { SignedForm(values: postback?.signedMembers ?? impression?.signedMembers ?? []) }

  /// The wrong texts that may have been signed, the most likely first.
  var mistakes: [Mistake] {
    let form = form
    guard subject == .impression else {
      return ValueMistake.ofPostbacks.flatMap { $0.mistakes(form) } + sources + versions
    }
    let values = ValueMistake.ofImpressions.flatMap { $0.mistakes(form) }
    return Mistake.bytes + Mistake.separators + sources + replacements(form) + values + Mistake.omissions(form) + versions
      + Mistake.orders(form) + Mistake.objects(members.filter { $0.name != signatureName })
  }

  /// The source of the other kind, or an omitted source 0 of a postback.
  private var sources: [Mistake] {
    let kinds = [SignedMember.sourceItemIdentifier, .sourceDomain].filter { $0.isSigned(in: version) }
    let given = kinds.map { member in (member, members.first { $0.name == name(member) }?.value.signedText) }
    guard given.contains(where: { $0.1 == nil }) else {
      return zip(given, given.reversed()).map { kept, other in
        Mistake(
          .value(kept.0), "The signature verifies with \(name(kept.0)) and without \(name(other.0)).",
          "Remove \(name(other.0))."
        ) { form in
          form.set(other.0, nil)
          form.set(kept.0, kept.1)
        }
      }
    }
    guard subject == .postback, source == nil, kinds.contains(.sourceItemIdentifier) else { return [] }
    return [
      Mistake(
        .value(.sourceItemIdentifier), "The signature verifies with source-app-id 0, which was left out.", Mistake.exactly
      ) { $0.set(.sourceItemIdentifier, "0") }
    ]
  }

  /// The values of other versions.
  private var versions: [Mistake] {
    SKAdNetworkVersion.allCases.filter { $0 != version }.compactMap { other in
      let values = SKAdNetworkReading(subject, members, version: other).form.values
      let isPostback = subject == .postback
      return values.isEmpty
        ? nil
        : Mistake(
          .values,
          isPostback
            ? "The signature verifies with version \(other.rawValue)." : "The signed text is for version \(other.rawValue).",
          isPostback ? Mistake.exactly : "Sign the values of version \(version.rawValue)."
        ) { $0.values = values }
    }
  }

  /// Returns the values of other members in the place of a value.
  private func replacements(_ form: SignedForm) -> [Mistake] {
    let given = unsigned.prefix(4).compactMap { member in member.value.signedText.map { (member.name, $0) } }
    let apps: [SignedMember] = [.itemIdentifier, .sourceItemIdentifier]
    let own = form.values.filter { apps.contains($0.member) }.map { ($0.member.rawValue, $0.text) }
    return (given + own).flatMap { name, value in
      form.values.filter { member, text in
        let isNumber = JSON.integer(value) != nil
        let fits = isNumber ? member.isIdentifier : JSON.integer(text) == nil
        return fits && member.rawValue != name && text != value && (apps.contains(member) || !own.contains { $0.0 == name })
      }.map { member, _ in
        Mistake(
          .value(member),
          "Version \(version.rawValue) is signed with \(name.asShown(upTo: 60)) in the place of \(member.rawValue).",
          "Sign \(member.rawValue).",
          isFrequent: member == .sourceIdentifier && name == self.name(.campaignIdentifier)
        ) { $0.set(member, value) }
      }
    }
  }

  /// The advice about a number that was converted to 32 bits, for a signature without another explanation.
  var loss: SignatureRemedy? {
    guard subject == .impression else { return nil }
    return form.values.lazy.compactMap { member, text -> SignatureRemedy? in
      guard [.timestamp, .itemIdentifier, .sourceItemIdentifier].contains(member), let number = Int64(text),
        let sign = ThirtyTwoBits.sign(of: number, isTime: member == .timestamp)
      else { return nil }
      return SignatureRemedy(
        finding: "\(sign): \(member.title) went through 32 bits.",
        instruction: "Send \(member.title) as a 64-bit integer, as it is signed.")
    }.first
  }
}
