/// One report to one recipient, from its scheduling to its end. It stays when it is over, for the reader.
package struct Report: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    case scheduled, sending, delivered, failed, superseded, cleared
  }

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
  /// When a failed report is sent again; only under the `reliable` policy.
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

/// Which of a browser's two sessions an attribution belongs to.
package enum SessionKind: Int64, Hashable, Sendable, CaseIterable {
  case normal = 0
  case privateBrowsing = 1
}
