import PCMCore
package import PCMCrypto
import PCMURL
internal import PCMVerify

/// Verifies postbacks with Apple's keys, the published test keys, and additional keys.
package struct PostbackVerifier: Sendable {
  private let apple: SignatureVerifier
  private let others: [Candidate]

  /// A key other than Apple's keys.
  private struct Candidate: Sendable {
    let verifier: SignatureVerifier
    /// The framework that the key signs; nil for both.
    var framework: AdFramework?
    /// The identifier under which the key signs; nil for any identifier.
    var keyIdentifier: String?

    init(
      _ key: NamedKey, _ sites: SiteParser, _ framework: AdFramework? = nil, keyIdentifier: String? = nil
    ) throws(KeyError) {
      verifier = try SignatureVerifier(.given([key]), domains: sites.registrableDomain(ofHost:))
      (self.framework, self.keyIdentifier) = (framework, keyIdentifier)
    }

    func canSign(_ members: PostbackMembers) -> Bool {
      (framework == nil || framework == members.framework)
        && (keyIdentifier == nil || keyIdentifier == members.keyIdentifier)
    }
  }

  /// - Parameter otherKeys: Public keys, in addition to Apple's keys and the published test keys. In AdAttributionKit, they
  ///   are valid under every identifier, for devices that sign under one of Apple's identifiers.
  package init(otherKeys: [NamedKey] = []) throws(KeyError) {
    let sites = SiteParser(publicSuffixList: .builtIn())
    apple = try SignatureVerifier(.apple, domains: sites.registrableDomain(ofHost:))
    var others: [Candidate] = []
    for pair in [TestKeyPair.skadnetworkP192, .skadnetworkP256] {
      others.append(try Candidate(NamedKey(pair), sites, .skadnetwork))
    }
    for pair in TestKeyPair.adAttributionKit {
      others.append(try Candidate(NamedKey(pair), sites, .adattributionkit, keyIdentifier: pair.rawValue))
    }
    for key in otherKeys { others.append(try Candidate(key, sites)) }
    self.others = others
  }

  /// Returns the verdict with the key that signed. If no key signed, returns the verdict with Apple's key.
  func verify(
    _ body: [UInt8], _ members: PostbackMembers
  ) -> (verdict: SignatureVerdict, environment: PostbackEnvironment?) {
    let first = apple.verdict(on: body)
    if first.isRepaired { return (first, nil) }
    if first.check == .verifies { return (first, Self.environment(of: first, members)) }
    // Without a usable signature, no key can have signed.
    guard first.check == .fails || first.outcome == .unverifiable else { return (first, nil) }
    let verdicts = others.lazy.filter { $0.canSign(members) }.map { ($0, $0.verifier.verdict(on: body)) }
    if let (_, verdict) = verdicts.first(where: { $1.check == .verifies }) { return (verdict, .test) }
    // A signature under the identifier of a test key that does not verify with the key is invalid, not unverifiable.
    let named = verdicts.first { candidate, _ in candidate.keyIdentifier != nil }
    return (named?.1 ?? first, nil)
  }

  /// Returns the verdict on a body that is not a JSON object, with the remedy.
  func verdict(onOtherBody body: [UInt8]) -> SignatureVerdict { apple.verdict(on: body) }

  /// - Parameter verdict: The verdict on a postback that Apple signed.
  static func environment(of verdict: SignatureVerdict, _ members: PostbackMembers) -> PostbackEnvironment {
    let developmentKeys = [AppleKey.development0, .development1].map(\.rawValue)
    return developmentKeys.contains(verdict.key?.name ?? "") || members.isOfDevelopmentApp ? .development : .production
  }
}

/// The origin of a postback, according to its signature. Receivers must not add up postbacks of different environments.
package enum PostbackEnvironment: String, Hashable, Sendable, CaseIterable {
  /// Signed by Apple for apps of the App Store.
  case production
  /// Signed with one of Apple's development keys, or by Apple for the source app 0, which is signed for development. Any
  /// device in developer mode can send such postbacks.
  case development
  /// Signed with a published test key or another key that is not Apple's.
  case test
}
