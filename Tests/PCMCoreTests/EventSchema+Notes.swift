import PCMCore

extension EventSchema {
  /// The description of a member, with keywords that its type does not determine.
  struct Note {
    let text: String
    let keywords: [JSON.Member]

    init(_ text: String, _ keywords: [JSON.Member] = []) {
      self.text = text
      self.keywords = keywords
    }
  }

  static let kinds: [EventKind: String] = [
    .appRegistered: "An app was registered, or its registration was replaced.",
    .clickStored: "A click was stored.",
    .ephemeralClickStored: "A click was kept as the ephemeral click.",
    .clickDiscarded: "A click was discarded.",
    .clickHandedOver: "A click on a link to the App Store was handed over to the device as a web ad of SKAdNetwork.",
    .clickReplaced: "A newer click replaced a click.",
    .clickExpired: "A click expired without an attribution.",
    .clickConsumedByLowerPriority:
      "A triggering event consumed a click without changing a report, because the existing report has a higher priority.",
    .triggerIgnored: "A request or redirect of a page resembled a triggering event, but was none.",
    .triggerRejected: "A triggering event was rejected.",
    .triggerAccepted: "A triggering event was accepted. A later event has its outcome.",
    .triggerUnmatched: "A triggering event changed no report.",
    .attributed: "A click was attributed to a triggering event.",
    .attributionReplaced: "A better click or triggering event replaced an attribution.",
    .pageAttached: "The pages of a real browser are observed.",
    .pageClickDropped: "A click in a real browser, or a request of its pages, was not measured.",
    .attachmentLost: "The real browser whose pages were observed went away.",
    .reportScheduled: "A report was scheduled.",
    .reportSent: "The browser started to send a report.",
    .reportDelivered: "An endpoint accepted a report.",
    .reportFailed: "A report was not delivered and will not be sent again.",
    .reportRetryScheduled: "A report was not delivered and will be sent again.",
    .tokenRequested: "The browser sent a request for a token, or for the keys of a report's tokens.",
    .tokenStored: "A signed token was stored.",
    .tokenFailed: "An exchange ended without a token.",
    .dataCleared: "Measured data was removed.",
    .clockAdvanced: "A manual clock was advanced.",
    .clockSetBack: "The machine's clock was set back, and the browser's clock stands still until it has caught up.",
    .settingsChanged: "A setting was changed.",
    .logTrimmed: "The oldest events were removed from the log.",
  ].merging(deviceKinds) { $1 }

  /// The descriptions of the details, by the name of their type or form.
  static let types: [String: String] = [
    "AppRegistered": "A registered app and the findings in its manifest.",
    "ClickStored": "A stored or ephemeral click.",
    "ClickDiscarded": "A click that was discarded or handed over.",
    "ClickReplaced": "A replaced click and its successor.",
    "ClickExpired": "An expired click.",
    "ClickConsumed": "A click that a triggering event consumed without an attribution.",
    "TriggerRejected": "A redirect that is not a triggering event, or a rejected triggering event.",
    "RequestedTrigger": "The trigger and the sites of a triggering event.",
    "TriggerUnmatched": "A triggering event that changed no report.",
    "Attributed": "An attribution with its click, trigger, and reports.",
    "AttributionReplaced": "A replaced attribution, its reports, which are not sent, and the newer triggering event.",
    "PageObserved": "What the observer of a real browser noticed.",
    "ReportScheduled": "A scheduled report.",
    "ReportSent": "An attempt to send a report.",
    "ReportFinished": "The result of an attempt to send a report.",
    "TokenRequested": "A request for a token, or for the keys of a report's tokens.",
    "TokenRequestedKey": "A request for the key of a site that signs tokens.",
    "TokenRequestedSignature": "A request for the signature of a token.",
    "TokenRequestedReportKeys": "Requests for the keys of a report's tokens, before the report is sent.",
    "TokenStored": "A signed token.",
    "TokenFailed": "An exchange without a token.",
    "DataCleared": "The cleared data.",
    "ClockAdvanced": "The move of a clock.",
    "ClockSetBack": "The time of the machine's clock.",
    "BrowserSettings": "All settings after the change.",
    "LogTrimmed": "The range of removed events.",
  ].merging(deviceTypes) { $1 }

  /// The descriptions of the members, by `member` or, where it has another meaning in a form, by `Form.member`.
  static let notes: [String: Note] = sites.merging(records) { $1 }.merging(reports) { $1 }.merging(others) { $1 }
    .merging(deviceNotes) { $1 }

  private static let sites: [String: Note] = [
    "bundleIdentifier": Note("The bundle identifier of the app."),
    "sourceSite": Note("The registrable domain of the source."),
    "destinationSite": Note("The registrable domain of the destination."),
    "ClickDiscarded.destinationSite": Note("The registrable domain of the destination; null when it is not a URL."),
    "landingSite": Note(
      "The registrable domain of the page to which the link led; absent when it is not known, and when it is the destination."),
    "firstPartySite": Note("The registrable domain of the page; null for a page without one."),
    "TriggerRejected.sourceSite": Note("The registrable domain of the source; present with `data`."),
    "TriggerRejected.destinationSite": Note("The registrable domain of the destination; present with `data`."),
    "PageObserved.destinationSite": Note("The registrable domain of the link's destination; absent when it has none."),
    "href": Note("The link, or the URL that was requested; only for a dropped click."),
    "pageURL": Note("The top page with the link; only for a dropped click."),
    "text": Note("A sentence for people, without a period."),
    "code": Note("Why the click was not measured; only for a dropped click."),
    "site": Note("The registrable domain whose data was cleared; null when all data was cleared."),
  ]

