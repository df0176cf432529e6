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

  /// Verifies the JSON of an impression, or a compact JSON Web Signature, with the network's key.
  func verdict(on bytes: [UInt8]) -> SignatureVerdict { verifier.verdict(on: bytes) }

  package static let rules: [Rule<AdNetwork, AdNetworkRejection>] = [
    Rule("ad-network-id-is-lower-case", inputs: ["adNetworkIdentifier": { .string($0.identifier) }]) { network in
      AdNetworkIdentifier.isLowerCase(network.identifier) ? nil : .notLowerCase(network.identifier)
    },
    Rule("key-is-on-p256", inputs: ["curve": { .string($0.key.curve.rawValue) }]) { network in
      network.key.curve == .p256 ? nil : .wrongCurve(network.key.curve)
    },
    Rule("postback-url-is-https", inputs: ["postbackURL": { .string($0.postbackURL.text) }]) { network in
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
  private let networks: [String: AdNetwork]

  /// - Parameter networks: Of two networks with the same identifier, the later one counts.
  package init(_ networks: [AdNetwork] = []) {
    self.networks = Dictionary(networks.map { ($0.identifier, $0) }) { $1 }
  }

  package subscript(identifier: String) -> AdNetwork? { networks[identifier] }
}

/// Why an ad network cannot be registered.
package enum AdNetworkRejection: Hashable, RuleViolation {
  case notLowerCase(String)
  case wrongCurve(Curve)
  case postbackURLNotHTTPS(String)

  package var reason: Reason {
    switch self {
    case .notLowerCase(let identifier):
      Reason("ad-network-id-not-lower-case", "\"\(identifier)\" has upper-case letters, and devices compare it as it is")
    case .wrongCurve(let curve):
      Reason("ad-network-key-wrong-curve", "the ad network's key is on \(curve.rawValue), not on P-256")
    case .postbackURLNotHTTPS(let url): Reason("postback-url-not-https", "the postback URL \(url) is not an https URL")
    }
  }

  package var change: String {
    switch self {
    case .notLowerCase(let identifier): "register \"\(identifier.lowercased())\""
    case .wrongCurve: "register a public key on P-256 (prime256v1)"
    case .postbackURLNotHTTPS: "register an https URL"
    }
  }
}
