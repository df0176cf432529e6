package import PCMCore

extension SKAdNetworkPostback {
  /// Returns the body of the request with a signature, as a device writes it.
  ///
  /// - Parameter key: A key on the curve of the version. It is not Apple's, so only receivers that know its public key accept
  ///   the postback.
  package func body(signedBy key: PrivateKey, slashes: SlashForm = .escaped) throws(SigningError) -> [UInt8] {
    guard key.curve == version.postbackCurve else {
      throw .wrongCurve(key.curve, expected: version.postbackCurve)
    }
    let signature: ECDSASignature
    do {
      signature = try key.sign(signedText.bytes)
    } catch {
      throw .key(error)
    }
    let body = json(signature: signature)
    var reader = VersionedReader<PostbackMember>(MemberReader(body.members), version: version)
    guard SKAdNetworkPostback(from: &reader) == self, reader.faults.isEmpty else {
      throw .invalid(reader.faults)
    }
    return body.bytes(slashes)
  }

  /// The members in the order of Apple's examples, with which 4.0 differs from the versions before it.
  package func json(signature: ECDSASignature) -> JSON {
    let identifiers: [JSON.Member?] =
      switch campaign {
      case .campaign(let number):
        [
          member(.campaignIdentifier, .number(number)), member(.transactionIdentifier, .string(transactionIdentifier)),
          member(.itemIdentifier, .number(itemIdentifier)),
        ]
      case .source(let digits):
        [
          member(.sourceIdentifier, .string(digits)), member(.itemIdentifier, .number(itemIdentifier)),
          member(.transactionIdentifier, .string(transactionIdentifier)),
        ]
      }
    let rest: [JSON.Member?] = [
      member(.redownload, isRedownload.map { .bool($0) }), sourceMember,
      member(.fidelityType, fidelity.map { .number($0.rawValue) }), member(.didWin, didWin.map { .bool($0) }),
      conversionMember, member(.sequenceIndex, sequenceIndex.map { .number($0) }),
      member(.countryCode, countryCode.map { .string($0) }), member(.signature, .string(Base64.encode(signature.der))),
    ]
    let first = [member(.version, .string(version.rawValue)), member(.adNetworkIdentifier, .string(adNetworkIdentifier))]
    return .object((first + identifiers + rest).compactMap { $0 })
  }

  private var sourceMember: JSON.Member? {
    switch source {
    case .app(let identifier)?: member(.sourceItemIdentifier, .number(identifier))
    case .site(let domain)?: member(.sourceDomain, .string(domain))
    case nil: nil
    }
  }

  private var conversionMember: JSON.Member? {
    switch conversionValue {
    case .fine(let value)?: member(.conversionValue, .number(value))
    case .coarse(let value)?: member(.coarseConversionValue, .string(value.rawValue))
    case nil: nil
    }
  }

  private func member(_ member: PostbackMember, _ value: JSON?) -> JSON.Member? {
    value.map { JSON.Member(member.rawValue, $0) }
  }
}

/// How the slashes of a text are written.
package enum SlashForm: Sendable {
  /// As `\/`, by Apple's serializer.
  case escaped
  case plain
}

extension JSON {
  /// The bytes with slashes in a form. JSON has slashes only in strings.
  func bytes(_ slashes: SlashForm) -> [UInt8] {
    guard slashes == .escaped else { return bytes }
    var escaped: [UInt8] = []
    for byte in bytes {
      if byte == UInt8(ascii: "/") { escaped.append(UInt8(ascii: "\\")) }
      escaped.append(byte)
    }
    return escaped
  }
}
