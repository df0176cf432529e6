internal import PCMCore

extension SKAdNetworkImpression {
  /// What ad networks often sign instead of the text that a device composes.
  var variations: [Variation] {
    cases + versions + times + sources + fidelities + omissions + signedText.separators
      + SignedText.encodings(of: signedText.bytes, named: "the text") + signedText.orders
  }

  /// The same members as an impression of each other version.
  static func otherVersions(
    _ members: [JSON.Member], than version: SKAdNetworkVersion, spelling: ImpressionSpelling
  ) -> [Variation] {
    SKAdNetworkVersion.allCases.filter { $0 != version }.compactMap { other in
      var reader = VersionedReader<ImpressionMember>(MemberReader(members), version: other, name: spelling.name)
      return SKAdNetworkImpression(from: &reader, spelling: spelling).map { impression in
        Variation(
          impression.signedText, "The signed text is that of version \(other.rawValue).",
          "Sign the values of version \(version.rawValue).")
      }
    }
  }

  private var cases: [Variation] {
    [
      variation("The nonce is signed in upper case.", "Sign the nonce in lower case.") { $0.nonce = nonce.uppercased() },
      variation("The nonce is signed without hyphens.", "Sign the nonce as a UUID with hyphens, in lower case.") {
        $0.nonce = String(nonce.filter { $0 != "-" })
      },
      variation("The signature verifies with the nonce in lower case.", "Send the nonce in lower case, too.") {
        $0.nonce = nonce.lowercased()
      },
      variation(
        "The signature verifies with the ad network's identifier in lower case.", "Send the identifier in lower case, too."
      ) { $0.adNetworkIdentifier = adNetworkIdentifier.lowercased() },
    ]
  }

  /// The text with another version before the values of this one.
  private var versions: [Variation] {
    guard signedText.values.first == version.rawValue else { return [] }
    let short = version.rawValue.prefix { $0 != "." }
    return (SKAdNetworkVersion.allCases.filter { $0 != version }.map(\.rawValue) + [String(short)]).map { other in
      Variation(
        SignedText([other] + signedText.values.dropFirst()), "The signed text is that of version \(other).",
        "Sign the values of version \(version.rawValue).")
    }
  }

  private var times: [Variation] {
    let product = timestamp.multipliedReportingOverflow(by: 1_000)
    return [
      variation("The timestamp is signed in seconds.", "Sign the timestamp in milliseconds since 1970.") {
        $0.timestamp = timestamp / 1_000
      }
    ]
      + (product.overflow
        ? []
        : [
          variation(
            "The signature verifies with the timestamp in milliseconds.", "Send the timestamp in milliseconds, too."
          ) { $0.timestamp = product.partialValue }
        ])
  }

  private var sources: [Variation] {
    switch source {
    case .app:
      [
        variation(
          "The source app is not part of the signed text.",
          "Sign the source app, with 0 for an app that is signed for development."
        ) { $0.source = nil },
        variation(
          "The signature verifies with the source app 0, an app that is signed for development.",
          "Send 0 as the source app, too."
        ) { $0.source = .app(0) },
      ]
    case .site:
      [
        variation("The source domain is not part of the signed text.", "Sign the source domain after the nonce.") {
          $0.source = nil
        }
      ]
    case nil: []
    }
  }

  private var fidelities: [Variation] {
    guard let fidelity else { return [] }
    return [
      variation(
        "The signed text has fidelity type \(fidelity.swapped.rawValue).",
        "Use fidelity type 1 for StoreKit-rendered and web ads, 0 for view-through ads."
      ) { $0.fidelity = fidelity.swapped },
      variation("The fidelity type is not part of the signed text.", "Sign the fidelity type before the timestamp.") {
        $0.fidelity = nil
      },
    ]
  }

  /// The signed text without one of its values, or without two that are next to each other.
  private var omissions: [Variation] {
    let (names, values) = (signedMembers.map(\.member), signedText.values)
    return [1, 2].flatMap { count in
      values.indices.dropLast(count - 1).map { index in
        let omitted = names[index..<index + count].map(\.title).joined(separator: " and ")
        var rest = values
        rest.removeSubrange(index..<index + count)
        return Variation(
          SignedText(rest),
          "\(omitted.prefix(1).uppercased() + omitted.dropFirst()) \(count == 1 ? "is" : "are") not part of the signed text.",
          "Sign all values: \(signedText.visible.asShown(upTo: 300))")
      }
    }
  }

  private func variation(_ finding: String, _ instruction: String, _ change: (inout Self) -> Void) -> Variation {
    var changed = self
    change(&changed)
    return Variation(changed.signedText, finding, instruction)
  }
}

extension ImpressionMember {
  /// The value in sentences.
  fileprivate var title: String {
    switch self {
    case .version: "the version"
    case .adNetworkIdentifier: "the ad network's identifier"
    case .campaignIdentifier: "the campaign"
    case .sourceIdentifier: "the source identifier"
    case .itemIdentifier: "the advertised app"
    case .nonce: "the nonce"
    case .sourceItemIdentifier: "the source app"
    case .sourceDomain: "the source domain"
    case .fidelityType: "the fidelity type"
    case .timestamp: "the timestamp"
    case .signature: "the signature"
    }
  }
}
