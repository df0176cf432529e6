extension EventKind {
  /// A click was stored.
  public static let clickStored = Self("click-stored")
  /// A click was kept as the ephemeral click.
  package static let ephemeralClickStored = Self("click-held")
  /// A click was discarded.
  public static let clickDiscarded = Self("click-discarded")
  /// A newer click replaced a click.
  public static let clickReplaced = Self("click-replaced")
  /// A click expired.
  public static let clickExpired = Self("click-expired")
  /// A triggering event consumed a click, but its priority was too low.
  public static let clickConsumedByLowerPriority = Self("click-consumed-by-lower-priority")
}

/// The origin of a click, as named in the API.
package enum ClickOrigin: String, Hashable, Sendable, CaseIterable {
  case eventAttribution = "event-attribution"
  case linkClick = "link-click"
  /// An ephemeral click that a triggering event consumed.
  case ephemeralClick = "ephemeral-click"
}

/// A click that is stored, or kept as the ephemeral click.
package struct ClickStored: EventDetail {
  package let click: Int64
  package let origin: ClickOrigin
  package let key: ClickKey
  package let sourceID: UInt8
  package let expiresAt: Instant
  package let reasons: [Reason]
  /// Nil for a click that was ephemeral: an earlier event has its decision.
  package let decision: RecordedDecision?

  package init(_ kept: KeptClick, origin: ClickOrigin, reasons: [Reason] = [], decision: RecordedDecision?) {
    click = kept.id
    self.origin = origin
    key = kept.click.key
    sourceID = kept.click.sourceID
    expiresAt = kept.click.expiresAt
    self.reasons = reasons
    self.decision = decision
  }

  init(_ members: inout EventReader) throws {
    click = try members.record("clickId", .click)
    origin = try members.word("via")
    let (source, destination) = (try members.site("sourceSite"), try members.site("destinationSite"))
    sourceID = try members.number("sourceIdentifier")
    key = ClickKey(source: source, destination: destination, bundleIdentifier: try members.text("bundleIdentifier"))
    expiresAt = try members.instant("expiresAt")
    reasons = try members.reasons()
    decision = try members.decision()
  }

  func encode(into event: inout EventWriter) {
    event.member("clickId", RecordName.click(click))
    event.member("via", origin.rawValue)
    event.member("sourceSite", key.source)
    event.member("destinationSite", key.destination)
    event.member("sourceIdentifier", Int64(sourceID))
    event.member("bundleIdentifier", key.bundleIdentifier)
    event.member("expiresAt", expiresAt)
    event.member("reasons", reasons)
    event.decision(decision)
  }

  static var introduced: IntroducedRecord? { IntroducedRecord(kind: .click, isNumbered: false) }
  func subjects(at sequence: Int64) -> [EventSubject] { [.click(click)] + key.subjects }
}

/// A discarded click.
package struct ClickDiscarded: EventDetail {
  package let origin: ClickOrigin
  /// Nil when the destination is not a URL.
  package let destination: Site?
  package let reasons: [Reason]
  package let decision: RecordedDecision?

  package init(origin: ClickOrigin, destination: Site?, reasons: [Reason], decision: RecordedDecision?) {
    self.origin = origin
    self.destination = destination
    self.reasons = reasons
    self.decision = decision
  }

  init(_ members: inout EventReader) throws {
    origin = try members.word("via")
    destination = try members.optionalSite("destinationSite")
    reasons = try members.reasons()
    decision = try members.decision()
  }

  func encode(into event: inout EventWriter) {
    event.member("via", origin.rawValue)
    event.member("destinationSite", destination)
    event.member("reasons", reasons)
    event.decision(decision)
  }

  static var introduced: IntroducedRecord? { IntroducedRecord(kind: .click, isNamed: false) }
  func subjects(at sequence: Int64) -> [EventSubject] { [.click(sequence)] + (destination.map { [.site($0)] } ?? []) }
}

/// The replacement of a click by a newer click with the same key, or of an ephemeral click by a newer one.
package struct ClickReplaced: EventDetail {
  package let click: Int64
  package let successor: Int64

  package init(click: Int64, successor: Int64) {
    self.click = click
    self.successor = successor
  }

  init(_ members: inout EventReader) throws {
    click = try members.record("clickId", .click)
    successor = try members.record("successorId", .click)
  }

  func encode(into event: inout EventWriter) {
    event.member("clickId", RecordName.click(click))
    event.member("successorId", RecordName.click(successor))
  }

  func subjects(at sequence: Int64) -> [EventSubject] { [.click(click), .click(successor)] }
}

/// A click that expired without an attribution.
package struct ClickExpired: EventDetail {
  package let click: Int64
  package let expiredAt: Instant

  package init(click: Int64, expiredAt: Instant) {
    self.click = click
    self.expiredAt = expiredAt
  }

  init(_ members: inout EventReader) throws {
    click = try members.record("clickId", .click)
    expiredAt = try members.instant("expiredAt")
  }

  func encode(into event: inout EventWriter) {
    event.member("clickId", RecordName.click(click))
    event.member("expiredAt", expiredAt)
  }

  func subjects(at sequence: Int64) -> [EventSubject] { [.click(click)] }
}

/// A click that a triggering event consumed without changing a report, because the existing report has a higher priority.
package struct ClickConsumed: EventDetail {
  package let click: Int64
  package let attribution: Int64
  package let reasons: [Reason]

  package init(click: Int64, attribution: Int64, reasons: [Reason]) {
    self.click = click
    self.attribution = attribution
    self.reasons = reasons
  }

  init(_ members: inout EventReader) throws {
    click = try members.record("clickId", .click)
    attribution = try members.record("attributionId", .attribution)
    reasons = try members.reasons()
  }

  func encode(into event: inout EventWriter) {
    event.member("clickId", RecordName.click(click))
    event.member("attributionId", RecordName.attribution(attribution))
    event.member("reasons", reasons)
  }

  func subjects(at sequence: Int64) -> [EventSubject] { [.click(click), .attribution(attribution)] }
}

extension ClickKey {
  var subjects: [EventSubject] { .sites(source, destination) + [.app(bundleIdentifier: bundleIdentifier)] }
}
