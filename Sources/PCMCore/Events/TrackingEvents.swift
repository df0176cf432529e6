extension EventKind {
  /// An app asked for permission to track.
  package static let trackingRequested = Self("tracking-requested")
  /// The user answered the prompt for permission to track.
  package static let trackingAnswered = Self("tracking-answered")
  /// The user changed tracking in the settings.
  package static let trackingChanged = Self("tracking-changed")
  /// An answer or a change in the settings has no effect.
  package static let trackingRejected = Self("tracking-rejected")
  /// An event of a measurement SDK waits for the user's answer.
  package static let sdkEventHeld = Self("sdk-event-held")
  /// A measurement SDK recorded a request.
  package static let sdkRequestRecorded = Self("sdk-request-recorded")
  /// An endpoint accepted a request of a measurement SDK.
  package static let sdkRequestDelivered = Self("sdk-request-delivered")
  /// A request of a measurement SDK was not delivered.
  package static let sdkRequestFailed = Self("sdk-request-failed")
}

extension EventType {
  static let tracking = [
    EventType(.trackingRequested, TrackingRequested.self), EventType(.trackingAnswered, TrackingDecided.self),
    EventType(.trackingChanged, TrackingDecided.self), EventType(.trackingRejected, TrackingDecided.self),
    EventType(.sdkEventHeld, SDKEventHeld.self), EventType(.sdkRequestRecorded, SDKRequestRecorded.self),
    EventType(.sdkRequestDelivered, SDKRequestFinished.self), EventType(.sdkRequestFailed, SDKRequestFinished.self),
  ]
}

/// A call with which an app asks for permission to track.
package struct TrackingRequested: BrowserEvent {
  package var kind: EventKind { .trackingRequested }
  package let bundleIdentifier: String
  /// Whether the system displays the prompt.
  package let isPrompted: Bool
  /// The status after the call; nil for a call that ended the app.
  package let status: Int64?
  /// Why there is no prompt; empty if there is one.
  package let reasons: [Reason]
  package let decision: RecordedDecision?

  package init(
    bundleIdentifier: String, isPrompted: Bool, status: TrackingStatus?, reasons: [Reason], decision: RecordedDecision?
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.isPrompted = isPrompted
    self.status = status?.rawValue
    self.reasons = reasons
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    bundleIdentifier = try members.required("bundleIdentifier", event?.bundleIdentifier, .text)
    isPrompted = try members.required("promptDisplayed", event?.isPrompted, .flag)
    status = try members.optional("trackingStatus", event?.status, .number)
    reasons = try members.reasons(event?.reasons)
    decision = try members.decision(event?.decision)
  }

  package static var introduced: IntroducedRecord? { IntroducedRecord(kind: .trackingRequest, isNamed: false) }
  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.trackingRequest, sequence), .app(bundleIdentifier: bundleIdentifier)]
  }
}

/// A decision of the user about tracking: in the prompt, or in the settings.
package struct TrackingDecided: BrowserEvent {
  package let kind: EventKind
  /// The request that displayed the app's prompt; nil without one, and for the setting of the device.
  package let request: Int64?
  /// Nil for the setting of the device.
  package let bundleIdentifier: String?
  /// The setting of the device after the decision.
  package let system: SystemTrackingSetting
  /// The status of the app after the decision; nil for the setting of the device.
  package let status: Int64?
  /// Empty for a decision with an effect.
  package let reasons: [Reason]
  package let decision: RecordedDecision?

  package init(
    _ kind: EventKind, request: Int64?, bundleIdentifier: String?, system: SystemTrackingSetting, status: TrackingStatus?,
    reasons: [Reason], decision: RecordedDecision?
  ) {
    self.kind = kind
    self.request = request
    self.bundleIdentifier = bundleIdentifier
    self.system = system
    self.status = status?.rawValue
    self.reasons = reasons
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    kind = members.kind
    request = try members.optional("trackingRequestId", event?.request, .record(.trackingRequest))
    bundleIdentifier = try members.optional("bundleIdentifier", event?.bundleIdentifier, .text)
    system = try members.required("system", event?.system, .word())
    status = try members.optional("trackingStatus", event?.status, .number)
    reasons = try members.reasons(event?.reasons)
    decision = try members.decision(event?.decision)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] {
    (request.map { [.record(.trackingRequest, $0)] } ?? []) + (bundleIdentifier.map { [.app(bundleIdentifier: $0)] } ?? [])
  }
}

