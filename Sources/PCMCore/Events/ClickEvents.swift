extension EventKind {
  /// A click was stored.
  package static let clickStored = Self("click-stored")
  /// A click was kept as the ephemeral click.
  package static let ephemeralClickStored = Self("click-held")
  /// A click was discarded.
  package static let clickDiscarded = Self("click-discarded")
  /// A click on a link to the App Store was handed over to the device as a web ad.
  package static let clickHandedOver = Self("click-handed-over")
  /// A newer click replaced a click.
  package static let clickReplaced = Self("click-replaced")
  /// A click expired.
  package static let clickExpired = Self("click-expired")
}

extension EventType {
  static let clicks = [
    EventType(.clickStored, ClickStored.self), EventType(.ephemeralClickStored, ClickStored.self),
    EventType(.clickDiscarded, ClickDiscarded.self), EventType(.clickHandedOver, ClickDiscarded.self),
    EventType(.clickReplaced, ClickReplaced.self), EventType(.clickExpired, ClickExpired.self),
  ]
}

/// The origin of a click, as named in the API.
package enum ClickOrigin: String, Hashable, Sendable, CaseIterable {
  case eventAttribution = "event-attribution"
  case linkClick = "link-click"
  /// An ephemeral click that a triggering event consumed.
  case ephemeralClick = "ephemeral-click"
}

/// A click that is stored, or kept as the ephemeral click.
package struct ClickStored: BrowserEvent {
  package let kind: EventKind
  package let click: Int64
  package let origin: ClickOrigin
  package let key: ClickKey
  package let sourceID: UInt8
  package let expiresAt: Instant
  package let reasons: [Reason]
  package let observed: Provenance?
  /// Nil for a click that was ephemeral: an earlier event has its decision.
  package let decision: RecordedDecision?

  package init(
    _ kind: EventKind, _ kept: KeptClick, origin: ClickOrigin, reasons: [Reason] = [], observed: Provenance? = nil,
    decision: RecordedDecision?
  ) {
    self.kind = kind
    click = kept.id
    self.origin = origin
    key = kept.click.key
    sourceID = kept.click.sourceID
    expiresAt = kept.click.expiresAt
    self.reasons = reasons
    self.observed = observed
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    kind = members.kind
    click = try members.required("clickId", event?.click, .record(.click))
    origin = try members.required("via", event?.origin, .word())
    let source = try members.required("sourceSite", event?.key.source, .site)
    let destination = try members.required("destinationSite", event?.key.destination, .site)
    sourceID = try members.required("sourceIdentifier", event?.sourceID, .byte)
    let bundleIdentifier = try members.required("bundleIdentifier", event?.key.bundleIdentifier, .text)
    key = ClickKey(source: source, destination: destination, bundleIdentifier: bundleIdentifier)
    expiresAt = try members.required("expiresAt", event?.expiresAt, .instant)
    reasons = try members.reasons(event?.reasons)
    observed = try members.ifPresent("observed", event?.observed, .object())
    decision = try members.decision(event?.decision)
  }

  package static var introduced: IntroducedRecord? { IntroducedRecord(kind: .click, isNumbered: false) }
  package func subjects(at sequence: Int64) -> [EventSubject] { [.record(.click, click)] + key.subjects }
}

/// A click that was discarded or handed over.
package struct ClickDiscarded: BrowserEvent {
  package let kind: EventKind
  package let origin: ClickOrigin
  /// Nil when the destination is not a URL.
  package let destination: Site?
  /// The site of the page to which the link led, if it is not the destination.
  package let landing: Site?
  package let reasons: [Reason]
  package let observed: Provenance?
  package let decision: RecordedDecision?

  package init(
    _ kind: EventKind = .clickDiscarded, origin: ClickOrigin, destination: Site?, landing: Site? = nil, reasons: [Reason],
    observed: Provenance? = nil, decision: RecordedDecision?
  ) {
    self.kind = kind
    self.origin = origin
    self.destination = destination
    self.landing = landing == destination ? nil : landing
    self.reasons = reasons
    self.observed = observed
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    kind = members.kind
    origin = try members.required("via", event?.origin, .word())
    destination = try members.optional("destinationSite", event?.destination, .site)
    landing = try members.ifPresent("landingSite", event?.landing, .site)
    reasons = try members.reasons(event?.reasons)
    observed = try members.ifPresent("observed", event?.observed, .object())
    decision = try members.decision(event?.decision)
  }

  package static var introduced: IntroducedRecord? { IntroducedRecord(kind: .click, isNamed: false) }
  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.click, sequence)] + [destination, landing].compactMap { $0.map { .site($0) } }
  }

  /// Whether the click was to lead to a site, or led there.
  package func leads(to site: Site) -> Bool { destination == site || landing == site }
}

/// The replacement of a click by a newer click with the same key, or of an ephemeral click by a newer ephemeral click.
package struct ClickReplaced: BrowserEvent {
  package var kind: EventKind { .clickReplaced }
  package let click: Int64
  package let successor: Int64

  package init(click: Int64, successor: Int64) {
    self.click = click
    self.successor = successor
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    click = try members.required("clickId", event?.click, .record(.click))
    successor = try members.required("successorId", event?.successor, .record(.click))
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { [.record(.click, click), .record(.click, successor)] }
}

/// A click that expired without an attribution.
package struct ClickExpired: BrowserEvent {
  package var kind: EventKind { .clickExpired }
  package let click: Int64
  package let expiredAt: Instant

  package init(click: Int64, expiredAt: Instant) {
    self.click = click
    self.expiredAt = expiredAt
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    click = try members.required("clickId", event?.click, .record(.click))
    expiredAt = try members.required("expiredAt", event?.expiredAt, .instant)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { [.record(.click, click)] }
}

extension ClickKey {
  var subjects: [EventSubject] { .sites(source, destination) + [.app(bundleIdentifier: bundleIdentifier)] }
}
