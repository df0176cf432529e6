/// One report to one recipient. It is kept after it ends, for reading.
package struct Report: OutgoingRecord {
  package static let kind = RecordName.Kind.report

  package let id: Int64
  package let attribution: Int64
  package let session: SessionKind
  package let key: ClickKey
  package let recipient: Recipient
  package let url: String
  /// The exact body that is sent.
  package let body: String
  /// The names of the keys that signed the tokens in the body; nil for a missing token.
  package let sourceKeyID: String?
  package let destinationKeyID: String?
  package var message: OutgoingMessage
  package var attempts: [KeptAttempt]

  package init(
    id: Int64, attribution: Int64, session: SessionKind, key: ClickKey, recipient: Recipient, url: String, body: String,
    sourceKeyID: String? = nil, destinationKeyID: String? = nil, dueAt: Instant, state: State = .scheduled,
    retryAt: Instant? = nil, attempts: [KeptAttempt] = [], attemptCount: Int? = nil
  ) {
    self.id = id
    self.attribution = attribution
    self.session = session
    self.key = key
    self.recipient = recipient
    self.url = url
    self.body = body
    self.sourceKeyID = sourceKeyID
    self.destinationKeyID = destinationKeyID
    self.attempts = attempts
    message = OutgoingMessage(
      state: state, retryAt: retryAt, attempts: attemptCount ?? attempts.count, dueAt: dueAt,
      needsKeys: sourceKeyID != nil || destinationKeyID != nil)
  }
}

/// The session that an attribution belongs to.
package enum SessionKind: Int64, Hashable, Sendable, CaseIterable {
  case normal = 0
  case privateBrowsing = 1
}

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
