package import PCMCore
package import PCMCrypto
import PCMNetwork

/// The postbacks of a check, and their destination.
package struct PostbackSubjects: Sendable {
  package let framework: AdFramework
  /// The URL that receives postbacks.
  package let url: String
  let host: String
  let port: Int?
  /// Whether the endpoint trusts the published test keys, and therefore must accept test-signed postbacks.
  package let trustsTestKeys: Bool
  private let bodies: [Probe: [ProbeBody]]

  /// - Parameters:
  ///   - endpoint: The URL that an ad network registered. A URL without a path and a query selects the URL for the
  ///     advertiser's copies: the framework's well-known path on the registrable domain.
  ///   - seed: The seed of the identifiers in test-signed postbacks.
  package init(
    _ framework: AdFramework, endpoint: WebURL, trustsTestKeys: Bool = false, seed: UInt64 = 0
  ) throws(SigningError) {
    self.framework = framework
    self.trustsTestKeys = trustsTestKeys
    let receivesCopies = endpoint.path == "/" && endpoint.query == nil
    (url, host, port) =
      receivesCopies
      ? (framework.copyURL(at: endpoint.site), endpoint.site.domain, nil) : (endpoint.text, endpoint.host, endpoint.port)
    switch framework {
    case .skadnetwork: bodies = try SKAdNetworkBodies(seed: seed).all(trustsTestKeys: trustsTestKeys)
    case .adattributionkit: bodies = try AdAttributionKitBodies(seed: seed).all(trustsTestKeys: trustsTestKeys)
    }
  }

  /// The bodies that a probe sends.
  func bodies(of probe: Probe) -> [ProbeBody] {
    switch probe {
    case .repeatedPostback, .postbackOverHTTP1, .postbackFromOtherAgent, .postbackAsText, .getPostback:
      bodies[.postback] ?? []
    case .postbackLoad: bodies[.postback].map { Array(repeating: $0[0], count: Probe.loadCount) } ?? []
    default: bodies[probe] ?? []
    }
  }

  /// Whether the first postback is signed with a key that production endpoints trust. Apple publishes no AdAttributionKit
  /// postback with a signature by its production key.
  var firstIsForProduction: Bool { framework == .skadnetwork || trustsTestKeys }
}

extension CheckOptions {
  package var kind: CheckKind { postbacks.map { CheckKind($0.framework) } ?? .report }

  /// The URL of reports or postbacks.
  package var requestURL: String { postbacks?.url ?? ReportBody.url(at: endpoint.site) }

  /// The host of `requestURL`.
  package var requestHost: String { postbacks?.host ?? endpoint.site.domain }

  var handshakeURL: String { "https://\(requestHost)\(postbacks?.port.map { ":\($0)" } ?? "")/" }

  /// A plain HTTP URL for the TLS port.
  package var plainURL: String { "http://\(requestHost):\(postbacks?.port ?? 443)/" }
}

extension UInt64 {
  /// Returns a UUID of version 4 for a seed.
  func postbackIdentifier(_ index: Int) -> String {
    func digits(_ number: UInt64, _ count: Int) -> String {
      let text = String(number, radix: 16)
      return String(repeating: "0", count: Swift.max(0, count - text.count)) + text.suffix(count)
    }
    return digits(self >> 32, 8) + "-" + digits(self >> 16 & 0xFFFF, 4) + "-4000-8000-"
      + digits(self & 0xFFFF, 4) + digits(UInt64(index), 8)
  }
}
