package import PCMCore

/// The published test keys, which are also in `Fixtures/device/keys`. Point a receiver under test at their public keys, and do
/// not trust them in production.
package enum TestKeyPair: String, Hashable, Sendable, CaseIterable {
  case skadnetworkP192 = "skadnetwork-p192"
  case skadnetworkP256 = "skadnetwork-p256"
  case production = "test-cas-identifier/0"
  case development0 = "test-development-identifier/0"
  case development1 = "test-development-identifier/1"
  case adNetwork = "ad-network"

  package init(_ identifier: TestKeyIdentifier) {
    self =
      switch identifier {
      case .production: .production
      case .development0: .development0
      case .development1: .development1
      }
  }

  init(inPlaceOf key: AppleKey) {
    self =
      switch key {
      case .skadnetworkP192: .skadnetworkP192
      case .skadnetworkP256: .skadnetworkP256
      case .production: .production
      case .development0: .development0
      case .development1: .development1
      }
  }

  /// What the private key signs.
  package var use: String {
    switch self {
    case .skadnetworkP192: "postbacks of SKAdNetwork 1.0 and 2.0"
    case .skadnetworkP256: "postbacks of SKAdNetwork 2.1 and later"
    case .production: "postbacks of AdAttributionKit, in place of apple-cas-identifier/0"
    case .development0: "development postbacks of AdAttributionKit, in place of apple-development-identifier/0"
    case .development1: "development postbacks of AdAttributionKit, in place of apple-development-identifier/1"
    case .adNetwork: "ad impressions of a test ad network, for both frameworks"
    }
  }

  package var curve: Curve { self == .skadnetworkP192 ? .p192 : .p256 }

  /// The SubjectPublicKeyInfo in Base64, as Apple publishes keys.
  package var publicKey: String { publicKeyPEM.split(separator: "\n").dropFirst().dropLast().joined() }

  package func privateKey() throws(KeyError) -> PrivateKey { try PrivateKey(pem: privateKeyPEM) }

  /// The pair as the list of a device's keys has it.
  package var json: JSON {
    [
      "id": .string(rawValue), "use": .string(use), "curve": .string(curve.rawValue), "publicKey": .string(publicKey),
      "publicKeyPEM": .string(publicKeyPEM), "privateKeyPEM": .string(privateKeyPEM),
    ]
  }
}
