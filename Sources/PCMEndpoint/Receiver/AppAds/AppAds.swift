package import PCMCrypto

/// The data for ads that lead to apps: the keys of postbacks, and a web ad with the key of its ad network.
package struct AppAds: Sendable {
  /// The paths that accept postbacks, in addition to the well-known paths.
  package let postbackPaths: [String]
  let verifier: PostbackVerifier
  let webAd: WebAd
  let adNetworkKey: PrivateKey

  /// - Parameters:
  ///   - webAd: The ad whose values the test ad network signs. The published key pair of the network signs them.
  ///   - otherKeys: Public keys of postbacks, in addition to Apple's keys and the published test keys.
  ///   - postbackPaths: Paths that accept postbacks of both frameworks, exactly as written.
  package init(
    webAd: WebAd = WebAd(), otherKeys: [NamedKey] = [], postbackPaths: [String] = []
  ) throws(KeyError) {
    self.postbackPaths = postbackPaths
    self.webAd = webAd
    verifier = try PostbackVerifier(otherKeys: otherKeys)
    adNetworkKey = try TestKeyPair.adNetwork.privateKey()
  }
}
