/// A change of the device's properties.
package struct DeviceChanged: Hashable, Sendable {
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
package struct AdNetworkRegistered: Hashable, Sendable {
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
}

/// A decision about an ad: its view started, it was recorded, or it was rejected.
package struct ImpressionDecided: Hashable, Sendable {
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
}

/// A tap on an ad that opened the advertised app, which was installed.
package struct ImpressionTapped: Hashable, Sendable {
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
}

/// The end of an ad's time on the device.
package struct ImpressionRemoved: Hashable, Sendable {
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
}

/// A request to an ad network for the signed values of a web ad.
package struct SignedPayloadRequested: Hashable, Sendable {
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
}
