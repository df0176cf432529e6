extension EventKind {
  /// A postback was scheduled.
  package static let postbackScheduled = Self("postback-scheduled")
  /// A window of a conversion ended without a postback, or without the postback of one ad network.
  package static let postbackDropped = Self("postback-dropped")
  /// The device started to send a postback.
  package static let postbackSent = Self("postback-sent")
  /// A recipient accepted a postback.
  package static let postbackDelivered = Self("postback-delivered")
  /// A postback was not delivered and will not be sent again.
  package static let postbackFailed = Self("postback-failed")
  /// A postback was not delivered and will be sent again.
  package static let postbackRetryScheduled = Self("postback-retry-scheduled")
}

extension EventType {
  static let postbacks = [
    EventType(.postbackScheduled, PostbackScheduled.self), EventType(.postbackDropped, PostbackDropped.self),
    EventType(.postbackSent, PostbackSent.self), EventType(.postbackDelivered, PostbackFinished.self),
    EventType(.postbackFailed, PostbackFinished.self), EventType(.postbackRetryScheduled, PostbackFinished.self),
  ]
}

/// A field that a postback lacks, or its copy, with the reason.
package struct PostbackOmission: Hashable, EventPart {
  package enum Field: String, Hashable, Sendable, CaseIterable {
    case conversionValue = "conversion-value"
    /// The source app, or the source domain of a web ad.
    case source
    case countryCode = "country-code"
    case marketplaceIdentifier = "marketplace-identifier"
    /// The copy for the developer of the advertised app.
    case developerCopy = "developer-copy"
  }

  package let field: Field
  package let reason: Reason
  /// The smallest change with which the postback would have the field.
  package let change: String

  package init(_ field: Field, _ reason: Reason, change: String) {
    self.field = field
    self.reason = reason
    self.change = change
  }

  package init(_ omission: Self?, _ members: inout EventMembers) throws {
    field = try members.required("field", omission?.field, .word())
    reason = try Reason(omission?.reason, &members)
    change = try members.required("change", omission?.change, .text)
  }
}

/// A scheduled postback.
package struct PostbackScheduled: BrowserEvent {
  package var kind: EventKind { .postbackScheduled }
  package let postback: Int64
  package let conversion: Int64
  package let impression: Int64
  package let recipient: Postback.Recipient
  package let sequenceIndex: Int64
  package let url: String
  package let dueAt: Instant
  /// The omissions of the postback.
  package let omissions: [PostbackOmission]

  package init(_ postback: Postback, omissions: [PostbackOmission] = []) {
    self.postback = postback.id
    conversion = postback.conversion
    impression = postback.impression
    recipient = postback.recipient
    sequenceIndex = Int64(postback.sequenceIndex)
    url = postback.url
    dueAt = postback.dueAt
    self.omissions = omissions
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    postback = try members.required("postbackId", event?.postback, .record(.postback))
    conversion = try members.required("conversionId", event?.conversion, .record(.conversion))
    impression = try members.required("impressionId", event?.impression, .record(.impression))
    recipient = try members.required("recipient", event?.recipient, .word())
    sequenceIndex = try members.required("sequenceIndex", event?.sequenceIndex, .number)
    url = try members.required("url", event?.url, .text)
    dueAt = try members.required("dueAt", event?.dueAt, .instant)
    omissions = try members.required("omissions", event?.omissions, .list(of: .object()))
  }

  package static var introduced: IntroducedRecord? { IntroducedRecord(kind: .postback, isNumbered: false) }
  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.postback, postback), .record(.conversion, conversion), .record(.impression, impression)]
  }
}

/// A postback that does not exist: its window had no value, or its tier has none.
package struct PostbackDropped: BrowserEvent {
  package var kind: EventKind { .postbackDropped }
  package let conversion: Int64
  /// The ad for which the network receives nothing; nil when no network does.
  package let impression: Int64?
  package let sequenceIndex: Int64
  package let reasons: [Reason]
  /// The smallest change with which the postback would exist; nil when there is none.
  package let change: String?

  package init(conversion: Int64, impression: Int64?, sequenceIndex: Int64, reasons: [Reason], change: String?) {
    self.conversion = conversion
    self.impression = impression
    self.sequenceIndex = sequenceIndex
    self.reasons = reasons
    self.change = change
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    conversion = try members.required("conversionId", event?.conversion, .record(.conversion))
    impression = try members.optional("impressionId", event?.impression, .record(.impression))
    sequenceIndex = try members.required("sequenceIndex", event?.sequenceIndex, .number)
    reasons = try members.reasons(event?.reasons)
    change = try members.optional("change", event?.change, .text)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.conversion, conversion)] + (impression.map { [.record(.impression, $0)] } ?? [])
  }
}

/// An attempt to send a postback, logged before the request.
package struct PostbackSent: BrowserEvent {
  package var kind: EventKind { .postbackSent }
  package let postback: Int64
  package let recipient: Postback.Recipient
  package let url: String
  /// The number of the attempt; the first is 1.
  package let attempt: Int64

  package init(postback: Int64, recipient: Postback.Recipient, url: String, attempt: Int64) {
    self.postback = postback
    self.recipient = recipient
    self.url = url
    self.attempt = attempt
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    postback = try members.required("postbackId", event?.postback, .record(.postback))
    recipient = try members.required("recipient", event?.recipient, .word())
    url = try members.required("url", event?.url, .text)
    attempt = try members.required("attempt", event?.attempt, .number)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { [.record(.postback, postback)] }
}
