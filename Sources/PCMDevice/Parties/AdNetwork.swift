package import PCMCore
package import PCMSignatures

/// An ad network as it is registered with Apple (SKAdNetwork reference, section 1).
package struct AdNetwork: Sendable {
  package let identifier: String
  /// The key that verifies the network's ads.
  package let key: PublicKey
  /// Where the network receives postbacks.
  package let postbackURL: WebURL
  private let verifier: SignatureVerifier

  /// Creates a network without checking it; ``rules`` are the conditions of a registration.
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

  package static let rules: [Rule<AdNetwork, AdNetworkRejection>] = [
    Rule("ad-network-id-is-valid", inputs: ["adNetworkIdentifier": { .shown($0.identifier) }]) { network in
      AdNetworkIdentifier.isWellFormed(network.identifier) ? nil : .identifierInvalid(network.identifier)
    },
    Rule("ad-network-id-is-lower-case", inputs: ["adNetworkIdentifier": { .shown($0.identifier) }]) { network in
      AdNetworkIdentifier.flaw(in: network.identifier) == .upperCase ? .notLowerCase(network.identifier) : nil
    },
    Rule("key-is-on-p256", inputs: ["curve": { .string($0.key.curve.rawValue) }]) { network in
      network.key.curve == .p256 ? nil : .wrongCurve(network.key.curve)
    },
    Rule("postback-url-is-https", inputs: ["postbackURL": { .shown($0.postbackURL.text) }]) { network in
      network.postbackURL.scheme == "https" ? nil : .postbackURLNotHTTPS(network.postbackURL.text)
    },
  ]

  /// Returns why the network cannot be registered; nil if it can.
  package func decideRegistration(_ evaluation: inout RuleEvaluation) -> AdNetworkRejection? {
    evaluation.firstViolation(of: Self.rules, to: self)
  }
}

/// The registered ad networks by their identifiers.
package struct AdNetworkRegistry: Sendable {
  private var networks: [String: AdNetwork]

  /// - Parameter networks: Of two networks with the same identifier, the later one counts.
  package init(_ networks: [AdNetwork] = []) {
    self.networks = Dictionary(networks.map { ($0.identifier, $0) }) { $1 }
  }

  package var count: Int { networks.count }

  package subscript(identifier: String) -> AdNetwork? {
    get { networks[identifier] }
    set { networks[identifier] = newValue }
  }
}

/// Why an ad network cannot be registered.
package enum AdNetworkRejection: Hashable, RuleViolation {
  case identifierInvalid(String)
  case notLowerCase(String)
  case wrongCurve(Curve)
  case postbackURLNotHTTPS(String)

  package var reason: Reason {
    switch self {
    case .identifierInvalid(let identifier): .adNetworkIdentifierInvalid(identifier)
    case .notLowerCase(let identifier): .adNetworkIdentifierNotLowerCase(identifier)
    case .wrongCurve(let curve):
      Reason("ad-network-key-wrong-curve", "the ad network's key is on \(curve.rawValue), not on P-256")
    case .postbackURLNotHTTPS(let url): Reason("postback-url-not-https", "the postback URL \(url.shown) does not use HTTPS")
    }
  }

  package var change: String {
    switch self {
    case .identifierInvalid: "register the identifier that Apple assigned to the ad network"
    case .notLowerCase(let identifier): "register \"\(identifier.lowercased())\""
    case .wrongCurve: "register a public key on P-256 (prime256v1)"
    case .postbackURLNotHTTPS: "register an https URL"
    }
  }
}
