extension EventKind {
  /// A redirect did not have the trigger path.
  package static let triggerIgnored = Self("trigger-ignored")
  /// A trigger URL was rejected.
  package static let triggerRejected = Self("trigger-rejected")
  /// A trigger URL was accepted.
  package static let triggerAccepted = Self("trigger-accepted")
  /// A triggering event changed no report.
  package static let triggerUnmatched = Self("trigger-unmatched")
  /// A click was attributed to a triggering event.
  package static let attributed = Self("attributed")
  /// A triggering event of higher priority replaced an earlier triggering event.
  package static let attributionReplaced = Self("attribution-replaced")
  /// A triggering event consumed a click, but its priority was too low.
  package static let clickConsumedByLowerPriority = Self("click-consumed-by-lower-priority")
}

extension EventType {
  static let triggers = [
    EventType(.triggerIgnored, TriggerRejected.self), EventType(.triggerRejected, TriggerRejected.self),
    EventType(.triggerAccepted, RequestedTrigger.self), EventType(.triggerUnmatched, TriggerUnmatched.self),
    EventType(.attributed, Attributed.self), EventType(.attributionReplaced, AttributionReplaced.self),
    EventType(.clickConsumedByLowerPriority, ClickConsumed.self),
  ]
}

/// The request of a triggering event: a trigger and the key of its click.
package struct RequestedTrigger: BrowserEvent {
  package var kind: EventKind { .triggerAccepted }
  package let trigger: Trigger
  package let source: Site
  package let destination: Site

  package init(trigger: Trigger, source: Site, destination: Site) {
    self.trigger = trigger
    self.source = source
    self.destination = destination
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    let data = try members.required("data", event?.trigger.data, .byte)
    let priority = try members.required("priority", event?.trigger.priority, .byte)
    trigger = Trigger(data: data, priority: priority)
    source = try members.required("sourceSite", event?.source, .site)
    destination = try members.required("destinationSite", event?.destination, .site)
  }

  package static var introduced: IntroducedRecord? { IntroducedRecord(kind: .triggeringEvent, isNamed: false) }
  package func subjects(at sequence: Int64) -> [EventSubject] { [.record(.triggeringEvent, sequence)] + sites }

  var sites: [EventSubject] { .sites(source, destination) }
}

/// A redirect that is not a triggering event, or a rejected triggering event.
package struct TriggerRejected: BrowserEvent {
  package let kind: EventKind
  /// Nil for a page without a site.
  package let firstParty: Site?
  /// Nil when the trigger URL could not be parsed.
  package let requested: RequestedTrigger?
  package let reasons: [Reason]
  package let observed: Provenance?
  package let decision: RecordedDecision?

  package init(
    _ kind: EventKind, firstParty: Site?, requested: RequestedTrigger?, reasons: [Reason], observed: Provenance? = nil,
    decision: RecordedDecision?
  ) {
    self.kind = kind
    self.firstParty = firstParty
    self.requested = requested
    self.reasons = reasons
    self.observed = observed
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    kind = members.kind
    firstParty = try members.optional("firstPartySite", event?.firstParty, .site)
    let isParsed = event.map { $0.requested != nil } ?? members.has("data")
    requested = isParsed ? try RequestedTrigger(event?.requested, &members) : nil
    reasons = try members.reasons(event?.reasons)
    observed = try members.ifPresent("observed", event?.observed, .object())
    decision = try members.decision(event?.decision)
  }

  package static var introduced: IntroducedRecord? { IntroducedRecord(kind: .triggeringEvent, isNamed: false) }
  package func subjects(at sequence: Int64) -> [EventSubject] {
    let page = firstParty.map { [EventSubject.site($0)] } ?? []
    return [.record(.triggeringEvent, sequence)] + page + (requested?.sites ?? []).filter { !page.contains($0) }
  }
}

