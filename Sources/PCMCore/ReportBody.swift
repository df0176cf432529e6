/// The body of a report, identical for source and destination (reference, section 7.1).
package enum ReportBody {
  /// The protocol version of every report, regardless of its content (reference, section 9).
  package static let version: Int64 = 3

  /// Returns the members in wire order. Priority, nonce, key names, app, and times are never sent.
  package static func json(of click: Click, trigger: Trigger, destinationToken: SecretToken? = nil) -> JSON {
    let plain: [JSON.Member] = [
      .init("source_engagement_type", "click"),
      .init("source_site", .string(click.key.source.domain)),
      .init("source_id", .number(Int64(click.sourceID))),
      .init("attributed_on_site", .string(click.key.destination.domain)),
      .init("trigger_data", .number(Int64(trigger.data))),
      .init("version", .number(version)),
    ]
    return .object(plain + pair(click.token, of: .source) + pair(destinationToken, of: .destination))
  }

  /// Returns a token and its signature, or nothing.
  private static func pair(_ token: SecretToken?, of recipient: Recipient) -> [JSON.Member] {
    guard let token else { return [] }
    return [
      .init("\(recipient.rawValue)_secret_token", .string(token.token)),
      .init("\(recipient.rawValue)_secret_token_signature", .string(token.signature)),
    ]
  }

  /// `https://<registrable domain>/.well-known/private-click-measurement/report-attribution/`.
  package static func url(at site: Site) -> String {
    "https://\(site.domain)/.well-known/private-click-measurement/report-attribution/"
  }
}
