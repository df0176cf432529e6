public import Foundation

/// A click that the browser keeps.
///
/// ```swift
/// let click = try #require(try await browser.open(ad, from: app).click)
/// #expect(click.sourceSite == "news.example" && click.destinationSite == "shop.example")
/// #expect(click.expiresAt.timeIntervalSince(click.clickedAt) == Duration.days(7).seconds)
/// ```
public struct Click: Hashable, Sendable, Decodable {
  /// The identifier in the log: `click-12`.
  public let id: String
  /// The registrable domain of the click's source, the app or the page.
  public let sourceSite: String
  /// The registrable domain of the ad's destination.
  public let destinationSite: String
  /// The source identifier, 0 to 255.
  public let sourceIdentifier: Int
  /// The bundle identifier of the app in which the click was made.
  public let bundleIdentifier: String
  /// The time of the click.
  public let clickedAt: Date
  /// The time at which the click expires.
  public let expiresAt: Date
  /// The identifier of the replaced click; nil when the click replaced none.
  public let replacedClickID: String?
  /// The click's token, signed by the source's site; nil without a token, and until the token arrives.
  public let sourceToken: Token?
}

/// A token with a blind signature of a site. Reports contain the token and its signature.
///
/// ```swift
/// let link = AttributionLink(
///   sourceIdentifier: "4", destination: "https://shop.example", sourceNonce: "ABCDEFabcdef0123456789")
/// try await browser.follow(link, on: "https://news.example/article")
/// let token = try #require(try await browser.clicks().last?.click?.sourceToken)
/// print("signed with the key", token.keyID)
/// ```
public struct Token: Hashable, Sendable, Decodable {
  /// The identifier of the signing key: the SHA-256 hash of the key as the site served it, in base64url.
  public let keyID: String
}

/// The outcome of a click and the click's current state.
///
/// ```swift
/// let tap = try await browser.open(ad, from: app, tapVerified: false)
/// #expect(tap.outcome == .discarded)
/// #expect(tap.reasons.map(\.code) == [.tapNotVerified])
/// ```
public struct ClickOutcome: Hashable, Sendable, Decodable {
  /// The identifier: `click-12`. Discarded clicks also have one.
  public let id: String
  /// The time on the browser's clock.
  public let at: Date
  /// The outcome.
  public let outcome: Outcome
  /// Why the click was discarded or handed over, or notes about a click that is kept.
  public let reasons: [Reason]
  /// The click; nil when discarded or handed over.
  public let click: Click?
  /// The current state of the click.
  public let state: State
  /// The identifier of the click's attribution; nil when it has none.
  public let attributionID: String?
  /// The identifier of the click that replaced this click; nil when none did.
  public let successorID: String?
  /// The identifier of the web ad of SKAdNetwork that the click became; nil for any other click.
  public let impressionID: String?

  /// The outcome of a click.
  public struct Outcome: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The click is kept for seven days.
    public static let stored = Outcome("stored")
    /// The click is the ephemeral click: in a private session, or from a link with a nonce.
    public static let ephemeral = Outcome("ephemeral")
    /// The click is discarded. Browsers discard clicks without notice.
    public static let discarded = Outcome("discarded")
    /// A click on a link to the App Store became a web ad of SKAdNetwork.
    public static let handedOver = Outcome("handed-over")
  }

  /// The state of a click.
  public struct State: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The click is stored and can be attributed to a triggering event. An expired click stays stored until the next click
    /// or triggering event.
    public static let stored = State("stored")
    /// The click is the ephemeral click.
    public static let ephemeral = State("ephemeral")
    /// The click is kept in the normal session, and cannot be attributed before the private session ends.
    public static let suspended = State("suspended")
    /// The click was attributed to a triggering event.
    public static let attributed = State("attributed")
    /// A newer click took its place.
    public static let replaced = State("replaced")
    /// The click expired.
    public static let expired = State("expired")
    /// A triggering event consumed the click without a report.
    public static let lost = State("lost")
    /// The data was cleared, or the private session ended.
    public static let cleared = State("cleared")
    /// The click was discarded.
    public static let discarded = State("discarded")
    /// The click became a web ad of SKAdNetwork.
    public static let handedOver = State("handed-over")
  }

  /// The subject for `Browser.explain`.
  public var subject: Explanation.Subject { .click(id) }
}

extension ClickOutcome: CustomStringConvertible {
  /// `discarded; tap-not-verified, the tap did not land on …`
  public var description: String { ([outcome.rawValue] + reasons.map(\.description)).joined(separator: "; ") }
}
