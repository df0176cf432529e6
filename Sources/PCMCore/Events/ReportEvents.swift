extension EventKind {
  /// A report was scheduled.
  public static let reportScheduled = Self("report-scheduled")
  /// The browser started to send a report.
  public static let reportSent = Self("report-sent")
  /// An endpoint accepted a report.
  public static let reportDelivered = Self("report-delivered")
  /// A report was not delivered and will not be sent again.
  public static let reportFailed = Self("report-failed")
  /// A report was not delivered and will be sent again.
  public static let reportRetryScheduled = Self("report-retry-scheduled")
}

/// A scheduled report.
package struct ReportScheduled: EventDetail {
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

  init(_ members: inout EventReader) throws {
    report = try members.record("reportId", .report)
    attribution = try members.record("attributionId", .attribution)
    recipient = try members.word("recipient")
    url = try members.text("url")
    dueAt = try members.instant("dueAt")
  }

  func encode(into event: inout EventWriter) {
    event.member("reportId", RecordName.report(report))
    event.member("attributionId", RecordName.attribution(attribution))
    event.member("recipient", recipient.rawValue)
    event.member("url", url)
    event.member("dueAt", dueAt)
  }

  static var introduced: IntroducedRecord? { IntroducedRecord(kind: .report, isNumbered: false) }
  func subjects(at sequence: Int64) -> [EventSubject] { [.report(report), .attribution(attribution)] }
}

/// An attempt to send a report, logged before the request.
package struct ReportSent: EventDetail {
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

  init(_ members: inout EventReader) throws {
    report = try members.record("reportId", .report)
    recipient = try members.word("recipient")
    url = try members.text("url")
    attempt = try members.number("attempt")
    decision = try members.decision()
  }

  func encode(into event: inout EventWriter) {
    event.member("reportId", RecordName.report(report))
    event.member("recipient", recipient.rawValue)
    event.member("url", url)
    event.member("attempt", attempt)
    event.decision(decision)
  }

  func subjects(at sequence: Int64) -> [EventSubject] { [.report(report)] }
}

/// The result of an attempt: delivered, failed, or to be retried.
package struct ReportFinished: EventDetail {
  package let report: Int64
  package let recipient: Recipient
  package let attempt: Int64
  /// Nil when no response arrived.
  package let httpStatus: Int64?
  /// The time of the retry; nil when there is none.
  package let retryAt: Instant?
  /// Empty for a delivered report.
  package let reasons: [Reason]
  package let decision: RecordedDecision?

  package init(
    report: Int64, recipient: Recipient, attempt: Int64, httpStatus: Int64?, retryAt: Instant?, reasons: [Reason],
    decision: RecordedDecision?
  ) {
    self.report = report
    self.recipient = recipient
    self.attempt = attempt
    self.httpStatus = httpStatus
    self.retryAt = retryAt
    self.reasons = reasons
    self.decision = decision
  }

  init(_ members: inout EventReader) throws {
    report = try members.record("reportId", .report)
    recipient = try members.word("recipient")
    attempt = try members.number("attempt")
    httpStatus = try members.optionalNumber("httpStatus")
    retryAt = members.has("retryAt") ? try members.instant("retryAt") : nil
    reasons = members.has("reasons") ? try members.reasons() : []
    decision = try members.decision()
  }

  func encode(into event: inout EventWriter) {
    event.member("reportId", RecordName.report(report))
    event.member("recipient", recipient.rawValue)
    event.member("attempt", attempt)
    event.member("httpStatus", httpStatus)
    if let retryAt { event.member("retryAt", retryAt) }
    if !reasons.isEmpty { event.member("reasons", reasons) }
    event.decision(decision)
  }

  func subjects(at sequence: Int64) -> [EventSubject] { [.report(report)] }
}
