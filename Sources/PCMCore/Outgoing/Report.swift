/// One report to one recipient, from its scheduling to its end. It stays when it is over, for the reader.
package struct Report: Hashable, Sendable {
  package typealias State = OutgoingMessage.State

  package let id: Int64
  package let attribution: Int64
  package let session: SessionKind
  package let key: ClickKey
  package let recipient: Recipient
  package let url: String
  /// Exactly the bytes that go out.
  package let body: String
  /// The names of the keys that signed the tokens in the body; nil for a token that it lacks.
  package let sourceKeyID: String?
  package let destinationKeyID: String?
  package let dueAt: Instant
  package var state: State
  /// When the report is sent again; nil unless an attempt failed and another one follows.
  package var retryAt: Instant?
  /// One JSON object an attempt, in order, ready to be shown.
  package var attempts: [String]

  package init(
    id: Int64, attribution: Int64, session: SessionKind, key: ClickKey, recipient: Recipient, url: String, body: String,
    sourceKeyID: String? = nil, destinationKeyID: String? = nil, dueAt: Instant, state: State = .scheduled,
    retryAt: Instant? = nil, attempts: [String] = []
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
  }
}

extension Report {
  /// Applies an event of the report's life as an outgoing message.
  package mutating func handle(_ event: OutgoingMessage.Event, at now: Instant) -> OutgoingMessage.Actions {
    var message = OutgoingMessage(
      state: state, retryAt: retryAt, attempts: attempts.count, dueAt: dueAt,
      needsKeys: sourceKeyID != nil || destinationKeyID != nil)
    let actions = message.handle(event, at: now)
    (state, retryAt) = (message.state, message.retryAt)
    return actions
  }

  /// Adds the record of an attempt that has ended. Nothing else adds one, so a bound on the records that are kept belongs
  /// here, with a count of its own for the attempts.
  package mutating func record(_ attempt: String) { attempts.append(attempt) }
}

/// Which of a browser's two sessions an attribution belongs to.
package enum SessionKind: Int64, Hashable, Sendable, CaseIterable {
  case normal = 0
  case privateBrowsing = 1
}
