/// The values of a web ad that an ad network signs. Nil members have the values of the test ad of `example123.skadnetwork` and of
/// the request.
///
/// ```swift
/// let script = SiteScript(signedPayload: [.webAd(WebAd(sourceIdentifier: 4_239), fault: .forged)])
/// try await browser.script("network.example", script)
/// ```
public struct WebAd: Hashable, Sendable, Encodable {
  /// The identifier of the ad network.
  public var adNetworkIdentifier: String?
  /// The source identifier.
  public var sourceIdentifier: Int?
  /// The identifier of the advertised app in the App Store.
  public var advertisedAppStoreItemIdentifier: Int?
  /// The UUID of the impression.
  public var adImpressionIdentifier: String?
  /// When the ad was signed, in milliseconds since 1970.
  public var timestamp: Int?
  /// The source domain.
  public var sourceDomain: String?

  /// Creates the values of a web ad.
  public init(
    adNetworkIdentifier: String? = nil, sourceIdentifier: Int? = nil, advertisedAppStoreItemIdentifier: Int? = nil,
    adImpressionIdentifier: String? = nil, timestamp: Int? = nil, sourceDomain: String? = nil
  ) {
    self.adNetworkIdentifier = adNetworkIdentifier
    self.sourceIdentifier = sourceIdentifier
    self.advertisedAppStoreItemIdentifier = advertisedAppStoreItemIdentifier
    self.adImpressionIdentifier = adImpressionIdentifier
    self.timestamp = timestamp
    self.sourceDomain = sourceDomain
  }
}

extension SiteScript {
  /// A fault of a web ad's signature.
  public enum SignatureFault: Hashable, Sendable {
    /// One bit is flipped.
    case forged
    /// The key is not the ad network's.
    case otherKey
  }

  /// The signed values that replace the values in the response.
  struct SignedWebAd: Hashable, Sendable, Encodable {
    let values: WebAd
    let fault: SignatureFault?

    func encode(to encoder: any Encoder) throws {
      try values.encode(to: encoder)
      var faults = encoder.container(keyedBy: CodingKeys.self)
      switch fault {
      case .forged: try faults.encode(true, forKey: .forged)
      case .otherKey: try faults.encode("other", forKey: .key)
      case nil: break
      }
    }

    private enum CodingKeys: String, CodingKey {
      case forged, key
    }
  }
}