/// An accepted triggering event that did not change a report.
package struct TriggerUnmatched: BrowserEvent {
  package var kind: EventKind { .triggerUnmatched }
  package let requested: RequestedTrigger
  /// The ephemeral click that the event lost; nil when there was none.
  package let lostClick: Int64?
  package let reasons: [Reason]
  /// The number of the event that accepted it; nil when the ephemeral click's rules ignored it before.
  package let accepted: Int64?
  package let observed: Provenance?
  package let decision: RecordedDecision?

  package init(
    requested: RequestedTrigger, lostClick: Int64?, reasons: [Reason], accepted: Int64?, observed: Provenance? = nil,
    decision: RecordedDecision?
  ) {
    self.requested = requested
    self.lostClick = lostClick
    self.reasons = reasons
    self.accepted = accepted
    self.observed = observed
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    requested = try RequestedTrigger(event?.requested, &members)
    lostClick = try members.ifPresent("clickId", event?.lostClick, .record(.click))
    reasons = try members.reasons(event?.reasons)
    accepted = try members.optional("triggeringEventId", event?.accepted, .record(.triggeringEvent))
    observed = try members.ifPresent("observed", event?.observed, .object())
    decision = try members.decision(event?.decision)
  }

  package static var introduced: IntroducedRecord? {
    IntroducedRecord(kind: .triggeringEvent, isNamed: false, mark: #""triggeringEventId":null"#)
  }
  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.triggeringEvent, accepted ?? sequence)] + (lostClick.map { [.record(.click, $0)] } ?? []) + requested.sites
  }
}

/// The attribution of a click to a triggering event.
package struct Attributed: BrowserEvent {
  package var kind: EventKind { .attributed }
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
  package let observed: Provenance?
  package let decision: RecordedDecision?

  package init(
    _ attribution: Attribution, accepted: Int64?, reasons: [Reason] = [], observed: Provenance? = nil,
    decision: RecordedDecision?
  ) {
    self.attribution = attribution.id
    click = attribution.click.id
    key = attribution.key
    sourceID = attribution.click.click.sourceID
    trigger = attribution.trigger
    sourceReport = attribution.source?.report
    destinationReport = attribution.destination?.report
    self.accepted = accepted
    self.reasons = reasons
    self.observed = observed
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    attribution = try members.required("attributionId", event?.attribution, .record(.attribution))
    click = try members.required("clickId", event?.click, .record(.click))
    let source = try members.required("sourceSite", event?.key.source, .site)
    let destination = try members.required("destinationSite", event?.key.destination, .site)
    sourceID = try members.required("sourceIdentifier", event?.sourceID, .byte)
    let data = try members.required("triggerData", event?.trigger.data, .byte)
    let priority = try members.required("priority", event?.trigger.priority, .byte)
    trigger = Trigger(data: data, priority: priority)
    let bundleIdentifier = try members.required("bundleIdentifier", event?.key.bundleIdentifier, .text)
    key = ClickKey(source: source, destination: destination, bundleIdentifier: bundleIdentifier)
    sourceReport = try members.optional("sourceReportId", event?.sourceReport, .record(.report))
    destinationReport = try members.optional("destinationReportId", event?.destinationReport, .record(.report))
    accepted = try members.optional("triggeringEventId", event?.accepted, .record(.triggeringEvent))
    reasons = try members.reasonsIfAny(event?.reasons)
    observed = try members.ifPresent("observed", event?.observed, .object())
    decision = try members.decision(event?.decision)
  }

  package static var introduced: IntroducedRecord? { IntroducedRecord(kind: .attribution, isNumbered: false) }
  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.attribution, attribution), .record(.click, click)] + (accepted.map { [.record(.triggeringEvent, $0)] } ?? [])
      + key.subjects
      + [sourceReport, destinationReport].compactMap { $0.map { .record(.report, $0) } }
  }
}

/// The replacement of an attribution by a better click or triggering event, with the reports that are not sent.
package struct AttributionReplaced: BrowserEvent {
  package var kind: EventKind { .attributionReplaced }
  package let requested: RequestedTrigger
  package let attribution: Int64
  package let reports: [Int64]

  package init(requested: RequestedTrigger, attribution: Int64, reports: [Int64]) {
    self.requested = requested
    self.attribution = attribution
    self.reports = reports
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    requested = try RequestedTrigger(event?.requested, &members)
    attribution = try members.required("attributionId", event?.attribution, .record(.attribution))
    reports = try members.required("reportIds", event?.reports, .list(of: .record(.report)))
  }

  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.attribution, attribution)] + requested.sites + reports.map { .record(.report, $0) }
  }
}

/// A click that a triggering event consumed without changing a report, because the existing report has a higher priority.
package struct ClickConsumed: BrowserEvent {
  package var kind: EventKind { .clickConsumedByLowerPriority }
  package let click: Int64
  package let attribution: Int64
  package let reasons: [Reason]

  package init(click: Int64, attribution: Int64, reasons: [Reason]) {
    self.click = click
    self.attribution = attribution
    self.reasons = reasons
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    click = try members.required("clickId", event?.click, .record(.click))
    attribution = try members.required("attributionId", event?.attribution, .record(.attribution))
    reasons = try members.reasons(event?.reasons)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { [.record(.click, click), .record(.attribution, attribution)] }
}
