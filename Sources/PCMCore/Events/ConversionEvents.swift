extension EventKind {
  /// An app was installed.
  public static let appInstalled = Self("app-installed")
  /// An install was compared with an ad that the device kept.
  public static let impressionCompared = Self("impression-compared")
  /// An app was launched.
  public static let appLaunched = Self("app-launched")
  /// A conversion began: an install or a re-engagement that an ad led to.
  public static let conversionStarted = Self("conversion-started")
  /// A reported conversion value counts.
  public static let conversionValueAccepted = Self("conversion-value-accepted")
  /// A reported conversion value has no effect.
  public static let conversionValueRejected = Self("conversion-value-rejected")
}

/// An installation of an app.
package struct AppInstalled: EventDetail {
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

  init(_ members: inout EventReader) throws {
    bundleIdentifier = try members.text("bundleIdentifier")
    itemIdentifier = try members.optionalNumber("itemIdentifier")
    isRedownload = try members.flag("redownload")
    marketplace = try members.text("marketplace")
    country = try members.optionalText("country")
    conversion = try members.optionalRecord("conversionId", .conversion)
    reasons = try members.reasons()
  }

  func encode(into event: inout EventWriter) {
    event.member("bundleIdentifier", bundleIdentifier)
    event.member("itemIdentifier", itemIdentifier)
    event.member("redownload", isRedownload)
    event.member("marketplace", marketplace)
    event.member("country", country)
    event.member("conversionId", conversion.map(RecordName.conversion))
    event.member("reasons", reasons)
  }

  static var introduced: IntroducedRecord? { IntroducedRecord(kind: .install, isNamed: false) }
  func subjects(at sequence: Int64) -> [EventSubject] {
    [.install(sequence), .app(bundleIdentifier: bundleIdentifier)] + (conversion.map { [.conversion($0)] } ?? [])
  }
}

/// The outcome of an install for one ad that the device kept.
package struct ImpressionCompared: EventDetail {
  package let impression: Int64
  package let install: Int64
  package let bundleIdentifier: String
  /// The conversion that the install began; nil if no ad led to it.
  package let conversion: Int64?
  /// `won`, `runner-up`, `lost`, or `not-considered`.
  package let outcome: String
  /// 1 for the winner; nil for an ad that was not considered.
  package let place: Int64?
  /// Why the ad has its place before the next one; nil for the last of several, and for one that was not considered.
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

  init(_ members: inout EventReader) throws {
    impression = try members.record("impressionId", .impression)
    install = try members.record("installId", .install)
    bundleIdentifier = try members.text("bundleIdentifier")
    conversion = try members.optionalRecord("conversionId", .conversion)
    outcome = try members.text("outcome")
    place = try members.optionalNumber("place")
    standing = try members.optionalText("standing")
    reasons = try members.reasons()
    decision = try members.decision()
  }

  func encode(into event: inout EventWriter) {
    event.member("impressionId", RecordName.impression(impression))
    event.member("installId", RecordName.install(install))
    event.member("bundleIdentifier", bundleIdentifier)
    event.member("conversionId", conversion.map(RecordName.conversion))
    event.member("outcome", outcome)
    event.member("place", place)
    event.member("standing", standing)
    event.member("reasons", reasons)
    event.decision(decision)
  }

  func subjects(at sequence: Int64) -> [EventSubject] {
    [.impression(impression), .install(install), .app(bundleIdentifier: bundleIdentifier)]
      + (conversion.map { [.conversion($0)] } ?? [])
  }
}

/// A launch of an app.
package struct AppLaunched: EventDetail {
  package let bundleIdentifier: String

  package init(bundleIdentifier: String) {
    self.bundleIdentifier = bundleIdentifier
  }

  init(_ members: inout EventReader) throws {
    bundleIdentifier = try members.text("bundleIdentifier")
  }

  func encode(into event: inout EventWriter) {
    event.member("bundleIdentifier", bundleIdentifier)
  }

  func subjects(at sequence: Int64) -> [EventSubject] { [.app(bundleIdentifier: bundleIdentifier)] }
}

/// The beginning of a conversion: an install or a re-engagement that an ad led to.
package struct ConversionStarted: EventDetail {
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
  /// `launch` or `first-update`: what begins the conversion windows.
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

  init(_ members: inout EventReader) throws {
    conversion = try members.record("conversionId", .conversion)
    bundleIdentifier = try members.text("bundleIdentifier")
    type = try members.text("type")
    impression = try members.record("impressionId", .impression)
    runnersUp = try members.records("runnerUpIds", .impression)
    tag = try members.optionalText("conversionTag")
    timing = try members.text("timing")
    windowStart = try members.text("conversionWindowStart")
    windowCount = try members.number("windowCount")
    crowdTiers = try members.json("crowdTiers")
    decision = try members.decision()
  }

  func encode(into event: inout EventWriter) {
    event.member("conversionId", RecordName.conversion(conversion))
    event.member("bundleIdentifier", bundleIdentifier)
    event.member("type", type)
    event.member("impressionId", RecordName.impression(impression))
    event.member("runnerUpIds", json: .array(runnersUp.map { .string(RecordName.impression($0)) }))
    event.member("conversionTag", tag)
    event.member("timing", timing)
    event.member("conversionWindowStart", windowStart)
    event.member("windowCount", windowCount)
    event.member("crowdTiers", json: crowdTiers)
    event.decision(decision)
  }

  static var introduced: IntroducedRecord? { IntroducedRecord(kind: .conversion, isNumbered: false) }
  func subjects(at sequence: Int64) -> [EventSubject] {
    [.conversion(conversion), .app(bundleIdentifier: bundleIdentifier)]
      + ([impression] + runnersUp).map { .impression($0) }
  }
}

/// A call of an app that reports a value, and its effect on one conversion.
package struct ConversionValueReported: EventDetail {
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
    conversion: Int64?, bundleIdentifier: String, framework: AdFramework, sequenceIndex: Int64? = nil, fineValue: Int64? = nil,
    coarseValue: String? = nil, reasons: [Reason] = [], appleError: JSON = .null, decision: RecordedDecision?
  ) {
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

  init(_ members: inout EventReader) throws {
    conversion = try members.optionalRecord("conversionId", .conversion)
    bundleIdentifier = try members.text("bundleIdentifier")
    framework = try members.word("framework")
    sequenceIndex = try members.optionalNumber("sequenceIndex")
    fineValue = try members.optionalNumber("fineValue")
    coarseValue = try members.optionalText("coarseValue")
    reasons = try members.reasons()
    appleError = try members.json("appleError")
    decision = try members.decision()
  }

  func encode(into event: inout EventWriter) {
    event.member("conversionId", conversion.map(RecordName.conversion))
    event.member("bundleIdentifier", bundleIdentifier)
    event.member("framework", framework.rawValue)
    event.member("sequenceIndex", sequenceIndex)
    event.member("fineValue", fineValue)
    event.member("coarseValue", coarseValue)
    event.member("reasons", reasons)
    event.member("appleError", json: appleError)
    event.decision(decision)
  }

  func subjects(at sequence: Int64) -> [EventSubject] {
    (conversion.map { [.conversion($0)] } ?? []) + [.app(bundleIdentifier: bundleIdentifier)]
  }
}
