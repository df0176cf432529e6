public import Foundation

/// An ad that an app displays, or that the device recorded.
///
/// ```swift
/// let shown = try await device.display(skAd, in: news)
/// let impression = try #require(try await device.impressions().first)
/// #expect(impression.id == shown.id && impression.state == .recorded && impression.interaction == .click)
/// ```
public struct Impression: Hashable, Sendable, Decodable {
  /// The identifier in the log: `impression-4`.
  public let id: String
  /// Whether the ad is displayed or recorded.
  public let state: State
  /// The time at which the view started, or at which the ad was recorded.
  public let at: Date
  /// The framework of the ad.
  public let framework: AdFramework
  /// The version of SKAdNetwork; nil for AdAttributionKit.
  public let version: String?
  /// The user's interaction with the ad; nil while it is displayed.
  public let interaction: AdAttribution.InteractionType?
  /// The app that displays the ad; nil for a website.
  public let bundleIdentifier: String?
  /// The ad network.
  public let adNetworkIdentifier: String
  /// The identifier of the advertised app in the App Store.
  public let advertisedAppStoreItemIdentifier: Int
  /// Whether the ad serves only for tests.
  public let development: Bool

  /// The state of an ad.
  public struct State: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The view of the ad started and did not end.
    public static let displayed = State("displayed")
    /// The device keeps the ad as a click or a view.
    public static let recorded = State("recorded")
  }
}

/// The outcome of a call about an ad.
///
/// ```swift
/// let shown = try await device.display(skAd, in: game)
/// #expect(shown.outcome == .rejected && shown.reasons.map(\.code) == [.adNetworkNotDeclared])
/// print(shown.change ?? "", try await device.browser.explain(shown.subject))
/// ```
public struct ImpressionOutcome: Hashable, Sendable, Decodable {
  /// The identifier of the ad: `impression-4`. Rejected ads also have an identifier, and a recorded tap has a separate identifier.
  public let id: String
  /// The time on the device's clock.
  public let at: Date
  /// The outcome.
  public let outcome: Outcome
  /// Why the call was rejected, why a tap is no re-engagement, or notes about an ad that counts.
  public let reasons: [Reason]
  /// The smallest change with which the call would have an effect; nil for an effective call.
  public let change: String?
  /// The error that the app receives; nil when it receives none.
  public let appleError: AppleError?
  /// The framework of the ad.
  public let framework: AdFramework
  /// The app that displays the ad.
  public let bundleIdentifier: String
  /// The ad network; nil when the call does not name it.
  public let adNetworkIdentifier: String?
  /// The identifier of the advertised app in the App Store; nil when the call does not name it.
  public let advertisedAppStoreItemIdentifier: Int?
  /// The user's interaction with the ad; nil for a started view and for a rejected call.
  public let interaction: AdAttribution.InteractionType?
  /// The text that the ad network signed, for SKAdNetwork with `|` in place of U+2063; nil when the call does not contain it.
  public let signedText: String?
  /// The conversion that a tap began; nil without one.
  public let conversionID: String?
  /// The URL with which a tap opened the installed app; nil when it opened without one.
  public let openedURL: String?

  /// The outcome of a call about an ad.
  public struct Outcome: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The view began. It counts after its end.
    public static let started = Outcome("started")
    /// The device keeps the ad as a click or a view.
    public static let recorded = Outcome("recorded")
    /// The tap opened the installed app and began a conversion.
    public static let reengaged = Outcome("reengaged")
    /// The tap only opened the installed app.
    public static let opened = Outcome("opened")
    /// The call has no effect.
    public static let rejected = Outcome("rejected")
  }

  /// The subject for `Browser.explain`.
  public var subject: Explanation.Subject { .impression(id) }
}

extension ImpressionOutcome: CustomStringConvertible {
  /// `rejected; ad-network-not-declared, SKAdNetworkItems in …; change: add …`
  public var description: String {
    ([outcome.rawValue] + reasons.map(\.description) + (change.map { ["change: \($0)"] } ?? [])).joined(separator: "; ")
  }
}

/// An error that an app receives from Apple's API.
///
/// ```swift
/// let shown = try await device.display(skAd, in: game)
/// #expect(shown.appleError?.domain == "SKANError" && shown.appleError?.name == "adNetworkIdMissing")
/// ```
public struct AppleError: Hashable, Sendable, Decodable {
  /// `SKANError` or `AdAttributionKitError`.
  public let domain: String
  /// The name of the case, such as `adNetworkIdMissing`.
  public let name: String
  /// The number of the case; nil for `AdAttributionKitError`, whose cases have none.
  public let number: Int?
}
