public import Foundation

/// The postback data tiers of a conversion, which Apple determines from the crowd of similar conversions: 0 to 3.
///
/// ```swift
/// try await device.display(skAd, in: news)
/// try await device.install(game, crowd: .all(1))
/// try await device.report(.skadnetwork(42), by: game)
/// try await device.browser.advanceUntilIdle()
/// let postback = try #require(try await device.postbacks().first)
/// #expect(postback.body["source-identifier"]?.string == "39")
/// ```
public struct CrowdTiers: Hashable, Sendable, Codable {
  /// The tier of the last two digits of the source identifier.
  public var twoDigits: Int
  /// The tier of the last three digits.
  public var threeDigits: Int
  /// The tier of all four digits.
  public var fourDigits: Int
  /// The tier of the country.
  public var country: Int
  /// Whether the crowd meets the privacy threshold of SKAdNetwork 2.0 to 3.0.
  public var meetsThreshold: Bool

  /// Creates tiers. The default is a large crowd.
  public init(
    twoDigits: Int = 3, threeDigits: Int = 3, fourDigits: Int = 3, country: Int = 3, meetsThreshold: Bool = true
  ) {
    self.twoDigits = twoDigits
    self.threeDigits = threeDigits
    self.fourDigits = fourDigits
    self.country = country
    self.meetsThreshold = meetsThreshold
  }

  /// The same tier of all digits and of the country.
  public static func all(_ tier: Int) -> CrowdTiers {
    CrowdTiers(twoDigits: tier, threeDigits: tier, fourDigits: tier, country: tier, meetsThreshold: tier > 0)
  }
}

/// The outcome of an install.
///
/// ```swift
/// let shown = try await device.display(skAd, in: news)
/// let install = try await device.install(game)
/// #expect(install.outcome == .attributed && install.winnerID == shown.id, "\(install.reasons)")
/// ```
public struct InstallOutcome: Hashable, Sendable, Decodable {
  /// The identifier in the log: `install-6`.
  public let id: String
  /// The time on the device's clock.
  public let at: Date
  /// The outcome.
  public let outcome: Outcome
  /// The installed app.
  public let bundleIdentifier: String
  /// Whether the account had the app before.
  public let redownload: Bool
  /// The conversion that the install began; nil when no ad led to it.
  public let conversionID: String?
  /// The ad that led to the install; nil when there is none.
  public let winnerID: String?
  /// Why no ad led to the install; empty when one did.
  public let reasons: [Reason]
  /// The smallest change with which an ad would lead to the install; nil when one did.
  public let change: String?
  /// The outcome for each ad for the app that the device kept.
  public let impressions: [ComparedImpression]

  /// The outcome of an install.
  public struct Outcome: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An ad led to the install.
    public static let attributed = Outcome("attributed")
    /// No ad led to the install.
    public static let unattributed = Outcome("unattributed")
  }

  /// The subject for `Browser.explain`.
  public var subject: Explanation.Subject { .install(id) }
}

/// The outcome of an install for one ad.
///
/// ```swift
/// let shown = try await device.display(skAd, in: news)
/// let install = try await device.install(game)
/// let compared = try #require(install.impressions.first)
/// #expect(compared.id == shown.id && compared.outcome == .won && compared.place == 1)
/// ```
public struct ComparedImpression: Hashable, Sendable, Decodable {
  /// The identifier of the ad.
  public let id: String
  /// The outcome.
  public let outcome: Outcome
  /// The place of the ad, 1 for the winner; nil when it was not considered.
  public let place: Int?
  /// Why the ad has its place before the next one; nil for the last of several, and for an ad that was not considered.
  public let standing: String?
  /// Why the ad has no postback; empty when it has one.
  public let reasons: [Reason]
  /// The smallest change with which the ad would have a postback; nil when it has one.
  public let change: String?

  /// The outcome of an install for one ad.
  public struct Outcome: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The ad led to the install.
    public static let won = Outcome("won")
    /// The ad's network also receives a postback.
    public static let ranUp = Outcome("runner-up")
    /// The ad could have won, and its network receives no postback for it.
    public static let lost = Outcome("lost")
    /// The ad could not have won.
    public static let notConsidered = Outcome("not-considered")
  }
}

/// An installed app with its pending conversions.
///
/// ```swift
/// try await device.install(game)
/// #expect(try await device.installedApps().map(\.bundleIdentifier) == [game.bundleIdentifier])
/// ```
public struct InstalledApp: Hashable, Sendable, Decodable {
  /// The bundle identifier.
  public let bundleIdentifier: String
  /// The identifier in the App Store; nil when it is unknown.
  public let itemIdentifier: Int?
  /// The time of the latest install.
  public let installedAt: Date
  /// The time of the first launch after it; nil before.
  public let launchedAt: Date?
  /// The conversions whose values are not final, oldest first.
  public let conversions: [Conversion]
}

/// An install or a re-engagement that an ad led to.
///
/// ```swift
/// try await device.display(skAd, in: news)
/// let install = try await device.install(game)
/// let conversion = try #require(try await device.installedApps().first?.conversions.first)
/// #expect(conversion.id == install.conversionID && conversion.type == .download)
/// ```
public struct Conversion: Hashable, Sendable, Decodable {
  /// The identifier in the log: `conversion-7`.
  public let id: String
  /// The type.
  public let type: Kind
  /// The framework of the winning ad.
  public let framework: AdFramework
  /// The ad that led to the conversion.
  public let winnerID: String
  /// The ads of other networks that also receive a postback.
  public let runnerUpIDs: [String]
  /// The tag of a re-engagement, or of a conversion that a developer created; nil without one.
  public let conversionTag: String?
  /// The time of the install, or of the tap.
  public let convertedAt: Date
  /// The time of the first launch; nil before.
  public let firstLaunchAt: Date?
  /// The time at which a window, a timer, or a limit next ends.
  public let nextChangeAt: Date
  /// The postback data tiers.
  public let crowdTiers: CrowdTiers

  /// The type of a conversion.
  public struct Kind: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The first install of the account.
    public static let download = Kind("download")
    /// A later install.
    public static let redownload = Kind("redownload")
    /// A tap that opened the installed app.
    public static let reengagement = Kind("re-engagement")
  }

  /// The subject for `Browser.explain`.
  public var subject: Explanation.Subject { .conversion(id) }
}

/// A launch of an app.
///
/// ```swift
/// try await device.install(game)
/// #expect(try await device.launch(game).first)
/// #expect(try await device.launch(game).first == false)
/// ```
public struct LaunchOutcome: Hashable, Sendable, Decodable {
  /// The time on the device's clock.
  public let at: Date
  /// The launched app.
  public let bundleIdentifier: String
  /// Whether it is the first launch after the install.
  public let first: Bool
}
