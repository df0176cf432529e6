public import Foundation

/// An attribution report to one of its two recipients.
///
/// ```swift
/// let report = try await browser.expectReport(to: .source, on: "shop.example", sourceIdentifier: 4, triggerData: 12)
/// #expect(report.url == "https://news.example/.well-known/private-click-measurement/report-attribution/")
/// #expect(report.body.attributedOnSite == "shop.example")
/// ```
public struct Report: Hashable, Sendable, Decodable {
  /// The identifier in the log: `report-16`.
  public let id: String
  /// The recipient of the report.
  public let recipient: Recipient
  /// The URL of the report.
  public let url: String
  /// The time at which the report is due or was sent.
  public let dueAt: Date
  /// The state of the report.
  public let state: State
  /// The body of the report.
  public let body: Body
  /// The number of attempts to send the report.
  public let attemptCount: Int
  /// The first and the latest attempts, up to 20, in order.
  public let attempts: [Attempt]

  /// The recipient of a report.
  public struct Recipient: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The site on which the click was made.
    public static let source = Recipient("source")
    /// The site of the click's destination.
    public static let destination = Recipient("destination")
  }

  /// The state of a report.
  public struct State: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The report is not due yet.
    public static let scheduled = State("scheduled")
    /// The report is being sent.
    public static let sending = State("sending")
    /// The endpoint accepted the report.
    public static let delivered = State("delivered")
    /// The report was not delivered and will not be sent again.
    public static let failed = State("failed")
    /// A triggering event of higher priority replaced the report.
    public static let superseded = State("superseded")
    /// The user's data was removed.
    public static let cleared = State("cleared")
  }

  /// The members of the report's JSON body.
  public struct Body: Hashable, Sendable, Decodable {
    /// `source_engagement_type`: `click`.
    public let sourceEngagementType: String
    /// `source_site`.
    public let sourceSite: String
    /// `source_id`, 0 to 255.
    public let sourceIdentifier: Int
    /// `attributed_on_site`.
    public let attributedOnSite: String
    /// `trigger_data`, 0 to 15.
    public let triggerData: Int
    /// `version`: 3.
    public let version: Int
    /// `source_secret_token`, 32 bytes in base64url; nil without a token of the source.
    public let sourceSecretToken: String?
    /// `source_secret_token_signature` in base64url: RSASSA-PSS with SHA-384 and a salt of 48 bytes over the token's bytes.
    public let sourceSecretTokenSignature: String?
    /// `destination_secret_token`; nil without a token of the destination.
    public let destinationSecretToken: String?
    /// `destination_secret_token_signature`.
    public let destinationSecretTokenSignature: String?

    private enum CodingKeys: String, CodingKey {
      case sourceEngagementType = "source_engagement_type"
      case sourceSite = "source_site"
      case sourceIdentifier = "source_id"
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
    let content =
      "source_id \(body.sourceIdentifier), trigger_data \(body.triggerData), \(body.sourceSite) -> \(body.attributedOnSite)"
    let last = attempts.last.map { "; last attempt: \($0)" } ?? ""
    return "\(id) to \(recipient), \(state), due \(dueAt.wire): \(content)\(last)"
  }
}
