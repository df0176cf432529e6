public import Foundation

/// An attribution report to one of its two recipients.
public struct Report: Hashable, Sendable, Decodable {
  /// Its name in the log: `report-16`.
  public let id: String
  /// To whom it goes.
  public let recipient: Recipient
  /// Where it goes.
  public let url: String
  /// When it goes, or went.
  public let dueAt: Date
  /// How far it has come.
  public let state: State
  /// What it says.
  public let body: Body
  /// Every attempt to send it.
  public let attempts: [Attempt]

  /// One of the two sides.
  public struct Recipient: Term {
    /// The value as the service writes it.
    public let rawValue: String

    /// Any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The site where the click was made.
    public static let source = Recipient("source")
    /// The site to which it led.
    public static let destination = Recipient("destination")
  }

  /// How far a report has come.
  public struct State: Term {
    /// The value as the service writes it.
    public let rawValue: String

    /// Any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It waits for its time.
    public static let scheduled = State("scheduled")
    /// It is on its way.
    public static let sending = State("sending")
    /// The endpoint took it.
    public static let delivered = State("delivered")
    /// It did not arrive, and will not.
    public static let failed = State("failed")
    /// A triggering event of higher priority has replaced it.
    public static let superseded = State("superseded")
    /// The user's data was cleared.
    public static let cleared = State("cleared")
  }

  /// The members of the JSON that goes out.
  public struct Body: Hashable, Sendable, Decodable {
    /// `source_engagement_type`: `click`.
    public let sourceEngagementType: String
    /// `source_site`.
    public let sourceSite: String
    /// `source_id`, 0 to 255.
    public let sourceID: Int
    /// `attributed_on_site`.
    public let attributedOnSite: String
    /// `trigger_data`, 0 to 15.
    public let triggerData: Int
    /// `version`: 3.
    public let version: Int
    /// `source_secret_token`, 32 bytes in base64url; nil without a token of the source's.
    public let sourceSecretToken: String?
    /// `source_secret_token_signature` in base64url: RSASSA-PSS with SHA-384 and salt 48 over the token's bytes.
    public let sourceSecretTokenSignature: String?
    /// `destination_secret_token`; nil without a token of the destination's.
    public let destinationSecretToken: String?
    /// `destination_secret_token_signature`.
    public let destinationSecretTokenSignature: String?

    private enum CodingKeys: String, CodingKey {
      case sourceEngagementType = "source_engagement_type"
      case sourceSite = "source_site"
      case sourceID = "source_id"
      case attributedOnSite = "attributed_on_site"
      case triggerData = "trigger_data"
      case version
      case sourceSecretToken = "source_secret_token"
      case sourceSecretTokenSignature = "source_secret_token_signature"
      case destinationSecretToken = "destination_secret_token"
      case destinationSecretTokenSignature = "destination_secret_token_signature"
    }
  }
}

extension Report: CustomStringConvertible {
  /// `report-16 to source, scheduled for …: source_id 4, trigger_data 12, news.example -> shop.example`
  public var description: String {
    let content = "source_id \(body.sourceID), trigger_data \(body.triggerData), \(body.sourceSite) -> \(body.attributedOnSite)"
    let last = attempts.last.map { "; last attempt: \($0)" } ?? ""
    return "\(id) to \(recipient), \(state), due \(dueAt.wire): \(content)\(last)"
  }
}