/// An event of a measurement SDK that waits for the user's answer.
package struct SDKEventHeld: BrowserEvent {
  package var kind: EventKind { .sdkEventHeld }
  package let bundleIdentifier: String
  package let event: String
  package let waitsUntil: Instant
  /// A note on a waiting that is shorter than the app wants; empty otherwise.
  package let reasons: [Reason]
  package let decision: RecordedDecision?

  package init(
    bundleIdentifier: String, event: String, waitsUntil: Instant, reasons: [Reason] = [], decision: RecordedDecision?
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.event = event
    self.waitsUntil = waitsUntil
    self.reasons = reasons
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    bundleIdentifier = try members.required("bundleIdentifier", event?.bundleIdentifier, .text)
    self.event = try members.required("event", event?.event, .text)
    waitsUntil = try members.required("waitsUntil", event?.waitsUntil, .instant)
    reasons = try members.reasons(event?.reasons)
    decision = try members.decision(event?.decision)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { [.app(bundleIdentifier: bundleIdentifier)] }
}

/// A request of a measurement SDK, with the status at this time.
package struct SDKRequestRecorded: BrowserEvent {
  package var kind: EventKind { .sdkRequestRecorded }
  package let request: Int64
  package let bundleIdentifier: String
  package let event: String
  package let url: String
  package let status: Int64
  /// Why the request lacks fields; empty with consent.
  package let reasons: [Reason]
  package let decision: RecordedDecision?

  package init(
    request: Int64, bundleIdentifier: String, event: String, url: String, status: TrackingStatus, reasons: [Reason],
    decision: RecordedDecision?
  ) {
    self.request = request
    self.bundleIdentifier = bundleIdentifier
    self.event = event
    self.url = url
    self.status = status.rawValue
    self.reasons = reasons
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    request = try members.required("sdkRequestId", event?.request, .record(.sdkRequest))
    bundleIdentifier = try members.required("bundleIdentifier", event?.bundleIdentifier, .text)
    self.event = try members.required("event", event?.event, .text)
    url = try members.required("url", event?.url, .text)
    status = try members.required("trackingStatus", event?.status, .number)
    reasons = try members.reasons(event?.reasons)
    decision = try members.decision(event?.decision)
  }

  package static var introduced: IntroducedRecord? { IntroducedRecord(kind: .sdkRequest, isNamed: false) }
  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.sdkRequest, request), .app(bundleIdentifier: bundleIdentifier)]
  }
}

/// The result of the attempt to send a request of a measurement SDK.
package struct SDKRequestFinished: BrowserEvent {
  package let kind: EventKind
  package let request: Int64
  /// Nil when no response arrived.
  package let httpStatus: Int64?
  /// Where the SDK sends the request next; nil for the last attempt.
  package let nextURL: String?
  /// Empty for a delivered request.
  package let reasons: [Reason]
  package let decision: RecordedDecision?

  package init(
    _ kind: EventKind, request: Int64, httpStatus: Int64?, nextURL: String? = nil, reasons: [Reason],
    decision: RecordedDecision?
  ) {
    self.kind = kind
    self.request = request
    self.httpStatus = httpStatus
    self.nextURL = nextURL
    self.reasons = reasons
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    kind = members.kind
    request = try members.required("sdkRequestId", event?.request, .record(.sdkRequest))
    httpStatus = try members.optional("httpStatus", event?.httpStatus, .number)
    nextURL = try members.optional("nextURL", event?.nextURL, .text)
    reasons = try members.reasons(event?.reasons)
    decision = try members.decision(event?.decision)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { [.record(.sdkRequest, request)] }
}
