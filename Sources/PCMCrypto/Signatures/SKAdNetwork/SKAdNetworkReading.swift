internal import PCMCore

/// The members of a postback or an impression as one version reads them.
struct SKAdNetworkReading {
  let subject: SignatureVerdict.Subject
  let version: SKAdNetworkVersion
  /// Nil if it is missing or malformed.
  let signature: ECDSASignature?
  let signatureName: String
  let signatureValue: JSON?
  /// Nil if a signed value is unusable.
  let signedText: SignedText?
  let faults: [Fault]
  /// What was most likely meant by wrong values.
  let repairs: [MemberRepair]
  let unsigned: [JSON.Member]
  /// Members that a device ignores.
  let notes: [Fault]
  /// Nil for an impression, and if a signed value is unusable.
  private let postback: SKAdNetworkPostback?
  /// Nil for a postback, and if a signed value is unusable.
  let impression: SKAdNetworkImpression?
  private let members: [JSON.Member]
  private let spelling: MemberSpelling

  /// Where the ad was displayed; nil if a signed value is unusable.
  var source: AdSource? { postback?.source ?? impression?.source }

  func name(_ member: SignedMember) -> String { spelling.name(member) }

  /// The curve of the key that signs.
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
    (faults, repairs) = (reader.faults, reader.repairs)
    notes = spelling.members.filter(reader.isOfOtherSystems).map { member in
      let name = spelling.name(member)
      return Fault(
        "/" + name, "\(name) is not signed in version \(version.rawValue), and a device ignores it beside the other identifier."
      )
    }
  }

  /// Small changes of the signed text.
  var variations: [Variation] {
    let others = SKAdNetworkVersion.allCases.filter { $0 != version }.compactMap { other in
      SKAdNetworkReading(subject, members, version: other).signedText.map { text in
        subject == .postback
          ? SKAdNetworkPostback.variation(text, "version \(other.rawValue)")
          : Variation(
            text, "The signed text is for version \(other.rawValue).", "Sign the values of version \(version.rawValue).")
      }
    }
    guard let impression else { return (postback?.variations ?? []) + others }
    return impression.variations + others + SignedText.objects(members.filter { $0.name != signatureName })
  }
}