  private static let records: [String: Note] = [
    "clickId": Note("The click."),
    "TriggerUnmatched.clickId": Note("The ephemeral click that the triggering event removed; absent when there was none."),
    "TokenRequestedKey.clickId": waitingClick, "TokenRequestedSignature.clickId": waitingClick,
    "TokenStored.clickId": waitingClick, "TokenFailed.clickId": waitingClick,
    "via": Note("The origin of the click."),
    "sourceIdentifier": Note("The identifier of the ad, 0 to 255."),
    "expiresAt": Note("The time at which the click becomes seven days old."),
    "expiredAt": Note("The time at which the click became seven days old."),
    "successorId": Note("The click that replaced it."),
    "attributionId": Note("The attribution."),
    "triggeringEventId": Note("The accepted triggering event; null when the log does not contain its acceptance."),
    "TriggerUnmatched.triggeringEventId": Note(
      "The accepted triggering event; null when the ephemeral click ended it before it was accepted."),
    "data": Note("The trigger data, 0 to 15.", data),
    "TriggerRejected.data": Note("The trigger data, 0 to 15; absent when the trigger URL could not be read.", data),
    "triggerData": Note("The trigger data, 0 to 15.", data),
    "priority": Note("The priority, 0 to 63.", priority),
    "TriggerRejected.priority": Note("The priority, 0 to 63; present with `data`.", priority),
    "reasons": Note("The reasons. The first one decided."),
    "ClickStored.reasons": Note("Notes about the click; usually empty."),
    "Attributed.reasons": Note("Notes about the triggering event; absent when there are none."),
    "observed": Note("What an observer of the page saw; absent when the caller did not say it."),
  ]

  private static let waitingClick = Note("The click that waits for the token; absent for a triggering event.")
  private static let data: [JSON.Member] = [.init("minimum", 0), .init("maximum", 15)]
  private static let priority: [JSON.Member] = [.init("minimum", 0), .init("maximum", 63)]
  private static let count: [JSON.Member] = [.init("minimum", 0)]
  private static let number: [JSON.Member] = [.init("minimum", 1)]

  private static let reports: [String: Note] = [
    "reportId": Note("The report."),
    "reportIds": Note("The reports that are not sent."),
    "sourceReportId": Note("The source's report; null when there is none."),
    "destinationReportId": Note("The destination's report; null when there is none."),
    "recipient": Note("The recipient of the report."),
    "TokenRequestedKey.recipient": signer, "TokenRequestedSignature.recipient": signer, "TokenStored.recipient": signer,
    "TokenFailed.recipient": signer,
    "url": Note("The URL of the request."),
    "urls": Note("The URLs from which the keys of the report's tokens are fetched."),
    "dueAt": Note("The time at which the report is due; in debug mode, the time at which it leaves."),
    "attempt": Note("The number of the attempt; the first is 1.", number),
    "httpStatus": Note(
      "The status of the response; null when none arrived.", [.init("minimum", 100), .init("maximum", 999)]),
    "forwardedTo": Note("The address that received the request without TLS (`--forward-to`); absent for any other request."),
    "retryAt": Note("The time of the retry; absent when there is none."),
    "ReportFinished.reasons": Note("The reasons of the failure; absent for a delivered report."),
  ]

  private static let signer = Note("The recipient whose site signs the token.")

  private static let others: [String: Note] = [
    "requestSequence": Note("The number of the event that started the exchange.", number),
    "step": Note("The step of the exchange."),
    "keyId": Note(
      "The name of the key: SHA-256 of its bytes in base64url.", [.init("pattern", "^[A-Za-z0-9_-]{43}$")]),
    "change": Note("The change that avoids the failure."),
    "reportEndpoint": Note("The report endpoint as in the manifest; null when it has none."),
    "findings": Note(
      "The findings in the manifest.",
      [.init("type", "array"), .init("items", ["$ref": "#/components/schemas/ManifestFinding"])]),
    "clickCount": Note("The number of removed clicks.", count),
    "attributionCount": Note("The number of removed attributions.", count),
    "reportCount": Note("The number of cleared reports.", count),
    "impressionCount": Note("The number of removed ads of the device.", count),
    "installedAppCount": Note("The number of removed installed apps.", count),
    "postbackCount": Note("The number of cleared postbacks.", count),
    "from": Note("The time before the move."),
    "to": Note("The time after the move."),
    "machineTime": Note("The machine's time after its clock was set back."),
    "measurementEnabled": Note("Whether clicks and triggering events are measured."),
    "privateBrowsing": Note("Whether the session is private."),
    "debugMode": Note("Whether reports leave after ten seconds."),
    "deliveryPolicy": Note("How often a report is sent."),
    "reportURL": Note("The URL of the source's report."),
    "logRetention": Note("The retention of the event log."),
    "eventCount": Note("The number of removed events.", number),
    "firstSequence": Note("The number of the oldest removed event.", number),
    "lastSequence": Note("The number of the newest removed event.", number),
  ]
}
