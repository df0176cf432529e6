extension EventKind {
  /// A postback was scheduled.
  public static let postbackScheduled = Self("postback-scheduled")
  /// A window of a conversion ended without a postback, or without the postback of one ad network.
  public static let postbackDropped = Self("postback-dropped")
  /// The device started to send a postback.
  public static let postbackSent = Self("postback-sent")
  /// A recipient accepted a postback.
  public static let postbackDelivered = Self("postback-delivered")
  /// A postback was not delivered and will not be sent again.
  public static let postbackFailed = Self("postback-failed")
  /// A postback was not delivered and will be sent again.
  public static let postbackRetryScheduled = Self("postback-retry-scheduled")
}

/// A field that a postback lacks, or its copy, with the reason.
package struct PostbackOmission: Hashable, Sendable, Decodable {
  package enum Field: String, Hashable, Sendable, Decodable, CaseIterable {
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

  private enum Key: String, CodingKey { case field, code, detail, change }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    field = try members.decode(Field.self, forKey: .field)
    reason = Reason(try members.decode(String.self, forKey: .code), try members.decode(String.self, forKey: .detail))
    change = try members.decode(String.self, forKey: .change)
  }

  var json: JSON {
    [
      "field": .string(field.rawValue), "code": .string(reason.code), "detail": .string(reason.detail),
      "change": .string(change),
    ]
  }
}

/// A scheduled postback.
package struct PostbackScheduled: EventDetail {
  package let postback: Int64
  package let conversion: Int64
  package let impression: Int64
  package let recipient: Postback.Recipient
  package let sequenceIndex: Int64
  package let url: String
  package let dueAt: Instant
  /// What the postback lacks.
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

  init(_ members: inout EventReader) throws {
    postback = try members.record("postbackId", .postback)
    conversion = try members.record("conversionId", .conversion)
    impression = try members.record("impressionId", .impression)
    recipient = try members.word("recipient")
    sequenceIndex = try members.number("sequenceIndex")
    url = try members.text("url")
    dueAt = try members.instant("dueAt")
    omissions = try members.omissions()
  }

  func encode(into event: inout EventWriter) {
    event.member("postbackId", RecordName.postback(postback))
    event.member("conversionId", RecordName.conversion(conversion))
    event.member("impressionId", RecordName.impression(impression))
    event.member("recipient", recipient.rawValue)
    event.member("sequenceIndex", sequenceIndex)
    event.member("url", url)
    event.member("dueAt", dueAt)
    event.member("omissions", json: .array(omissions.map(\.json)))
  }

  static var introduced: IntroducedRecord? { IntroducedRecord(kind: .postback, isNumbered: false) }
  func subjects(at sequence: Int64) -> [EventSubject] {
    [.postback(postback), .conversion(conversion), .impression(impression)]
  }
}

/// A postback that does not exist: its window had no value, or its tier has none.
package struct PostbackDropped: EventDetail {
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

  init(_ members: inout EventReader) throws {
    conversion = try members.record("conversionId", .conversion)
    impression = try members.optionalRecord("impressionId", .impression)
    sequenceIndex = try members.number("sequenceIndex")
    reasons = try members.reasons()
    change = try members.optionalText("change")
  }

  func encode(into event: inout EventWriter) {
    event.member("conversionId", RecordName.conversion(conversion))
    event.member("impressionId", impression.map(RecordName.impression))
    event.member("sequenceIndex", sequenceIndex)
    event.member("reasons", reasons)
    event.member("change", change)
  }

  func subjects(at sequence: Int64) -> [EventSubject] {
    [.conversion(conversion)] + (impression.map { [.impression($0)] } ?? [])
  }
}

/// An attempt to send a postback, logged before the request.
package struct PostbackSent: EventDetail {
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

  init(_ members: inout EventReader) throws {
    postback = try members.record("postbackId", .postback)
    recipient = try members.word("recipient")
    url = try members.text("url")
    attempt = try members.number("attempt")
  }

  func encode(into event: inout EventWriter) {
    event.member("postbackId", RecordName.postback(postback))
    event.member("recipient", recipient.rawValue)
    event.member("url", url)
    event.member("attempt", attempt)
  }

  func subjects(at sequence: Int64) -> [EventSubject] { [.postback(postback)] }
}

/// The result of an attempt: delivered, failed, or to be retried.
package struct PostbackFinished: EventDetail {
  package let postback: Int64
  package let recipient: Postback.Recipient
  package let attempt: Int64
  /// Nil when no response arrived.
  package let httpStatus: Int64?
  /// The time of the retry; nil when there is none.
  package let retryAt: Instant?
  /// Empty for a delivered postback.
  package let reasons: [Reason]
  package let decision: RecordedDecision?

  package init(
    postback: Int64, recipient: Postback.Recipient, attempt: Int64, httpStatus: Int64?, retryAt: Instant?, reasons: [Reason],
    decision: RecordedDecision?
  ) {
    self.postback = postback
    self.recipient = recipient
    self.attempt = attempt
    self.httpStatus = httpStatus
    self.retryAt = retryAt
    self.reasons = reasons
    self.decision = decision
  }

  init(_ members: inout EventReader) throws {
    postback = try members.record("postbackId", .postback)
    recipient = try members.word("recipient")
    attempt = try members.number("attempt")
    httpStatus = try members.optionalNumber("httpStatus")
    retryAt = members.has("retryAt") ? try members.instant("retryAt") : nil
    reasons = members.has("reasons") ? try members.reasons() : []
    decision = try members.decision()
  }

  func encode(into event: inout EventWriter) {
    event.member("postbackId", RecordName.postback(postback))
    event.member("recipient", recipient.rawValue)
    event.member("attempt", attempt)
    event.member("httpStatus", httpStatus)
    if let retryAt { event.member("retryAt", retryAt) }
    if !reasons.isEmpty { event.member("reasons", reasons) }
    event.decision(decision)
  }

  func subjects(at sequence: Int64) -> [EventSubject] { [.postback(postback)] }
}
