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
  /// Small changes of the signed text.
  let variations: () -> [Variation]
  /// Nil for a postback, and if a signed value is unusable.
  let impression: SKAdNetworkImpression?

  /// The curve of the key that signs.
  var curve: Curve { subject == .postback ? version.postbackCurve : .p256 }

  init(_ subject: SignatureVerdict.Subject, _ members: [JSON.Member], version: SKAdNetworkVersion) {
    switch subject {
    case .postback: self.init(postback: members, version: version)
    case .impression: self.init(impression: members, version: version)
    }
  }

  private init(postback members: [JSON.Member], version: SKAdNetworkVersion) {
    var reader = VersionedReader<PostbackMember>(MemberReader(members), version: version)
    signature = reader.required(.signature, .signature)
    let postback = SKAdNetworkPostback(from: &reader)
    unsigned = members.filter { member in
      guard let known = PostbackMember(rawValue: member.name) else { return true }
      return known != .signature && !known.isSigned(in: version)
    }
    variations = { (postback?.variations ?? []) + SKAdNetworkPostback.otherVersions(members, than: version) }
    (subject, self.version, signatureName) = (.postback, version, PostbackMember.signature.rawValue)
    signatureValue = members.first { $0.name == PostbackMember.signature.rawValue }?.value
    (signedText, faults, repairs, impression) = (postback?.signedText, reader.faults, reader.repairs, nil)
  }

  private init(impression members: [JSON.Member], version: SKAdNetworkVersion) {
    let spelling = ImpressionSpelling(of: members)
    let members = spelling.typed(members)
    var reader = VersionedReader<ImpressionMember>(MemberReader(members), version: version, name: spelling.name)
    signature = reader.required(.signature, .signature)
    let impression = SKAdNetworkImpression(from: &reader, spelling: spelling)
    let signed = Set(ImpressionMember.allCases.filter { $0.isSigned(in: version) || $0 == .signature }.map(spelling.name))
    unsigned = members.filter { !signed.contains($0.name) }
    variations = {
      (impression?.variations ?? [])
        + SKAdNetworkImpression.otherVersions(members, than: version, spelling: spelling)
        + (impression == nil ? [] : SignedText.objects(members.filter { $0.name != ImpressionMember.signature.rawValue }))
    }
    (subject, self.version, signatureName) = (.impression, version, ImpressionMember.signature.rawValue)
    signatureValue = members.first { $0.name == ImpressionMember.signature.rawValue }?.value
    (signedText, faults, repairs) = (impression?.signedText, reader.faults, reader.repairs)
    self.impression = impression
  }
}
