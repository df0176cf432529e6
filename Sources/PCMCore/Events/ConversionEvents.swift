extension EventKind {
  /// An app was installed.
  package static let appInstalled = Self("app-installed")
  /// An install was compared with an ad that the device kept.
  package static let impressionCompared = Self("impression-compared")
  /// An app was launched.
  package static let appLaunched = Self("app-launched")
  /// A conversion began: an install or a re-engagement that an ad led to.
  package static let conversionStarted = Self("conversion-started")
  /// A reported conversion value counts.
  package static let conversionValueAccepted = Self("conversion-value-accepted")
  /// A reported conversion value has no effect.
  package static let conversionValueRejected = Self("conversion-value-rejected")
}

extension EventType {
  static let conversions = [
    EventType(.appInstalled, AppInstalled.self), EventType(.impressionCompared, ImpressionCompared.self),
    EventType(.appLaunched, AppLaunched.self), EventType(.conversionStarted, ConversionStarted.self),
    EventType(.conversionValueAccepted, ConversionValueReported.self),
    EventType(.conversionValueRejected, ConversionValueReported.self),
  ]
}

/// An installation of an app.
package struct AppInstalled: BrowserEvent {
  package var kind: EventKind { .appInstalled }
  package let bundleIdentifier: String
  package let itemIdentifier: Int64?
  package let isRedownload: Bool
  package let marketplace: String
  package let country: String?
  /// The conversion that follows; nil if no ad led to the install.
  package let conversion: Int64?
  /// Why no ad led to the install; empty if one did.
  package let reasons: [Reason]

  package init(
    bundleIdentifier: String, itemIdentifier: Int64?, isRedownload: Bool, marketplace: String, country: String?,
    conversion: Int64?, reasons: [Reason] = []
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.itemIdentifier = itemIdentifier
    self.isRedownload = isRedownload
    self.marketplace = marketplace
    self.country = country
    self.conversion = conversion
    self.reasons = reasons
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    bundleIdentifier = try members.required("bundleIdentifier", event?.bundleIdentifier, .text)
    itemIdentifier = try members.optional("itemIdentifier", event?.itemIdentifier, .number)
    isRedownload = try members.required("redownload", event?.isRedownload, .flag)
    marketplace = try members.required("marketplace", event?.marketplace, .text)
    country = try members.optional("country", event?.country, .text)
    conversion = try members.optional("conversionId", event?.conversion, .record(.conversion))
    reasons = try members.reasons(event?.reasons)
  }

  package static var introduced: IntroducedRecord? { IntroducedRecord(kind: .install, isNamed: false) }
  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.install, sequence), .app(bundleIdentifier: bundleIdentifier)]
      + (conversion.map { [.record(.conversion, $0)] } ?? [])
  }
}

/// The outcome of an install for one ad that the device kept.
package struct ImpressionCompared: BrowserEvent {
  package var kind: EventKind { .impressionCompared }
  package let impression: Int64
  package let install: Int64
  package let bundleIdentifier: String
  /// The conversion that the install began; nil if no ad led to it.
  package let conversion: Int64?
  /// `won`, `runner-up`, `lost`, or `not-considered`.
  package let outcome: String
  /// 1 for the winner; nil for an ad that was not considered.
  package let place: Int64?
  /// Why the ad has its place before the next one; nil for the last of several, and for an ad that was not considered.
  package let standing: String?
  package let reasons: [Reason]
  package let decision: RecordedDecision?

  package init(
    impression: Int64, install: Int64, bundleIdentifier: String, conversion: Int64?, outcome: String, place: Int64?,
    standing: String? = nil, reasons: [Reason], decision: RecordedDecision?
  ) {
    self.impression = impression
    self.install = install
    self.bundleIdentifier = bundleIdentifier
    self.conversion = conversion
    self.outcome = outcome
    self.place = place
    self.standing = standing
    self.reasons = reasons
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    impression = try members.required("impressionId", event?.impression, .record(.impression))
    install = try members.required("installId", event?.install, .record(.install))
    bundleIdentifier = try members.required("bundleIdentifier", event?.bundleIdentifier, .text)
    conversion = try members.optional("conversionId", event?.conversion, .record(.conversion))
    outcome = try members.required("outcome", event?.outcome, .text)
    place = try members.optional("place", event?.place, .number)
    standing = try members.optional("standing", event?.standing, .text)
    reasons = try members.reasons(event?.reasons)
    decision = try members.decision(event?.decision)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.impression, impression), .record(.install, install), .app(bundleIdentifier: bundleIdentifier)]
      + (conversion.map { [.record(.conversion, $0)] } ?? [])
  }
}

