extension EventKind {
  /// A property of the device was changed.
  public static let deviceChanged = Self("device-changed")
  /// An ad network was registered, or its registration was replaced.
  public static let adNetworkRegistered = Self("ad-network-registered")
  /// An app started to display an ad. The view counts after its end.
  public static let impressionStarted = Self("impression-started")
  /// The device recorded an ad, as a click or as a view.
  public static let impressionRecorded = Self("impression-recorded")
  /// A tap on an ad opened the advertised app.
  public static let impressionTapped = Self("impression-tapped")
  /// An ad, the end of its view, or a tap on it was rejected.
  public static let impressionRejected = Self("impression-rejected")
  /// The device no longer keeps an ad.
  public static let impressionRemoved = Self("impression-removed")
  /// The device requested the signed values of a web ad from its ad network.
  public static let signedPayloadRequested = Self("signed-payload-requested")
}

/// A change of the device's properties.
package struct DeviceChanged: EventDetail {
  /// The properties as the API returns them: a JSON object.
  package let properties: JSON

  package init(properties: JSON) {
    self.properties = properties
  }

  init(_ members: inout EventReader) throws {
    properties = try members.json("device")
  }

  func encode(into event: inout EventWriter) {
    event.member("device", json: properties)
  }
}

/// A registration of an ad network.
package struct AdNetworkRegistered: EventDetail {
  package let adNetworkIdentifier: String
  package let postbackURL: String

  package init(adNetworkIdentifier: String, postbackURL: String) {
    self.adNetworkIdentifier = adNetworkIdentifier
    self.postbackURL = postbackURL
  }

  init(_ members: inout EventReader) throws {
    adNetworkIdentifier = try members.text("adNetworkIdentifier")
    postbackURL = try members.text("postbackURL")
  }

  func encode(into event: inout EventWriter) {
    event.member("adNetworkIdentifier", adNetworkIdentifier)
    event.member("postbackURL", postbackURL)
  }

  func subjects(at sequence: Int64) -> [EventSubject] { [.adNetwork(adNetworkIdentifier)] }
}

/// A decision about an ad: its view started, it was recorded, or it was rejected.
package struct ImpressionDecided: EventDetail {
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
    impression: Int64, subject: ImpressionSubject, interaction: InteractionType?, reasons: [Reason], appleError: JSON = .null,
    decision: RecordedDecision?
  ) {
    self.impression = impression
    self.subject = subject
    self.interaction = interaction
    self.reasons = reasons
    self.appleError = appleError
    self.decision = decision
  }

  init(_ members: inout EventReader) throws {
    impression = try members.record("impressionId", .impression)
    subject = try ImpressionSubject(&members)
    interaction = try members.optionalWord("interaction")
    reasons = try members.reasons()
    appleError = try members.json("appleError")
    decision = try members.decision()
  }

  func encode(into event: inout EventWriter) {
    event.member("impressionId", RecordName.impression(impression))
    subject.encode(into: &event)
    event.member("interaction", interaction?.rawValue)
    event.member("reasons", reasons)
    event.member("appleError", json: appleError)
    event.decision(decision)
  }

  static var introduced: IntroducedRecord? { IntroducedRecord(kind: .impression) }
  func subjects(at sequence: Int64) -> [EventSubject] { [.impression(impression)] + subject.subjects }
}

/// A tap on an ad that opened the advertised app, which was installed.
package struct ImpressionTapped: EventDetail {
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

  init(_ members: inout EventReader) throws {
    ad = try ImpressionDecided(&members)
    openedApp = try members.text("openedApp")
    conversion = try members.optionalRecord("conversionId", .conversion)
  }

  func encode(into event: inout EventWriter) {
    event.member("openedApp", openedApp)
    event.member("conversionId", conversion.map(RecordName.conversion))
    // It ends with the decision, as every detail does.
    ad.encode(into: &event)
  }

  func subjects(at sequence: Int64) -> [EventSubject] {
    [.impression(ad.impression), .app(bundleIdentifier: openedApp)] + ad.subject.subjects
      + (conversion.map { [.conversion($0)] } ?? [])
  }

  package var reasons: [Reason] { ad.reasons }
  package var decision: RecordedDecision? { ad.decision }
}

/// The parties of an ad, as far as a call names them.
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

  init(_ members: inout EventReader) throws {
    framework = try members.word("framework")
    sourceApp = try members.optionalText("bundleIdentifier")
    adNetworkIdentifier = try members.optionalText("adNetworkIdentifier")
    advertisedAppStoreItemIdentifier = try members.optionalNumber("advertisedAppStoreItemIdentifier")
  }

  func encode(into event: inout EventWriter) {
    event.member("framework", framework.rawValue)
    event.member("bundleIdentifier", sourceApp)
    event.member("adNetworkIdentifier", adNetworkIdentifier)
    event.member("advertisedAppStoreItemIdentifier", advertisedAppStoreItemIdentifier)
  }

  var subjects: [EventSubject] {
    (sourceApp.map { [.app(bundleIdentifier: $0)] } ?? []) + (adNetworkIdentifier.map { [.adNetwork($0)] } ?? [])
  }
}

/// The end of an ad's time on the device.
package struct ImpressionRemoved: EventDetail {
  package let impression: Int64
  package let reasons: [Reason]

  package init(impression: Int64, reasons: [Reason]) {
    self.impression = impression
    self.reasons = reasons
  }

  init(_ members: inout EventReader) throws {
    impression = try members.record("impressionId", .impression)
    reasons = try members.reasons()
  }

  func encode(into event: inout EventWriter) {
    event.member("impressionId", RecordName.impression(impression))
    event.member("reasons", reasons)
  }

  func subjects(at sequence: Int64) -> [EventSubject] { [.impression(impression)] }
}

/// A request to an ad network for the signed values of a web ad.
package struct SignedPayloadRequested: EventDetail {
  package let impression: Int64
  package let url: String
  package let decision: RecordedDecision?

  package init(impression: Int64, url: String, decision: RecordedDecision?) {
    self.impression = impression
    self.url = url
    self.decision = decision
  }

  init(_ members: inout EventReader) throws {
    impression = try members.record("impressionId", .impression)
    url = try members.text("url")
    decision = try members.decision()
  }

  func encode(into event: inout EventWriter) {
    event.member("impressionId", RecordName.impression(impression))
    event.member("url", url)
    event.decision(decision)
  }

  static var introduced: IntroducedRecord? { IntroducedRecord(kind: .impression) }
  func subjects(at sequence: Int64) -> [EventSubject] { [.impression(impression)] }
}
