public import Foundation

/// A click that the browser keeps.
public struct Click: Hashable, Sendable, Decodable {
  /// The identifier in the log: `click-12`.
  public let id: String
  /// The registrable domain of the click's source: that of the app or the page.
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
  /// The identifier of the click that this one replaced; nil when there was none.
  public let replacedClickID: String?
  /// The click's token, signed by the source's site; nil without a token, and until the token arrives.
  public let sourceToken: Token?

  private enum CodingKeys: String, CodingKey {
    case id, sourceSite, destinationSite, sourceIdentifier, bundleIdentifier, clickedAt, expiresAt, sourceToken
    case replacedClickID = "replacedClickId"
  }
}

/// A token with a blind signature of a site. Reports contain the token and its signature.
public struct Token: Hashable, Sendable, Decodable {
  /// The identifier of the signing key: the SHA-256 hash of the key as the site served it, in base64url.
  public let keyID: String

  private enum CodingKeys: String, CodingKey {
    case keyID = "keyId"
  }
}

/// The outcome of a click.
public struct ClickOutcome: Hashable, Sendable, Decodable {
  /// The outcome.
  public let outcome: Outcome
  /// Why the click was discarded, or notes about a click that is kept.
  public let reasons: [Reason]
  /// The click; nil when discarded.
  public let click: Click?
  /// The sequence number of the event that records the decision; nil from a service that does not return it.
  public let sequence: Int?

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
  }

  /// The subject for `Browser.explain`; nil when the service returned no identifier.
  public var subject: Explanation.Subject? {
    if let click { .click(click.id) } else { sequence.map { .click("click-\($0)") } }
  }
}

extension ClickOutcome: CustomStringConvertible {
  /// `discarded; tap-not-verified, the tap did not land on …`
  public var description: String { ([outcome.rawValue] + reasons.map(\.description)).joined(separator: "; ") }
}
