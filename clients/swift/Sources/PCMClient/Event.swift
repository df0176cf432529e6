public import Foundation

/// An event in a browser's log.
///
/// ```swift
/// for event in try await browser.events() where event.kind == .reportDelivered {
///   print(event)  // 8  2026-11-21T16:07:12.317Z  report-delivered  attempt 1, …
/// }
/// ```
public struct Event: Hashable, Sendable, Decodable {
  /// The sequence number, starting with 1.
  public let sequence: Int
  /// The time on the browser's clock.
  public let at: Date
  /// The kind of event.
  public let kind: Kind
  /// The details. The members depend on the kind.
  public let detail: JSONValue

  /// The kind of an event.
  public struct Kind: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension Event: CustomStringConvertible {
  /// One line: `12  2026-11-20T10:00:00.000Z  click-stored  clickId click-12, …`
  public var description: String {
    let detail = detail.description
    return "\(sequence)  \(at.wire)  \(kind)" + (detail.isEmpty ? "" : "  \(detail)")
  }
}

// Events of a browser.
extension Event.Kind {
  /// An app was registered, or its registration was replaced.
  public static let appRegistered = Self("app-registered")
  /// Measurement data was removed.
  public static let dataCleared = Self("data-cleared")
  /// A manual clock was advanced.
  public static let clockAdvanced = Self("clock-advanced")
  /// The machine's clock was set back, and the browser's clock stands still until it has caught up.
  public static let clockSetBack = Self("clock-set-back")
  /// A setting was changed.
  public static let settingsChanged = Self("settings-changed")
  /// Old events were removed from the log.
  public static let logTrimmed = Self("log-trimmed")
}

// Events about clicks.
extension Event.Kind {
  /// A click was stored.
  public static let clickStored = Self("click-stored")
  /// A click was kept as the ephemeral click.
  public static let clickHeld = Self("click-held")
  /// A click was discarded.
  public static let clickDiscarded = Self("click-discarded")
  /// A click on a link to the App Store was handed over to the device as a web ad.
  public static let clickHandedOver = Self("click-handed-over")
  /// A newer click replaced a click.
  public static let clickReplaced = Self("click-replaced")
  /// A click expired.
  public static let clickExpired = Self("click-expired")
}

// Events about the pages of a real browser.
extension Event.Kind {
  /// The pages of a real browser are observed.
  public static let pageAttached = Self("page-attached")
  /// A click in a real browser, or a request of its pages, was not measured.
  public static let pageClickDropped = Self("page-click-dropped")
  /// The real browser whose pages were observed went away.
  public static let attachmentLost = Self("attachment-lost")
}

// Events about triggering events.
extension Event.Kind {
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
  /// A triggering event of higher priority replaced an earlier triggering event.
  public static let attributionReplaced = Self("attribution-replaced")
  /// A triggering event consumed a click, but its priority was too low.
  public static let clickConsumedByLowerPriority = Self("click-consumed-by-lower-priority")
}

// Events about reports.
extension Event.Kind {
  /// A report was scheduled.
  public static let reportScheduled = Self("report-scheduled")
  /// The browser started to send a report.
  public static let reportSent = Self("report-sent")
  /// An endpoint accepted a report.
  public static let reportDelivered = Self("report-delivered")
  /// A report was not delivered and will not be sent again.
  public static let reportFailed = Self("report-failed")
  /// A report was not delivered and will be sent again.
  public static let reportRetryScheduled = Self("report-retry-scheduled")
}

// Events about tokens.
extension Event.Kind {
  /// The browser requested a signature for a token.
  public static let tokenRequested = Self("token-requested")
  /// A signed token was stored.
  public static let tokenStored = Self("token-stored")
  /// The browser could not get a signed token.
  public static let tokenFailed = Self("token-failed")
}

// Events about a device and its ads.
extension Event.Kind {
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

// Events about installs and conversions.
extension Event.Kind {
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

// Events about postbacks.
extension Event.Kind {
  /// A postback was scheduled.
  public static let postbackScheduled = Self("postback-scheduled")
  /// A window of a conversion ended without a postback, or without the postback of one ad network.
  public static let postbackDropped = Self("postback-dropped")
  /// The device started to send a postback.
  public static let postbackSent = Self("postback-sent")
  /// A recipient accepted a postback.
  public static let postbackDelivered = Self("postback-delivered")
  /// A postback was not delivered and will not be sent again.
  public static let postbackFailed = Self("postback-failed")
  /// A postback was not delivered and will be sent again.
  public static let postbackRetryScheduled = Self("postback-retry-scheduled")
}

// Events about content cards.
extension Event.Kind {
  /// An app received a content card.
  public static let cardReceived = Self("card-received")
  /// A newer feed of an app lacks a content card.
  public static let cardRemoved = Self("card-removed")
  /// An impression, a click, or a dismissal of a content card was counted.
  public static let cardCounted = Self("card-counted")
  /// An impression, a click, or a dismissal of a content card was not counted.
  public static let cardRejected = Self("card-rejected")
}

// Events about permission to track, and of measurement SDKs.
extension Event.Kind {
  /// An app asked for permission to track.
  public static let trackingRequested = Self("tracking-requested")
  /// The user answered the prompt for permission to track.
  public static let trackingAnswered = Self("tracking-answered")
  /// The user changed tracking in the settings.
  public static let trackingChanged = Self("tracking-changed")
  /// An answer or a change in the settings has no effect.
  public static let trackingRejected = Self("tracking-rejected")
  /// An event of a measurement SDK waits for the user's answer.
  public static let sdkEventHeld = Self("sdk-event-held")
  /// A measurement SDK recorded a request.
  public static let sdkRequestRecorded = Self("sdk-request-recorded")
  /// An endpoint accepted a request of a measurement SDK.
  public static let sdkRequestDelivered = Self("sdk-request-delivered")
  /// A request of a measurement SDK was not delivered.
  public static let sdkRequestFailed = Self("sdk-request-failed")
}
