extension EventKind {
  /// A property of the device was changed.
  package static let deviceChanged = Self("device-changed")
  /// An ad network was registered, or its registration was replaced.
  package static let adNetworkRegistered = Self("ad-network-registered")
  /// An app started to display an ad. The view counts after its end.
  package static let impressionStarted = Self("impression-started")
  /// The device recorded an ad, as a click or as a view.
  package static let impressionRecorded = Self("impression-recorded")
  /// A tap on an ad opened the advertised app.
  package static let impressionTapped = Self("impression-tapped")
  /// An ad, the end of its view, or a tap on it was rejected.
  package static let impressionRejected = Self("impression-rejected")
  /// The device no longer keeps an ad.
  package static let impressionRemoved = Self("impression-removed")
  /// The device requested the signed values of a web ad from its ad network.
  package static let signedPayloadRequested = Self("signed-payload-requested")
}

extension EventType {
  static let device = [
    EventType(.deviceChanged, DeviceChanged.self), EventType(.adNetworkRegistered, AdNetworkRegistered.self),
    EventType(.impressionStarted, ImpressionDecided.self), EventType(.impressionRecorded, ImpressionDecided.self),
    EventType(.impressionTapped, ImpressionTapped.self), EventType(.impressionRejected, ImpressionDecided.self),
    EventType(.impressionRemoved, ImpressionRemoved.self), EventType(.signedPayloadRequested, SignedPayloadRequested.self),
  ]
}

/// A change of the device's properties.
package struct DeviceChanged: BrowserEvent {
  package var kind: EventKind { .deviceChanged }
  /// The properties as the API returns them: a JSON object.
  package let properties: JSON

  package init(properties: JSON) {
    self.properties = properties
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    properties = try members.required("device", event?.properties, .json)
  }
}

/// A registration of an ad network.
package struct AdNetworkRegistered: BrowserEvent {
  package var kind: EventKind { .adNetworkRegistered }
  package let adNetworkIdentifier: String
  package let postbackURL: String

  package init(adNetworkIdentifier: String, postbackURL: String) {
    self.adNetworkIdentifier = adNetworkIdentifier
    self.postbackURL = postbackURL
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    adNetworkIdentifier = try members.required("adNetworkIdentifier", event?.adNetworkIdentifier, .text)
    postbackURL = try members.required("postbackURL", event?.postbackURL, .text)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { [.adNetwork(adNetworkIdentifier)] }
}

/// A decision about an ad: its view started, it was recorded, or it was rejected.
package struct ImpressionDecided: BrowserEvent {
  package let kind: EventKind
  package let impression: Int64
  package let subject: ImpressionSubject
  /// How the user came to the ad; nil for a view that only started, and for a rejected call without one.
  package let interaction: InteractionType?
  /// The notes on an ad that counts, or the reason of a rejection.
  package let reasons: [Reason]
  /// The error that the app receives: a JSON object, or null.
  package let appleError: JSON
  package let decision: RecordedDecision?

  package init(
    _ kind: EventKind, impression: Int64, subject: ImpressionSubject, interaction: InteractionType?, reasons: [Reason],
    appleError: JSON = .null,
    decision: RecordedDecision?
  ) {
    self.kind = kind
    self.impression = impression
    self.subject = subject
    self.interaction = interaction
    self.reasons = reasons
    self.appleError = appleError
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    kind = members.kind
    impression = try members.required("impressionId", event?.impression, .record(.impression))
    subject = try ImpressionSubject(event?.subject, &members)
    interaction = try members.optional("interaction", event?.interaction, .word())
    reasons = try members.reasons(event?.reasons)
    appleError = try members.required("appleError", event?.appleError, .json)
    decision = try members.decision(event?.decision)
  }

  package static var introduced: IntroducedRecord? { IntroducedRecord(kind: .impression) }
  package func subjects(at sequence: Int64) -> [EventSubject] { [.record(.impression, impression)] + subject.subjects }
}

/// A tap on an ad that opened the advertised app, which was installed.
package struct ImpressionTapped: BrowserEvent {
  package var kind: EventKind { .impressionTapped }
  package let ad: ImpressionDecided
  /// The bundle identifier of the advertised app.
  package let openedApp: String
  /// The re-engagement that the tap began; nil if it only opened the app.
  package let conversion: Int64?

  package init(_ ad: ImpressionDecided, openedApp: String, conversion: Int64?) {
    self.ad = ad
    self.openedApp = openedApp
    self.conversion = conversion
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    openedApp = try members.required("openedApp", event?.openedApp, .text)
    conversion = try members.optional("conversionId", event?.conversion, .record(.conversion))
    // It ends with the decision, as every event does.
    ad = try ImpressionDecided(event?.ad, &members)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.impression, ad.impression), .app(bundleIdentifier: openedApp)] + ad.subject.subjects
      + (conversion.map { [.record(.conversion, $0)] } ?? [])
  }

  package var reasons: [Reason] { ad.reasons }
  package var decision: RecordedDecision? { ad.decision }
}

/// The parties of an ad that a call names.
package struct ImpressionSubject: Hashable, Sendable {
  package let framework: AdFramework
  /// The bundle identifier of the source app; nil for a website.
  package let sourceApp: String?
  package let adNetworkIdentifier: String?
  package let advertisedAppStoreItemIdentifier: Int64?

  package init(
    framework: AdFramework, sourceApp: String?, adNetworkIdentifier: String?, advertisedAppStoreItemIdentifier: Int64?
  ) {
    self.framework = framework
    self.sourceApp = sourceApp
    self.adNetworkIdentifier = adNetworkIdentifier
    self.advertisedAppStoreItemIdentifier = advertisedAppStoreItemIdentifier
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    framework = try members.required("framework", event?.framework, .word())
    sourceApp = try members.optional("bundleIdentifier", event?.sourceApp, .text)
    adNetworkIdentifier = try members.optional("adNetworkIdentifier", event?.adNetworkIdentifier, .text)
    advertisedAppStoreItemIdentifier = try members.optional(
      "advertisedAppStoreItemIdentifier", event?.advertisedAppStoreItemIdentifier, .number)
  }

  var subjects: [EventSubject] {
    (sourceApp.map { [.app(bundleIdentifier: $0)] } ?? []) + (adNetworkIdentifier.map { [.adNetwork($0)] } ?? [])
  }
}

/// The end of an ad's time on the device.
package struct ImpressionRemoved: BrowserEvent {
  package var kind: EventKind { .impressionRemoved }
  package let impression: Int64
  package let reasons: [Reason]

  package init(impression: Int64, reasons: [Reason]) {
    self.impression = impression
    self.reasons = reasons
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    impression = try members.required("impressionId", event?.impression, .record(.impression))
    reasons = try members.reasons(event?.reasons)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { [.record(.impression, impression)] }
}

/// A request to an ad network for the signed values of a web ad.
package struct SignedPayloadRequested: BrowserEvent {
  package var kind: EventKind { .signedPayloadRequested }
  package let impression: Int64
  package let url: String
  package let decision: RecordedDecision?

  package init(impression: Int64, url: String, decision: RecordedDecision?) {
    self.impression = impression
    self.url = url
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    impression = try members.required("impressionId", event?.impression, .record(.impression))
    url = try members.required("url", event?.url, .text)
    decision = try members.decision(event?.decision)
  }

  package static var introduced: IntroducedRecord? { IntroducedRecord(kind: .impression) }
  package func subjects(at sequence: Int64) -> [EventSubject] { [.record(.impression, impression)] }
}
