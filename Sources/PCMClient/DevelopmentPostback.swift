import PCMCore

/// A postback that a developer creates in the settings, Development Postbacks.
public struct DevelopmentPostback: Hashable, Sendable {
  /// Where the postback is sent, an https URL; nil for the copy URL of the app's Info.plist.
  public var url: String?
  /// `download`, `redownload`, or `re-engagement`.
  public var conversionType: String
  /// Whether the user tapped the ad or only saw it.
  public var isClick: Bool
  /// The source identifier. The tier shows two to four of its digits.
  public var sourceIdentifier: Int
  /// The app that displayed the ad.
  public var publisherItemIdentifier: Int
  /// The bundle identifier of the marketplace; nil for the App Store.
  public var marketplace: String?
  /// The country of the install; nil for the country of the app's install.
  public var country: String?
  /// Whether the ad won.
  public var didWin: Bool
  /// The number of the conversion window, 0 to 2.
  public var sequenceIndex: Int
  /// The fine value, for the first window in tiers 2 and 3.
  public var fineValue: Int?
  /// The coarse value, for tier 1 and for later windows.
  public var coarseValue: ConversionValue.Coarse?
  /// The crowd, which decides what the postback contains.
  public var crowd: CrowdTiers

  /// Creates the properties with the service's defaults.
  public init(
    url: String? = nil, conversionType: String = "download", isClick: Bool = true, sourceIdentifier: Int = 1_234,
    publisherItemIdentifier: Int = 0, marketplace: String? = nil, country: String? = nil, didWin: Bool = true,
    sequenceIndex: Int = 0, fineValue: Int? = nil, coarseValue: ConversionValue.Coarse? = nil,
    crowd: CrowdTiers = CrowdTiers()
  ) {
    self.url = url
    self.conversionType = conversionType
    self.isClick = isClick
    self.sourceIdentifier = sourceIdentifier
    self.publisherItemIdentifier = publisherItemIdentifier
    self.marketplace = marketplace
    self.country = country
    self.didWin = didWin
    self.sequenceIndex = sequenceIndex
    self.fineValue = fineValue
    self.coarseValue = coarseValue
    self.crowd = crowd
  }
}

extension Device {
  /// Creates a postback in the settings, from iOS 18.4 on. It is due at once; on a manual clock, it leaves with the next advance.
  ///
  /// - Parameters:
  ///   - postback: The properties of the postback.
  ///   - app: The advertised app, which is installed.
  @discardableResult
  public func create(_ postback: DevelopmentPostback, for app: App) async throws -> Postback {
    var body = DevelopmentPostbackInput()
    (body.bundleIdentifier, body.url, body.conversionType) = (app.bundleIdentifier, postback.url, postback.conversionType)
    body.interactionType = postback.isClick ? .click : .view
    body.sourceIdentifier = Int64(postback.sourceIdentifier)
    body.publisherItemIdentifier = Int64(postback.publisherItemIdentifier)
    (body.marketplace, body.country, body.didWin) = (postback.marketplace, postback.country, postback.didWin)
    body.sequenceIndex = Int64(postback.sequenceIndex)
    (body.fineValue, body.coarseValue) = (postback.fineValue.map { Int64($0) }, postback.coarseValue?.rawValue)
    body.crowdTiers = CrowdTiersInput(postback.crowd)
    return try await connection.call("POST", "\(path)/development-postbacks", body)
  }
}
