public import Foundation

/// A click that the browser keeps.
public struct Click: Hashable, Sendable, Decodable {
  /// Its name in the log: `click-12`.
  public let id: String
  /// The registrable domain that is told about the click: the app's or the page's.
  public let sourceSite: String
  /// The registrable domain of the ad's destination.
  public let destinationSite: String
  /// The source identifier, 0 to 255.
  public let sourceID: Int
  /// The app under which it was made.
  public let bundleIdentifier: String
  /// When it was made.
  public let clickedAt: Date
  /// From when on it counts no more.
  public let expiresAt: Date
  /// The click whose place it took.
  public let replaced: String?
  /// What the source's site has signed for it; nil without a token, and as long as the click has just been made.
  public let sourceToken: Token?
}

/// A token that a site has signed without seeing it, and that reports show with its signature.
public struct Token: Hashable, Sendable, Decodable {
  /// The key that signed: the SHA-256 of the key as the site served it, in base64url.
  public let keyID: String
}

/// What a browser did with a click.
public struct ClickOutcome: Hashable, Sendable, Decodable {
  /// What it did.
  public let outcome: Outcome
  /// Why it was discarded, or what it was kept in spite of.
  public let reasons: [Reason]
  /// The click; nil when it was discarded.
  public let click: Click?
  /// The number of the log event that tells of it; nil from a service that does not say.
  public let sequence: Int?

  /// What becomes of a click.
  public struct Outcome: Term {
    /// The value as the service writes it.
    public let rawValue: String

    /// Any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Kept for seven days.
    public static let stored = Outcome("stored")
    /// Kept in the one slot of a private session, or by a link with a nonce.
    public static let held = Outcome("held")
    /// Dropped, as a browser does in silence.
    public static let discarded = Outcome("discarded")
  }

  /// What to ask `Browser.explain` about it; nil when the service has not given it a number.
  public var subject: Explanation.Subject? {
    if let click { .click(click.id) } else { sequence.map { .click("click-\($0)") } }
  }
}

extension ClickOutcome: CustomStringConvertible {
  /// `discarded; tap-not-verified, the tap did not land on …`
  public var description: String { ([outcome.rawValue] + reasons.map(\.description)).joined(separator: "; ") }
}
