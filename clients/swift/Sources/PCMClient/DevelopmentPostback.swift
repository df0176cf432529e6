/// Postbacks that a developer creates in the settings, Development Postbacks.
///
/// ```swift
/// try await device.install(game)
/// let example = DevelopmentPostback(url: "https://network.example/postbacks", sourceIdentifier: 4_239, fineValue: 42)
/// let postback = try await device.create(example, for: game)
/// try await device.browser.advance(by: .seconds(1))
/// #expect(try await device.postback(postback.id).state == .delivered)
/// ```
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
  /// The crowd, which determines the contents of the postback.
  public var crowd: CrowdTiers
  /// The crowd of the second of three postbacks; nil for ``crowd``.
  public var secondCrowd: CrowdTiers?
  /// The crowd of the third of three postbacks; nil for the crowd of the second one.
  public var thirdCrowd: CrowdTiers?
  /// The tag with which the app updates the conversion while it waits.
  public var conversionTag: String?

  /// Creates the properties with the service's defaults.
  public init(
    url: String? = nil, conversionType: String = "download", isClick: Bool = true, sourceIdentifier: Int = 1_234,
    publisherItemIdentifier: Int = 0, marketplace: String? = nil, country: String? = nil, didWin: Bool = true,
    sequenceIndex: Int = 0, fineValue: Int? = nil, coarseValue: ConversionValue.Coarse? = nil,
    crowd: CrowdTiers = CrowdTiers(), secondCrowd: CrowdTiers? = nil, thirdCrowd: CrowdTiers? = nil,
    conversionTag: String? = nil
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
    self.secondCrowd = secondCrowd
    self.thirdCrowd = thirdCrowd
    self.conversionTag = conversionTag
  }

  fileprivate func members(for app: App) -> Members {
    [
      "bundleIdentifier": app.bundleIdentifier, "url": url, "conversionType": conversionType,
      "interactionType": isClick ? "click" : "view", "sourceIdentifier": sourceIdentifier,
      "publisherItemIdentifier": publisherItemIdentifier, "marketplace": marketplace, "country": country, "didWin": didWin,
      "sequenceIndex": sequenceIndex, "fineValue": fineValue, "coarseValue": coarseValue, "crowdTiers": crowd,
      "secondCrowdTiers": secondCrowd, "thirdCrowdTiers": thirdCrowd, "conversionTag": conversionTag,
    ]
  }
}

/// The development postbacks that a call created, sent, or cleared.
///
/// ```swift
/// try await device.install(game)
/// let example = DevelopmentPostback(url: "https://network.example/postbacks")
/// let created = try await device.create(example, windows: 3, for: game)
/// #expect(created.postbacks.map(\.sequenceIndex) == [0, 1, 2])
/// ```
public struct DevelopmentPostbacks: Hashable, Sendable, Decodable {
  /// The conversions that wait for values, or that were cleared.
  public let conversions: [Conversion]
  /// The postbacks.
  public let postbacks: [Postback]
}

extension Device {
  /// Creates a postback in the settings, from iOS 18.4 on. It is due at once; on a manual clock, it leaves with the next advance.
  ///
  /// - Parameters:
  ///   - postback: The properties of the postback.
  ///   - app: The advertised app, which is installed.
  @discardableResult
  public func create(_ postback: DevelopmentPostback, for app: App) async throws -> Postback {
    try await connection.call("POST", "\(path)/development-postbacks", postback.members(for: app))
  }

  /// Creates the postbacks of one or three conversion windows in the settings.
  ///
  /// - Parameters:
  ///   - postback: The properties of each postback. Its `sequenceIndex` is 0.
  ///   - windows: The number of windows, 1 or 3.
  ///   - app: The advertised app, which is installed.
  ///   - isWaiting: Whether each postback waits for the end of its window, or until the app locks it; otherwise, all are due at
  ///     once.
  @discardableResult
  public func create(
    _ postback: DevelopmentPostback, windows: Int, for app: App, isWaiting: Bool = false
  ) async throws -> DevelopmentPostbacks {
    let body = postback.members(for: app) + ["windows": windows, "send": isWaiting ? "later" : "now"]
    return try await connection.call("POST", "\(path)/development-postbacks", body)
  }

  /// Sends the development postbacks whose windows ended, or that the app locked. On a manual clock, they leave with the next
  /// advance.
  ///
  /// - Returns: These postbacks, and the conversions that wait for values.
  @discardableResult
  public func sendDevelopmentPostbacks() async throws -> DevelopmentPostbacks {
    try await connection.call("POST", "\(path)/development-postbacks/send")
  }

  /// Clears the development postbacks that were not sent, and the conversions that wait for values.
  ///
  /// - Returns: The cleared conversions.
  @discardableResult
  public func clearDevelopmentPostbacks() async throws -> DevelopmentPostbacks {
    try await connection.call("POST", "\(path)/development-postbacks/clear")
  }
}
