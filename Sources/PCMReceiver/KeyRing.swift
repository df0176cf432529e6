package import PCMTokens

/// A party's keys: the one that it serves and signs with, and those before it, by which tokens are still verified.
///
/// A browser fetches the key again before it sends a report, and sends none when the key is another one: reports that
/// wait for their time while the key is rotated are lost, whatever the endpoint keeps (reference, section 8.5, item 2).
package struct KeySeries: Sendable {
  package let current: TokenPrivateKey
  package let earlier: [TokenPrivateKey]

  package init(current: TokenPrivateKey, earlier: [TokenPrivateKey] = []) {
    self.current = current
    self.earlier = earlier
  }

  package var all: [TokenPrivateKey] { [current] + earlier }

  func rotated(to key: TokenPrivateKey) -> KeySeries { KeySeries(current: key, earlier: all) }
}

/// Whose keys an endpoint knows. Every host name is a party of its own; those that have no key of their own share one.
package struct KeyRing: Sendable {
  package private(set) var common: KeySeries
  package private(set) var byHost: [String: KeySeries]
  private let names: Set<String>
  private let others: [String: TokenPublicKey]
  private let anyOther: TokenPublicKey?

  /// - Parameters:
  ///   - names: the hosts that this endpoint serves.
  ///   - others: public keys of parties that are served elsewhere.
  ///   - anyOther: the public key of every other party.
  package init(
    common: KeySeries, byHost: [String: KeySeries] = [:], names: [String] = [], others: [String: TokenPublicKey] = [:],
    anyOther: TokenPublicKey? = nil
  ) {
    self.common = common
    self.byHost = byHost
    self.names = Set(names)
    self.others = others
    self.anyOther = anyOther
  }

  package func series(for host: String) -> KeySeries { byHost[host] ?? common }

  /// The keys by which a party's tokens are verified; none when its key is not known.
  ///
  /// - Parameter host: the host that received the report, which is served here whether it was named or not.
  package func verifying(_ party: String, at host: String) -> [TokenPublicKey] {
    if let other = others[party] { return [other] }
    if party == host || names.contains(party) || byHost[party] != nil { return series(for: party).all.map(\.publicKey) }
    return anyOther.map { [$0] } ?? []
  }

  /// - Parameter host: one that has a key of its own; nil rotates the shared key.
  /// - Returns: the host's keys as they are now; nil when it has no key of its own.
  mutating func rotate(_ host: String?, to key: TokenPrivateKey) -> KeySeries? {
    guard let host else {
      common = common.rotated(to: key)
      return common
    }
    byHost[host] = byHost[host]?.rotated(to: key)
    return byHost[host]
  }
}
