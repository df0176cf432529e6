import PCMCore

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
    var body = ImpressionInput()
    (body.bundleIdentifier, body.presentation) = (app.bundleIdentifier, presentation.rawValue)
    (body.version, body.adNetworkIdentifier) = (ad.version, ad.adNetworkIdentifier)
    body.adCampaignIdentifier = ad.adCampaignIdentifier.map { Int64($0) }
    body.sourceIdentifier = ad.sourceIdentifier.map { Int64($0) }
    body.advertisedAppStoreItemIdentifier = ad.advertisedAppStoreItemIdentifier.map { Int64($0) }
    body.adImpressionIdentifier = ad.adImpressionIdentifier
    body.sourceAppStoreItemIdentifier = ad.sourceAppStoreItemIdentifier.map { Int64($0) }
    body.timestamp = ad.timestamp.map { Int64($0) }
    body.signature = ad.signature
    return try await connection.perform(body, in: name)
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
    var body = ImpressionInput()
    body.handlesView = handleView
    (body.bundleIdentifier, body.presentation, body.jws) = (app.bundleIdentifier, presentation.rawValue, jws)
    return try await connection.perform(body, in: name)
  }

  /// Ends the view of an ad.
  ///
  /// - Parameter ad: The identifier of the displayed ad, such as `impression-4`.
  @discardableResult
  public func endView(of ad: String) async throws -> ImpressionOutcome {
    try await connection.perform(ImpressionEndInput(), in: name, on: ad)
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
    var body = ImpressionTapInput()
    (body.tapVerified, body.reengagementURL) = (tapVerified, reengagementURL)
    (body.isUniversalLink, body.crowdTiers) = (isUniversalLink, PCMCore.CrowdTiers(crowd))
    return try await connection.perform(body, in: name, on: ad)
  }

  /// Returns the ads that apps display, and those that the device recorded and keeps, oldest first.
  public func impressions() async throws -> [Impression] {
    try await connection.items("\(path)/impressions")
  }
}

extension PCMCore.CrowdTiers {
  init(_ tiers: CrowdTiers) {
    self.init()
    (twoDigits, threeDigits, fourDigits) = (Int64(tiers.twoDigits), Int64(tiers.threeDigits), Int64(tiers.fourDigits))
    (country, meetsThreshold) = (Int64(tiers.country), tiers.meetsThreshold)
  }
}
