internal import PCMCore

extension SKAdNetworkImpression {
  /// What ad networks often sign instead of the text that a device composes.
  var variations: [Variation] {
    changes + versions + omissions + signedText.separators + SignedText.encodings(of: signedText.bytes, named: "the text")
      + signedText.orders
  }

  /// Other values. A change that has no effect has the text that does not verify.
  private var changes: [Variation] {
    let (isSite, other) = (source?.site != nil, fidelity?.swapped)
    let changes: [(finding: String, instruction: String, change: (inout Self) -> Void)] = [
      ("The nonce is signed in upper case.", "Sign the nonce in lower case.", { $0.nonce = $0.nonce.uppercased() }),
      (
        "The nonce is signed without hyphens.", "Sign the nonce as a UUID with hyphens, in lower case.",
        { $0.nonce.removeAll { $0 == "-" } }
      ),
      (
        "The signature verifies with the nonce in lower case.", "Send the nonce in lower case, too.",
        { $0.nonce = $0.nonce.lowercased() }
      ),
      (
        "The signature verifies with the ad network's identifier in lower case.", "Send the identifier in lower case, too.",
        { $0.adNetworkIdentifier = $0.adNetworkIdentifier.lowercased() }
      ),
      (
        "The timestamp is signed in seconds.", "Sign the timestamp in milliseconds since 1970.", { $0.timestamp /= 1_000 }
      ),
      (
        "The signature verifies with the timestamp in milliseconds.", "Send the timestamp in milliseconds, too.",
        { $0.timestamp = $0.timestamp.multipliedReportingOverflow(by: 1_000).partialValue }
      ),
      (
        isSite ? "The source domain is not part of the signed text." : "The source app is not part of the signed text.",
        isSite
          ? "Sign the source domain after the nonce."
          : "Sign the source app, with 0 for an app that is signed for development.", { $0.source = nil }
      ),
      (
        "The signature verifies with the source app 0, an app that is signed for development.",
        "Send 0 as the source app, too.", { if !isSite, $0.source != nil { $0.source = .app(0) } }
      ),
      (
        "The signed text has fidelity type \(other?.rawValue ?? 0).",
        "Use fidelity type 1 for StoreKit-rendered and web ads, 0 for view-through ads.", { $0.fidelity = other }
      ),
      (
        "The fidelity type is not part of the signed text.", "Sign the fidelity type before the timestamp.",
        { $0.fidelity = nil }
      ),
    ]
    return changes.map { finding, instruction, change in
      var changed = self
      change(&changed)
      return Variation(changed.signedText, finding, instruction)
    }
  }

  /// The text with another version before the values of this one.
  private var versions: [Variation] {
    guard signedText.values.first == version.rawValue else { return [] }
    let short = version.rawValue.prefix { $0 != "." }
    return (SKAdNetworkVersion.allCases.filter { $0 != version }.map(\.rawValue) + [String(short)]).map { other in
      Variation(
        SignedText([other] + signedText.values.dropFirst()), "The signed text is for version \(other).",
        "Sign the values of version \(version.rawValue).")
    }
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
}

extension SignedMember {
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
    default: rawValue
    }
  }
}
