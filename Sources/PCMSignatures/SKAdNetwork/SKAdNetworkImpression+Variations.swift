internal import PCMCore

extension SKAdNetworkImpression {
  /// What ad networks often sign instead of the text that a device composes.
  var variations: [Variation] { cases + times + sources + fidelities + separators }

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
      variation("The signature verifies with the nonce in lower case.", "Send the nonce in lower case, too.") {
        $0.nonce = nonce.lowercased()
      },
      variation(
        "The signature verifies with the ad network's identifier in lower case.", "Send the identifier in lower case, too."
      ) { $0.adNetworkIdentifier = adNetworkIdentifier.lowercased() },
    ]
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

  private var separators: [Variation] {
    ["|", ",", "", "\\u2063"].map { separator in
      let name = separator.isEmpty ? "no separator" : "the separator \(separator)"
      return Variation(
        Array(signedText.values.joined(separator: separator).utf8), "The values are signed with \(name).",
        "Join the values with U+2063, in UTF-8 the bytes E2 81 A3.")
    }
  }

  private func variation(_ finding: String, _ instruction: String, _ change: (inout Self) -> Void) -> Variation {
    var changed = self
    change(&changed)
    return Variation(changed.signedText, finding, instruction)
  }
}
