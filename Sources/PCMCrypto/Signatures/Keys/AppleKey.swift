/// Apple's public keys for postbacks, from the pages "Verifying an install-validation postback" and "Verifying a postback".
package enum AppleKey: String, Hashable, Sendable, CaseIterable {
  case skadnetworkP192 = "apple-skadnetwork-p192"
  case skadnetworkP256 = "apple-skadnetwork-p256"
  /// The raw values of the three AdAttributionKit keys are the key identifiers in a postback's header.
  case production = "apple-cas-identifier/0"
  case development0 = "apple-development-identifier/0"
  case development1 = "apple-development-identifier/1"

  /// The keys that a JSON Web Signature can name.
  package static let adAttributionKit: [AppleKey] = [.production, .development0, .development1]

  /// The signatures that the key creates, for people.
  package var use: String {
    switch self {
    case .skadnetworkP192: "Apple's P-192 key for postbacks of SKAdNetwork 1.0 and 2.0"
    case .skadnetworkP256: "Apple's P-256 key for postbacks of SKAdNetwork 2.1 and later"
    case .production: "Apple's production key for AdAttributionKit"
    case .development0: "Apple's development key for AdAttributionKit; any device in developer mode can make such postbacks"
    case .development1:
      "Apple's development key for postbacks made in the settings of iOS; any device in developer mode can make them"
    }
  }

  /// The SubjectPublicKeyInfo in Base64, as published. SKAdNetwork's P-256 key is also the production key of AdAttributionKit.
  package var base64: String {
    switch self {
    case .skadnetworkP192:
      "MEkwEwYHKoZIzj0CAQYIKoZIzj0DAQEDMgAEMyHD625uvsmGq4C43cQ9BnfN2xslVT5V1nOmAMP6qaRRUll3PB1JYmgSm+62sosG"
    case .skadnetworkP256, .production:
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWdp8GPcGqmhgzEFj9Z2nSpQVddayaPe4FMzqM9wib1+aHaaIzoHoLN9zW4K8y4SPykE3YVK3sVqW6Af0"
        + "lfx3gg=="
    case .development0:
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELeEDzpJEP+/qRSE5hJVC1p1J0ssUnQGMzBBbvnACBok8OVGGLgxL0myrKiy6lvRtSlLRsWit87i+vftD"
        + "8AEqeQ=="
    case .development1:
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8YzdO7eM97s/IJ25kdW5CZ3A14USE5IJ5Ha/vhWaxI6UBI1ZxCEvjrKxVluVGe6qWwF1BDFq+QHqKfH5"
        + "u+wxHQ=="
    }
  }

  package func publicKey() throws(KeyError) -> PublicKey { try PublicKey(base64: base64) }
}
