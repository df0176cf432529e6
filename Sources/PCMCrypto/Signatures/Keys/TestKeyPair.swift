package import PCMCore

/// The published test keys, also in `Fixtures/device/keys`. A receiver under test verifies postbacks with the public keys. Do
/// not trust them in production.
package enum TestKeyPair: String, Hashable, Sendable, CaseIterable {
  case skadnetworkP192 = "skadnetwork-p192"
  case skadnetworkP256 = "skadnetwork-p256"
  case production = "test-cas-identifier/0"
  case development0 = "test-development-identifier/0"
  case development1 = "test-development-identifier/1"
  case adNetwork = "ad-network"

  /// The AdAttributionKit keys, one for each of Apple's keys. The raw values are the key identifiers in a postback's header.
  package static let adAttributionKit: [TestKeyPair] = [.production, .development0, .development1]

  /// The Apple key that this key stands in for; nil for the ad network's key.
  package var appleKey: AppleKey? {
    switch self {
    case .skadnetworkP192: .skadnetworkP192
    case .skadnetworkP256: .skadnetworkP256
    case .production: .production
    case .development0: .development0
    case .development1: .development1
    case .adNetwork: nil
    }
  }

  /// The signatures that the private key creates, for people.
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

  /// The private key in PKCS #8, in DER and Base64.
  private var pkcs8: String {
    switch self {
    case .skadnetworkP192:
      "MG8CAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQEEVTBTAgEBBBhE0s3Se4SesK/f/8Qx8CqBoFSNiYv/sCahNAMyAARvfkvIlFiROGs69+cIFinpW8eR"
        + "rz+cJv+zUoANE9cvBZlsUCQ6PFr0Y1O3KXbF0fY="
    case .skadnetworkP256:
      "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqMqydAHMicUdjuUffciz3z3ZxsHyEL9ygYqbeVvyGXShRANCAATcz6wnwKyNkbeN"
        + "n60SQWFJasih9uRMMmomWvRUsW9+mrFM57rHCGORm0NfjBiOe5E5qKlV2IFVixESqtf2oawZ"
    case .production:
      "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgrSn/RRMZyC1sNWoXWTEmIfYe3YoBibJBMFMHLUdB3SOhRANCAAS8FcMW7f/iZsXr"
        + "OMv/MK+7c9z2fCc7H5v5ahGP9FlHEVDE4cUwWMTqN7w72CqxRbl5039DnvFdWsXhV55hoBat"
    case .development0:
      "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIeDylddyVCyN9DGWjvnTxJ+VBuNl0NtL2Xc2+rmOETGhRANCAASylNlC6emneC5D"
        + "c8XUNNuGHKm15UQFB2IeRJ2s5FHsHMDmLRH2JzQffS2oRCAQvfFi3x6uf/EibtP3zIfZZqU/"
    case .development1:
      "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtmbN9RsGNnjQZ0tox69VGbP84zJZz5k4mJRtTSFUgEOhRANCAAQ7QcYeQomE3a1t"
        + "dQ+fOZq2urYh4PFCiU5ikmmRsLW3casXzduPtGqPEcxdKprGSEfddmVV4Ou5sBjOtVZK19l0"
    case .adNetwork:
      "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIwQORL5F+S1dkL9QZjiyGfY7Pd2bKxBlK2nLmWsIDAahRANCAAQsD6l+5rCe8Osy"
        + "/TXUesqwgbdxilh0GsBdDHuPl0xxoSa2/yTFOFOFdQ7M4LL1mcDnech0WnRDV8XE6Q8M+Isb"
    }
  }

  /// The SubjectPublicKeyInfo in Base64, as Apple publishes keys.
  package var publicKey: String {
    // The point is at the end of the private key.
    Base64.encode(curve.subjectPublicKeyInfo((Base64.decode(pkcs8) ?? []).suffix(1 + 2 * curve.byteCount)))
  }

  /// The private key in PKCS #8, as `openssl genpkey` writes it.
  package var privateKeyPEM: String { PEMBlock.text(pkcs8, label: "PRIVATE KEY") }
  /// The SubjectPublicKeyInfo, as `openssl pkey -pubout` writes it.
  package var publicKeyPEM: String { PEMBlock.text(publicKey, label: "PUBLIC KEY") }

  package func privateKey() throws(KeyError) -> PrivateKey {
    if let key = Self.privateKeys[self] { return key }
    return try PrivateKey(pem: privateKeyPEM)
  }

  /// The private keys, which are read once.
  private static let privateKeys: [TestKeyPair: PrivateKey] = allCases.reduce(into: [:]) { keys, pair in
    keys[pair] = try? PrivateKey(pem: pair.privateKeyPEM)
  }

  /// The pair in the API's list of a device's keys.
  package var json: JSON {
    [
      "id": .string(rawValue), "use": .string(use), "curve": .string(curve.rawValue), "publicKey": .string(publicKey),
      "publicKeyPEM": .string(publicKeyPEM), "privateKeyPEM": .string(privateKeyPEM),
    ]
  }
}

/// The private keys of the published test pairs, for signing.
package struct TestKeys: Sendable {
  /// Signs the impressions of the test ad network.
  package let adNetwork: PrivateKey
  private let skadnetworkP192: PrivateKey
  private let skadnetworkP256: PrivateKey
  private let signers: [TestKeyPair: JWSSigner]

  package init() throws(SigningError) {
    adNetwork = try Self.key(.adNetwork)
    skadnetworkP192 = try Self.key(.skadnetworkP192)
    skadnetworkP256 = try Self.key(.skadnetworkP256)
    var signers: [TestKeyPair: JWSSigner] = [:]
    for pair in TestKeyPair.adAttributionKit { signers[pair] = try JWSSigner(pair, with: Self.key(pair)) }
    self.signers = signers
  }

  /// Returns the key for the postbacks of a version of SKAdNetwork.
  package func skadnetwork(_ version: SKAdNetworkVersion) -> PrivateKey {
    version.postbackCurve == .p192 ? skadnetworkP192 : skadnetworkP256
  }

  /// Returns a signer for AdAttributionKit postbacks under the identifier of a test key.
  package func signer(_ pair: TestKeyPair) throws(SigningError) -> JWSSigner {
    guard let signer = signers[pair] else { throw .unusedKeyIdentifier(pair.rawValue) }
    return signer
  }

  /// Returns a signer for AdAttributionKit postbacks with a test key under the identifier of the corresponding Apple key.
  package func impersonator(_ pair: TestKeyPair) throws(SigningError) -> JWSSigner {
    guard let apple = pair.appleKey else { throw .unusedKeyIdentifier(pair.rawValue) }
    return try JWSSigner(impersonating: apple, with: Self.key(pair))
  }

  private static func key(_ pair: TestKeyPair) throws(SigningError) -> PrivateKey {
    do throws(KeyError) {
      return try pair.privateKey()
    } catch {
      throw .key(error)
    }
  }
}
