package import PCMCore
package import PCMCrypto
internal import PCMVerify

/// An ad network that is registered with Apple (SKAdNetwork reference, section 1).
package struct AdNetwork: Sendable {
  package let identifier: String
  /// The key that verifies the network's ads.
  package let key: PublicKey
  /// The URL that receives postbacks.
  package let postbackURL: WebURL
  private let verifier: SignatureVerifier

  /// Creates a network without validation. See ``rules`` for the conditions of a registration.
  package init(identifier: String, key: PublicKey, postbackURL: WebURL) throws(KeyError) {
    self.identifier = identifier
    self.key = key
    self.postbackURL = postbackURL
    verifier = try SignatureVerifier(.given([NamedKey(name: identifier, use: "the key of the ad network", key: key)]))
  }

  /// Verifies an SKAdNetwork ad with the network's key.
  func verdict(onImpression members: [JSON.Member]) -> ImpressionVerdict<SKAdNetworkImpression> {
    verifier.verdict(onImpression: members)
  }

  /// Verifies an AdAttributionKit ad with the network's key.
  func verdict(onImpression jws: CompactJWS) -> ImpressionVerdict<AdAttributionKitImpression> {
    verifier.verdict(onImpression: jws)
  }

  package static let rules: [Rule<AdNetwork>] =
    Rule.ofIdentifier(
      \.identifier, invalid: AdNetworkIdentifier.changeOfInvalid, upperCase: AdNetworkIdentifier.changeOfUpperCase) + [
      Rule(
        "key-is-on-p256", "The ad network's key is on P-256. Ads of every version are signed on this curve.",
        .registration, reasons: ["ad-network-key-wrong-curve": "register a public key on P-256 (prime256v1)"],
        inputs: ["curve": { .string($0.key.curve.rawValue) }]
      ) { network in
        network.key.curve == .p256
          ? nil
          : Violation(
            "ad-network-key-wrong-curve", "the ad network's key is on \(network.key.curve.rawValue), not on P-256")
      },
      Rule(
        "postback-url-is-https",
        "The ad network receives postbacks over TLS. Devices send postbacks only to HTTPS URLs.",
        .assumption("Apple names HTTPS for the copies that developers receive (NSAdvertisingAttributionReportEndpoint)"),
        reasons: ["postback-url-not-https": "register an https URL"],
        inputs: ["postbackURL": { .shown($0.postbackURL.text) }]
      ) { network in
        network.postbackURL.scheme == "https"
          ? nil
          : Violation(
            "postback-url-not-https", "the postback URL \(network.postbackURL.text.shown) does not use HTTPS")
      },
    ]

  /// Returns the reason the network cannot be registered; nil if it can.
  package func decideRegistration(_ evaluation: inout RuleEvaluation) -> Violation? {
    evaluation.firstViolation(of: Self.rules, to: self)
  }
}

/// The registered ad networks by their identifiers.
package typealias AdNetworkRegistry = [String: AdNetwork]

extension AdNetworkRegistry {
  /// - Parameter networks: The networks. A later network replaces an earlier network with the same identifier.
  package init(_ networks: [AdNetwork]) { self.init(networks.map { ($0.identifier, $0) }) { $1 } }
}

extension AdNetworkIdentifier {
  /// Returns the reason an identifier is invalid for an ad network; nil for a valid identifier.
  package static func error(in text: String) -> InputError? {
    let rejection = invalid(text, change: changeOfInvalid) ?? upperCase(text, change: changeOfUpperCase)
    return rejection.map { InputError([], "\($0.reason.detail); \($0.change)", code: $0.reason.code) }
  }

  fileprivate static let changeOfInvalid = "register the identifier that Apple assigned to the ad network"

  @Sendable fileprivate static func changeOfUpperCase(_ lowercased: String) -> String { "register \"\(lowercased)\"" }

  fileprivate static func invalid(_ text: String, change: String, _ error: AppleError? = nil) -> Violation? {
    guard !isWellFormed(text) else { return nil }
    return Violation("ad-network-id-invalid", "\"\(text.shown)\" is not \(form)", change: change, error)
  }

  fileprivate static func upperCase(
    _ text: String, change: (_ lowercased: String) -> String, _ error: AppleError? = nil
  ) -> Violation? {
    guard flaw(in: text) == .upperCase else { return nil }
    return Violation(
      "ad-network-id-not-lower-case",
      "\"\(text.shown)\" has upper-case letters, and a device compares identifiers as they are written",
      change: change(text.lowercased()), error)
  }
}

extension Rule {
  /// Returns the rules of the identifier of an ad network.
  ///
  /// - Parameters:
  ///   - invalid: The change for an identifier with an invalid format.
  ///   - upperCase: Returns the change for an identifier with upper-case letters. The argument is the identifier in lower
  ///     case.
  static func ofIdentifier(
    _ identifier: @escaping @Sendable (Subject) -> String, invalid: String,
    upperCase: @escaping @Sendable (String) -> String, _ error: AppleError? = nil
  ) -> [Rule] {
    [
      Rule(
        "ad-network-id-is-valid", "The identifier of an ad network is valid. It is \(AdNetworkIdentifier.form).",
        .registration, reasons: ["ad-network-id-invalid": "use the identifier that Apple assigned to the ad network"],
        inputs: ["adNetworkIdentifier": { .shown(identifier($0)) }]
      ) { AdNetworkIdentifier.invalid(identifier($0), change: invalid, error) },
      Rule(
        "ad-network-id-is-lower-case",
        "The identifier of an ad network is in lower case. A device compares identifiers as they are written, and registered "
          + "ones have no upper-case letter.", .apple("SKAdNetworkItems"),
        reasons: ["ad-network-id-not-lower-case": "use the identifier in lower case"],
        inputs: ["adNetworkIdentifier": { .shown(identifier($0)) }]
      ) { AdNetworkIdentifier.upperCase(identifier($0), change: upperCase, error) },
    ]
  }
}