/// A launch of an app.
package struct AppLaunched: BrowserEvent {
  package var kind: EventKind { .appLaunched }
  package let bundleIdentifier: String

  package init(bundleIdentifier: String) {
    self.bundleIdentifier = bundleIdentifier
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    bundleIdentifier = try members.required("bundleIdentifier", event?.bundleIdentifier, .text)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { [.app(bundleIdentifier: bundleIdentifier)] }
}

/// The beginning of a conversion: an install or a re-engagement that an ad led to.
package struct ConversionStarted: BrowserEvent {
  package var kind: EventKind { .conversionStarted }
  package let conversion: Int64
  package let bundleIdentifier: String
  /// `download`, `redownload`, or `re-engagement`.
  package let type: String
  package let impression: Int64
  package let runnersUp: [Int64]
  /// The tag of a re-engagement, or of a conversion that a developer created; nil without one.
  package let tag: String?
  /// `production`, `developer-mode`, or `testing-profile`.
  package let timing: String
  /// `launch` or `first-update`: the beginning of the conversion windows.
  package let windowStart: String
  /// The number of conversion windows; 0 for a conversion with a timer.
  package let windowCount: Int64
  /// The postback data tiers: a JSON object with the members of the request.
  package let crowdTiers: JSON
  package let decision: RecordedDecision?

  package init(
    conversion: Int64, bundleIdentifier: String, type: String, impression: Int64, runnersUp: [Int64], tag: String?,
    timing: String, windowStart: String, windowCount: Int, crowdTiers: JSON, decision: RecordedDecision?
  ) {
    self.conversion = conversion
    self.bundleIdentifier = bundleIdentifier
    self.type = type
    self.impression = impression
    self.runnersUp = runnersUp
    self.tag = tag
    self.timing = timing
    self.windowStart = windowStart
    self.windowCount = Int64(windowCount)
    self.crowdTiers = crowdTiers
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    conversion = try members.required("conversionId", event?.conversion, .record(.conversion))
    bundleIdentifier = try members.required("bundleIdentifier", event?.bundleIdentifier, .text)
    type = try members.required("type", event?.type, .text)
    impression = try members.required("impressionId", event?.impression, .record(.impression))
    runnersUp = try members.required("runnerUpIds", event?.runnersUp, .list(of: .record(.impression)))
    tag = try members.optional("conversionTag", event?.tag, .text)
    timing = try members.required("timing", event?.timing, .text)
    windowStart = try members.required("conversionWindowStart", event?.windowStart, .text)
    windowCount = try members.required("windowCount", event?.windowCount, .number)
    crowdTiers = try members.required("crowdTiers", event?.crowdTiers, .json)
    decision = try members.decision(event?.decision)
  }

  package static var introduced: IntroducedRecord? { IntroducedRecord(kind: .conversion, isNumbered: false) }
  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.conversion, conversion), .app(bundleIdentifier: bundleIdentifier)]
      + ([impression] + runnersUp).map { .record(.impression, $0) }
  }
}

/// A call of an app that reports a value, and its effect on one conversion.
package struct ConversionValueReported: BrowserEvent {
  package let kind: EventKind
  /// Nil for a call that concerns no conversion.
  package let conversion: Int64?
  package let bundleIdentifier: String
  package let framework: AdFramework
  /// The number of the window: 0 to 2; nil for a call without effect.
  package let sequenceIndex: Int64?
  /// The values of the window after the call.
  package let fineValue: Int64?
  package let coarseValue: String?
  /// Empty for a value that counts.
  package let reasons: [Reason]
  /// The error that the app receives: a JSON object, or null.
  package let appleError: JSON
  package let decision: RecordedDecision?

  package init(
    _ kind: EventKind, conversion: Int64?, bundleIdentifier: String, framework: AdFramework, sequenceIndex: Int64? = nil,
    fineValue: Int64? = nil,
    coarseValue: String? = nil, reasons: [Reason] = [], appleError: JSON = .null, decision: RecordedDecision?
  ) {
    self.kind = kind
    self.conversion = conversion
    self.bundleIdentifier = bundleIdentifier
    self.framework = framework
    self.sequenceIndex = sequenceIndex
    self.fineValue = fineValue
    self.coarseValue = coarseValue
    self.reasons = reasons
    self.appleError = appleError
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    kind = members.kind
    conversion = try members.optional("conversionId", event?.conversion, .record(.conversion))
    bundleIdentifier = try members.required("bundleIdentifier", event?.bundleIdentifier, .text)
    framework = try members.required("framework", event?.framework, .word())
    sequenceIndex = try members.optional("sequenceIndex", event?.sequenceIndex, .number)
    fineValue = try members.optional("fineValue", event?.fineValue, .number)
    coarseValue = try members.optional("coarseValue", event?.coarseValue, .text)
    reasons = try members.reasons(event?.reasons)
    appleError = try members.required("appleError", event?.appleError, .json)
    decision = try members.decision(event?.decision)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] {
    (conversion.map { [.record(.conversion, $0)] } ?? []) + [.app(bundleIdentifier: bundleIdentifier)]
  }
}
