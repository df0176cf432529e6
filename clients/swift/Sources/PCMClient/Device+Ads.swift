extension Device {
  /// Displays an ad of SKAdNetwork in an app.
  ///
  /// - Parameters:
  ///   - ad: The ad with the values that the app passes to StoreKit.
  ///   - app: The registered app.
  ///   - presentation: `.storeKitRendered`, which is recorded as a click at once, or `.viewThrough`, which starts a view.
  /// - Returns: Whether the ad counts, with the reasons and Apple's error if it does not.
  @discardableResult
  public func display(
    _ ad: SKAdNetworkAd, in app: App, as presentation: AdPresentation = .storeKitRendered
  ) async throws -> ImpressionOutcome {
    let body: Members = [
      "bundleIdentifier": app.bundleIdentifier, "presentation": presentation, "version": ad.version,
      "adNetworkIdentifier": ad.adNetworkIdentifier, "adCampaignIdentifier": ad.adCampaignIdentifier,
      "sourceIdentifier": ad.sourceIdentifier, "advertisedAppStoreItemIdentifier": ad.advertisedAppStoreItemIdentifier,
      "adImpressionIdentifier": ad.adImpressionIdentifier, "sourceAppStoreItemIdentifier": ad.sourceAppStoreItemIdentifier,
      "timestamp": ad.timestamp, "signature": ad.signature,
    ]
    return try await connection.call("POST", "\(path)/impressions", body)
  }

  /// Displays an ad of AdAttributionKit in an app, which starts a view.
  ///
  /// - Parameters:
  ///   - jws: The compact JSON Web Signature of the ad network.
  ///   - app: The registered app.
  ///   - presentation: `.customRendered` or `.storeKitRendered`.
  ///   - handleView: Whether the app calls `handleView()`, which records the view at once, from iOS 26.2 on.
  @discardableResult
  public func display(
    jws: String, in app: App, as presentation: AdPresentation = .customRendered, handleView: Bool = false
  ) async throws -> ImpressionOutcome {
    let body: Members = [
      "bundleIdentifier": app.bundleIdentifier, "presentation": presentation, "jws": jws, "handleView": handleView,
    ]
    return try await connection.call("POST", "\(path)/impressions", body)
  }

  /// Ends the view of an ad.
  ///
  /// - Parameter ad: The identifier of the displayed ad, such as `impression-4`.
  @discardableResult
  public func endView(of ad: String) async throws -> ImpressionOutcome {
    try await connection.call("POST", "\(path)/impressions/\(ad.pathPart)/end")
  }

  /// Taps an ad of AdAttributionKit.
  ///
  /// - Parameters:
  ///   - ad: The identifier of the displayed ad, such as `impression-4`.
  ///   - tapVerified: Whether a `UIEventAttributionView` covers the ad. Only for an ad that the app renders.
  ///   - reengagementURL: The argument of `handleTap(reengagementURL:)`, for an advertised app that is installed.
  ///   - isUniversalLink: Whether the URL is a universal link of the advertised app; nil for every http or https URL.
  ///   - crowd: The crowd of a re-engagement.
  @discardableResult
  public func tap(
    _ ad: String, tapVerified: Bool = true, reengagementURL: String? = nil, isUniversalLink: Bool? = nil,
    crowd: CrowdTiers = CrowdTiers()
  ) async throws -> ImpressionOutcome {
    let body: Members = [
      "tapVerified": tapVerified, "reengagementURL": reengagementURL, "universalLink": isUniversalLink, "crowdTiers": crowd,
    ]
    return try await connection.call("POST", "\(path)/impressions/\(ad.pathPart)/tap", body)
  }

  /// Returns the displayed ads and the recorded ads, oldest first.
  public func impressions() async throws -> [Impression] {
    try await connection.items("\(path)/impressions")
  }
}
