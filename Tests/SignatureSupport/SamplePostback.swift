package import PCMCore
package import PCMCrypto

extension SKAdNetworkPostback {
  /// A postback with every member that a version can have in a winning postback.
  package static func sample(_ version: SKAdNetworkVersion) -> SKAdNetworkPostback {
    SKAdNetworkPostback(
      version: version, adNetworkIdentifier: "example123.skadnetwork",
      campaign: version == .v4 ? .source("0239") : .campaign(42), itemIdentifier: 525_463_029,
      transactionIdentifier: "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28", isRedownload: true,
      source: version >= .v2 ? .app(1_234_567_891) : nil, fidelity: version >= .v22 ? .storeKitRendered : nil,
      didWin: version >= .v3 ? true : nil, sequenceIndex: version == .v4 ? 0 : nil,
      conversionValue: version >= .v2 ? .fine(20) : nil, countryCode: version == .v4 ? "US" : nil)
  }

  /// The members of a signed sample.
  package static func signedSample(_ version: SKAdNetworkVersion) throws -> [JSON.Member] {
    JSON(parsing: try sample(version).body(signedBy: DeviceFixtures.skadnetworkKey(version)))?.members ?? []
  }
}

extension [JSON.Member] {
  /// The members with one replaced, added, or, with nil, removed.
  package func setting(_ name: String, _ value: JSON?) -> [JSON.Member] {
    let new = value.map { JSON.Member(name, $0) }
    guard contains(where: { $0.name == name }) else { return self + (new.map { [$0] } ?? []) }
    return compactMap { $0.name == name ? new : $0 }
  }
}
