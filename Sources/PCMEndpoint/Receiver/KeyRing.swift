package import PCMCrypto

/// The keys of a site: the current key, with which it signs, and earlier keys, with which it still verifies tokens.
///
/// A browser requests the key again before it sends a report, and sends no report if the key has changed. Reports that are
/// scheduled during a rotation are lost, regardless of the keys that the endpoint stores (reference, section 8.5, item 2).
package struct KeySeries: Sendable {
  package let current: TokenPrivateKey
  /// The earlier keys, newest first.
  package let earlier: [TokenPrivateKey]

  /// The maximum number of earlier keys. Each token is verified with all keys, and a rotation writes all of them to a file.
  package static let maximumEarlierCount = 16

  /// - Parameter earlier: The earlier keys, newest first. Keys beyond the maximum number are discarded.
  package init(current: TokenPrivateKey, earlier: [TokenPrivateKey] = []) {
    self.current = current
    self.earlier = Array(earlier.prefix(Self.maximumEarlierCount))
  }

  package var all: [TokenPrivateKey] { [current] + earlier }

  func rotated(to key: TokenPrivateKey) -> KeySeries { KeySeries(current: key, earlier: all) }
}

/// The keys of an endpoint's sites. Each host name is a separate site. Sites without a separate key share a key.
package struct KeyRing: Sendable {
  package private(set) var common: KeySeries
  package private(set) var byHost: [String: KeySeries]
  /// The hosts of the endpoint; nil for every host.
  private let names: Set<String>?
  private let others: [String: TokenPublicKey]
  private let anyOther: TokenPublicKey?

  /// - Parameters:
  ///   - names: The hosts that this endpoint serves; nil for every host.
  ///   - others: The public keys of sites that other endpoints serve.
  ///   - anyOther: The public key of all other sites.
  package init(
    common: KeySeries, byHost: [String: KeySeries] = [:], names: [String]? = [], others: [String: TokenPublicKey] = [:],
    anyOther: TokenPublicKey? = nil
  ) {
    self.common = common
    self.byHost = byHost
    self.names = names.map(Set.init)
    self.others = others
    self.anyOther = anyOther
  }

  package func series(for host: String) -> KeySeries { byHost[host] ?? common }

  /// Returns the keys that verify a site's tokens; empty if its key is unknown.
  ///
  /// - Parameter host: The host that received the report. It is a site of this endpoint even if it is not one of the names.
  package func verifying(_ site: String, at host: String) -> [TokenPublicKey] {
    if let other = others[site] { return [other] }
    if site == host || names?.contains(site) ?? true || byHost[site] != nil { return series(for: site).all.map(\.publicKey) }
    return anyOther.map { [$0] } ?? []
  }

  /// - Parameter host: A host with a separate key; nil to rotate the shared key.
  /// - Returns: The new keys of the host; nil if it has no separate key.
  mutating func rotate(_ host: String?, to key: TokenPrivateKey) -> KeySeries? {
    guard let host else {
      common = common.rotated(to: key)
      return common
    }
    byHost[host] = byHost[host]?.rotated(to: key)
    return byHost[host]
  }
}
