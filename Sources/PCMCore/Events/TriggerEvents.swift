extension EventKind {
  /// A redirect did not have the trigger path.
  public static let triggerIgnored = Self("trigger-ignored")
  /// A trigger URL was rejected.
  public static let triggerRejected = Self("trigger-rejected")
  /// A trigger URL was accepted.
  public static let triggerAccepted = Self("trigger-accepted")
  /// A triggering event changed no report.
  public static let triggerUnmatched = Self("trigger-unmatched")
  /// A click was attributed to a triggering event.
  public static let attributed = Self("attributed")
  /// A triggering event of higher priority replaced an earlier one.
  public static let attributionReplaced = Self("attribution-replaced")
}

/// The request of a triggering event: a trigger and the key of its click.
package struct RequestedTrigger: EventDetail {
  package let trigger: Trigger
  package let source: Site
  package let destination: Site

  package init(trigger: Trigger, source: Site, destination: Site) {
    self.trigger = trigger
    self.source = source
    self.destination = destination
  }

  init(_ members: inout EventReader) throws {
    let (data, priority): (UInt8, UInt8) = (try members.number("data"), try members.number("priority"))
    trigger = Trigger(data: data, priority: priority)
    source = try members.site("sourceSite")
    destination = try members.site("destinationSite")
  }

  func encode(into event: inout EventWriter) {
    event.member("data", Int64(trigger.data))
    event.member("priority", Int64(trigger.priority))
    event.member("sourceSite", source)
    event.member("destinationSite", destination)
  }

  static var introduced: IntroducedRecord? { IntroducedRecord(kind: .triggeringEvent, isNamed: false) }
  func subjects(at sequence: Int64) -> [EventSubject] { [.triggeringEvent(sequence)] + sites }

  var sites: [EventSubject] { .sites(source, destination) }
}

/// A redirect that is not a triggering event, or a rejected triggering event.
package struct TriggerRejected: EventDetail {
  package let firstParty: Site
  /// Nil when the trigger URL could not be parsed.
  package let requested: RequestedTrigger?
  package let reasons: [Reason]
  package let decision: RecordedDecision?

  package init(firstParty: Site, requested: RequestedTrigger?, reasons: [Reason], decision: RecordedDecision?) {
    self.firstParty = firstParty
    self.requested = requested
    self.reasons = reasons
    self.decision = decision
  }

  init(_ members: inout EventReader) throws {
    firstParty = try members.site("firstPartySite")
    requested = members.has("data") ? try RequestedTrigger(&members) : nil
    reasons = try members.reasons()
    decision = try members.decision()
  }

  func encode(into event: inout EventWriter) {
    event.member("firstPartySite", firstParty)
    requested?.encode(into: &event)
    event.member("reasons", reasons)
    event.decision(decision)
  }

  static var introduced: IntroducedRecord? { IntroducedRecord(kind: .triggeringEvent, isNamed: false) }
  func subjects(at sequence: Int64) -> [EventSubject] {
    [.triggeringEvent(sequence), .site(firstParty)] + (requested?.sites ?? []).filter { $0 != .site(firstParty) }
  }
}

