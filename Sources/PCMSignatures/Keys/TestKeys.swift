/// The private keys of the published test pairs, for signing.
package struct TestKeys: Sendable {
  /// Signs the impressions of the test ad network.
  package let adNetwork: PrivateKey
  private let skadnetworkP192: PrivateKey
  private let skadnetworkP256: PrivateKey
  private let production: JWSSigner
  private let development0: JWSSigner
  private let development1: JWSSigner

  package init() throws(SigningError) {
    adNetwork = try Self.key(.adNetwork)
    skadnetworkP192 = try Self.key(.skadnetworkP192)
    skadnetworkP256 = try Self.key(.skadnetworkP256)
    production = try Self.signer(.production)
    development0 = try Self.signer(.development0)
    development1 = try Self.signer(.development1)
  }

  /// The key for postbacks of a version of SKAdNetwork.
  package func skadnetwork(_ version: SKAdNetworkVersion) -> PrivateKey {
    version.postbackCurve == .p192 ? skadnetworkP192 : skadnetworkP256
  }

  /// Signs postbacks of AdAttributionKit under the identifier of a test key.
  package func signer(_ identifier: TestKeyIdentifier) -> JWSSigner {
    switch identifier {
    case .production: production
    case .development0: development0
    case .development1: development1
    }
  }

  /// Signs postbacks of AdAttributionKit with a test key under the identifier of the key of Apple in whose place it is.
  package func impersonator(_ identifier: TestKeyIdentifier) throws(SigningError) -> JWSSigner {
    let apple: AppleKey =
      switch identifier {
      case .production: .production
      case .development0: .development0
      case .development1: .development1
      }
    return try JWSSigner(impersonating: apple, with: Self.key(TestKeyPair(identifier)))
  }

  private static func signer(_ identifier: TestKeyIdentifier) throws(SigningError) -> JWSSigner {
    try JWSSigner(identifier, with: key(TestKeyPair(identifier)))
  }

  private static func key(_ pair: TestKeyPair) throws(SigningError) -> PrivateKey {
    do throws(KeyError) {
      return try pair.privateKey()
    } catch {
      throw .key(error)
    }
  }
}
