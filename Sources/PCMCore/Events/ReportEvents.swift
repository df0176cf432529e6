extension EventKind {
  /// A report was scheduled.
  package static let reportScheduled = Self("report-scheduled")
  /// The browser started to send a report.
  package static let reportSent = Self("report-sent")
  /// An endpoint accepted a report.
  package static let reportDelivered = Self("report-delivered")
  /// A report was not delivered and will not be sent again.
  package static let reportFailed = Self("report-failed")
  /// A report was not delivered and will be sent again.
  package static let reportRetryScheduled = Self("report-retry-scheduled")
}

extension EventType {
  static let reports = [
    EventType(.reportScheduled, ReportScheduled.self), EventType(.reportSent, ReportSent.self),
    EventType(.reportDelivered, ReportFinished.self), EventType(.reportFailed, ReportFinished.self),
    EventType(.reportRetryScheduled, ReportFinished.self),
  ]
}

/// A scheduled report.
package struct ReportScheduled: BrowserEvent {
  package var kind: EventKind { .reportScheduled }
  package let report: Int64
  package let attribution: Int64
  package let recipient: Recipient
  package let url: String
  package let dueAt: Instant

  package init(report: Int64, attribution: Int64, recipient: Recipient, url: String, dueAt: Instant) {
    self.report = report
    self.attribution = attribution
    self.recipient = recipient
    self.url = url
    self.dueAt = dueAt
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    report = try members.required("reportId", event?.report, .record(.report))
    attribution = try members.required("attributionId", event?.attribution, .record(.attribution))
    recipient = try members.required("recipient", event?.recipient, .word())
    url = try members.required("url", event?.url, .text)
    dueAt = try members.required("dueAt", event?.dueAt, .instant)
  }

  package static var introduced: IntroducedRecord? { IntroducedRecord(kind: .report, isNumbered: false) }
  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.report, report), .record(.attribution, attribution)]
  }
}

/// An attempt to send a report, logged before the request.
package struct ReportSent: BrowserEvent {
  package var kind: EventKind { .reportSent }
  package let report: Int64
  package let recipient: Recipient
  package let url: String
  /// The number of the attempt; the first is 1.
  package let attempt: Int64
  /// Nil for a retry, and for a report whose token keys were checked first.
  package let decision: RecordedDecision?

  package init(report: Int64, recipient: Recipient, url: String, attempt: Int64, decision: RecordedDecision?) {
    self.report = report
    self.recipient = recipient
    self.url = url
    self.attempt = attempt
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    report = try members.required("reportId", event?.report, .record(.report))
    recipient = try members.required("recipient", event?.recipient, .word())
    url = try members.required("url", event?.url, .text)
    attempt = try members.required("attempt", event?.attempt, .number)
    decision = try members.decision(event?.decision)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { [.record(.report, report)] }
}

/// The result of an attempt to send a report or a postback: delivered, failed, or to be retried.
package struct AttemptFinished<Record: OutgoingRecord>: BrowserEvent {
  package let kind: EventKind
  /// The number of the report or the postback.
  package let record: Int64
  package let recipient: Record.RecipientRole
  package let attempt: Int64
  /// Nil when no response arrived.
  package let httpStatus: Int64?
  /// The address that received the message without TLS; nil for a message that was not forwarded.
  package let forwardedTo: String?
  /// The time of the retry; nil when there is none.
  package let retryAt: Instant?
  /// Empty for a delivered record.
  package let reasons: [Reason]
  package let decision: RecordedDecision?

  package init(
    _ kind: EventKind, record: Int64, recipient: Record.RecipientRole, attempt: Int64, httpStatus: Int64?,
    forwardedTo: String? = nil, retryAt: Instant?, reasons: [Reason], decision: RecordedDecision?
  ) {
    self.kind = kind
    self.record = record
    self.recipient = recipient
    self.attempt = attempt
    self.httpStatus = httpStatus
    self.forwardedTo = forwardedTo
    self.retryAt = retryAt
    self.reasons = reasons
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    kind = members.kind
    record = try members.required("\(Record.kind.rawValue)Id", event?.record, .record(Record.kind))
    recipient = try members.required("recipient", event?.recipient, .word())
    attempt = try members.required("attempt", event?.attempt, .number)
    httpStatus = try members.optional("httpStatus", event?.httpStatus, .number)
    forwardedTo = try members.ifPresent("forwardedTo", event?.forwardedTo, .text)
    retryAt = try members.ifPresent("retryAt", event?.retryAt, .instant)
    reasons = try members.reasonsIfAny(event?.reasons)
    decision = try members.decision(event?.decision)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { [.record(Record.kind, record)] }
}

package typealias ReportFinished = AttemptFinished<Report>
package typealias PostbackFinished = AttemptFinished<Postback>
