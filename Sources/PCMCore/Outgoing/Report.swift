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
    var bytes: [UInt8] = []
    write(click, trigger, destinationToken: destinationToken, into: &bytes)
    return .verbatim(String(decoding: bytes, as: UTF8.self))
  }

  /// Appends the bytes of a body.
  package static func write(
    _ click: Click, _ trigger: Trigger, destinationToken: SecretToken? = nil, into bytes: inout [UInt8]
  ) {
    bytes.append(contentsOf: #"{"source_engagement_type":"click","source_site":"#.utf8)
    JSON.write(click.key.source.domain, into: &bytes)
    bytes.append(contentsOf: #","source_id":"#.utf8)
    JSON.write(Int64(click.sourceID), into: &bytes)
    bytes.append(contentsOf: #","attributed_on_site":"#.utf8)
    JSON.write(click.key.destination.domain, into: &bytes)
    bytes.append(contentsOf: #","trigger_data":"#.utf8)
    JSON.write(Int64(trigger.data), into: &bytes)
    bytes.append(contentsOf: #","version":"#.utf8)
    JSON.write(version, into: &bytes)
    write(click.token, of: .source, into: &bytes)
    write(destinationToken, of: .destination, into: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Appends a token and its signature, or nothing.
  private static func write(_ token: SecretToken?, of recipient: Recipient, into bytes: inout [UInt8]) {
    guard let token else { return }
    for (name, value) in [("secret_token", token.token), ("secret_token_signature", token.signature)] {
      bytes.append(contentsOf: #","\#(recipient.rawValue)_\#(name)":"#.utf8)
      JSON.write(value, into: &bytes)
    }
  }

  /// `https://<registrable domain>/.well-known/private-click-measurement/report-attribution/`.
  package static func url(at site: Site) -> String {
    "https://\(site.domain)/.well-known/private-click-measurement/report-attribution/"
  }
}
