/// One report to one recipient. It is kept after it ends, for reading.
package struct Report: Hashable, Sendable {
  package typealias State = OutgoingMessage.State

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
  package private(set) var dueAt: Instant
  package var state: State
  /// The time of the next attempt after a failed one; otherwise nil.
  package var retryAt: Instant?
  /// The kept attempts in order, each a JSON object as the API returns it: the first, and the latest.
  package private(set) var attempts: [String]
  /// The number of attempts that ended, kept or not.
  package private(set) var attemptCount: Int

  package init(
    id: Int64, attribution: Int64, session: SessionKind, key: ClickKey, recipient: Recipient, url: String, body: String,
    sourceKeyID: String? = nil, destinationKeyID: String? = nil, dueAt: Instant, state: State = .scheduled,
    retryAt: Instant? = nil, attempts: [String] = [], attemptCount: Int? = nil
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
    self.dueAt = dueAt
    self.state = state
    self.retryAt = retryAt
    self.attempts = attempts
    self.attemptCount = attemptCount ?? attempts.count
  }

  /// The maximum number of kept attempts. Retries to an endpoint that is down would otherwise make a report grow, and each
  /// attempt writes the whole report.
  package static let maximumAttempts = 20
}

extension Report {
  /// Applies an event to the report as an outgoing message.
  package mutating func handle(_ event: OutgoingMessage.Event, at now: Instant) -> OutgoingMessage.Actions {
    var message = OutgoingMessage(
      state: state, retryAt: retryAt, attempts: attemptCount, dueAt: dueAt,
      needsKeys: sourceKeyID != nil || destinationKeyID != nil)
    let actions = message.handle(event, at: now)
    (state, retryAt) = (message.state, message.retryAt)
    return actions
  }

  /// Changes the due time, because the clock that determined it was wrong.
  package mutating func move(dueAt instant: Instant) { dueAt = instant }

  /// Adds the record of an attempt that has ended. Beyond the maximum, the oldest but the first is dropped.
  package mutating func record(_ attempt: String) {
    attemptCount += 1
    attempts.append(attempt)
    if attempts.count > Self.maximumAttempts { attempts.remove(at: 1) }
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