/// An accepted triggering event that did not change a report.
package struct TriggerUnmatched: EventDetail {
  package let requested: RequestedTrigger
  /// The ephemeral click that the event lost; nil when there was none.
  package let lostClick: Int64?
  package let reasons: [Reason]
  /// The number of the event that accepted it; nil when the ephemeral click's rules ignored it before.
  package let accepted: Int64?
  package let decision: RecordedDecision?

  package init(
    requested: RequestedTrigger, lostClick: Int64?, reasons: [Reason], accepted: Int64?, decision: RecordedDecision?
  ) {
    self.requested = requested
    self.lostClick = lostClick
    self.reasons = reasons
    self.accepted = accepted
    self.decision = decision
  }

  init(_ members: inout EventReader) throws {
    requested = try RequestedTrigger(&members)
    let click = try members.optionalRecord("clickId", .click)
    reasons = try members.reasons()
    accepted = try members.optionalRecord("triggeringEventId", .triggeringEvent)
    decision = try members.decision()
    lostClick = click ?? Self.lostClick(reasons: reasons, decision: decision)
  }

  /// Returns the lost click of an event from before the member existed, which only its decision names.
  private static func lostClick(reasons: [Reason], decision: RecordedDecision?) -> Int64? {
    guard let code = reasons.first?.code, ["held-click-mismatch", "held-click-expired"].contains(code),
      case .string(let name)? = decision?.inputs.first(where: { $0.name == "heldClick" })?.value
    else { return nil }
    return RecordName.Kind.click.number(name)
  }

  func encode(into event: inout EventWriter) {
    requested.encode(into: &event)
    if let lostClick { event.member("clickId", RecordName.click(lostClick)) }
    event.member("reasons", reasons)
    event.member("triggeringEventId", accepted.map(RecordName.triggeringEvent))
    event.decision(decision)
  }

  static var introduced: IntroducedRecord? {
    IntroducedRecord(kind: .triggeringEvent, isNamed: false, mark: #""triggeringEventId":null"#)
  }
  func subjects(at sequence: Int64) -> [EventSubject] {
    [.triggeringEvent(accepted ?? sequence)] + (lostClick.map { [.click($0)] } ?? []) + requested.sites
  }
}

/// The attribution of a click to a triggering event.
package struct Attributed: EventDetail {
  package let attribution: Int64
  package let click: Int64
  package let key: ClickKey
  package let sourceID: UInt8
  package let trigger: Trigger
  package let sourceReport: Int64?
  package let destinationReport: Int64?
  /// The number of the event that accepted the triggering event.
  package let accepted: Int64?
  /// Notes about the triggering event.
  package let reasons: [Reason]
  package let decision: RecordedDecision?

  package init(_ attribution: Attribution, accepted: Int64?, reasons: [Reason] = [], decision: RecordedDecision?) {
    self.attribution = attribution.id
    click = attribution.click.id
    key = attribution.key
    sourceID = attribution.click.click.sourceID
    trigger = attribution.trigger
    sourceReport = attribution.source?.report
    destinationReport = attribution.destination?.report
    self.accepted = accepted
    self.reasons = reasons
    self.decision = decision
  }

  init(_ members: inout EventReader) throws {
    attribution = try members.record("attributionId", .attribution)
    click = try members.record("clickId", .click)
    let (source, destination) = (try members.site("sourceSite"), try members.site("destinationSite"))
    sourceID = try members.number("sourceIdentifier")
    let (data, priority): (UInt8, UInt8) = (try members.number("triggerData"), try members.number("priority"))
    trigger = Trigger(data: data, priority: priority)
    key = ClickKey(source: source, destination: destination, bundleIdentifier: try members.text("bundleIdentifier"))
    sourceReport = try members.optionalRecord("sourceReportId", .report)
    destinationReport = try members.optionalRecord("destinationReportId", .report)
    accepted = try members.optionalRecord("triggeringEventId", .triggeringEvent)
    reasons = members.has("reasons") ? try members.reasons() : []
    decision = try members.decision()
  }

  func encode(into event: inout EventWriter) {
    event.member("attributionId", RecordName.attribution(attribution))
    event.member("clickId", RecordName.click(click))
    event.member("sourceSite", key.source)
    event.member("destinationSite", key.destination)
    event.member("sourceIdentifier", Int64(sourceID))
    event.member("triggerData", Int64(trigger.data))
    event.member("priority", Int64(trigger.priority))
    event.member("bundleIdentifier", key.bundleIdentifier)
    event.member("sourceReportId", sourceReport.map(RecordName.report))
    event.member("destinationReportId", destinationReport.map(RecordName.report))
    event.member("triggeringEventId", accepted.map(RecordName.triggeringEvent))
    if !reasons.isEmpty { event.member("reasons", reasons) }
    event.decision(decision)
  }

  static var introduced: IntroducedRecord? { IntroducedRecord(kind: .attribution, isNumbered: false) }
  func subjects(at sequence: Int64) -> [EventSubject] {
    [.attribution(attribution), .click(click)] + (accepted.map { [.triggeringEvent($0)] } ?? []) + key.subjects
      + [sourceReport, destinationReport].compactMap { $0.map(EventSubject.report) }
  }
}

/// The replacement of an attribution by a better click or triggering event, with the reports that are not sent.
package struct AttributionReplaced: EventDetail {
  package let requested: RequestedTrigger
  package let attribution: Int64
  package let reports: [Int64]

  package init(requested: RequestedTrigger, attribution: Int64, reports: [Int64]) {
    self.requested = requested
    self.attribution = attribution
    self.reports = reports
  }

  init(_ members: inout EventReader) throws {
    requested = try RequestedTrigger(&members)
    attribution = try members.record("attributionId", .attribution)
    reports = try members.records("reportIds", .report)
  }

  func encode(into event: inout EventWriter) {
    requested.encode(into: &event)
    event.member("attributionId", RecordName.attribution(attribution))
    event.member("reportIds", json: .array(reports.map { .string(RecordName.report($0)) }))
  }

  func subjects(at sequence: Int64) -> [EventSubject] {
    [.attribution(attribution)] + requested.sites + reports.map(EventSubject.report)
  }
}
