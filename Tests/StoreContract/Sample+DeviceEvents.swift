package import PCMCore

extension Sample {
  /// One event of each kind that a device has.
  package static let deviceEvents: [any BrowserEvent] = {
    let reason = Reason("a-code", "a \"detail\"\nof two lines: ä 🎯")
    let decision = RecordedDecision(
      rules: rules, inputs: [.init("dueAt", .null), .init("seen", .bool(true))], failed: "a-rule", change: "wait")
    let ad = ImpressionSubject(
      framework: .skadnetwork, sourceApp: "com.example.news", adNetworkIdentifier: "example123.skadnetwork",
      advertisedAppStoreItemIdentifier: 525_463_029)
    let webAd = ImpressionSubject(
      framework: .skadnetwork, sourceApp: nil, adNetworkIdentifier: nil, advertisedAppStoreItemIdentifier: nil)
    let error: JSON = ["domain": "SKANError", "name": "unknown", "number": 10]
    return [
      DeviceChanged(properties: ["developerModeSince": .null, "systemVersion": "18.6"]),
      AdNetworkRegistered(adNetworkIdentifier: "example123.skadnetwork", postbackURL: "https://ads.example/"),
      ImpressionDecided(.impressionStarted, impression: 30, subject: ad, interaction: nil, reasons: [], decision: decision),
      ImpressionDecided(
        .impressionRecorded, impression: 31, subject: ad, interaction: .click, reasons: [reason], decision: nil),
      ImpressionTapped(
        ImpressionDecided(
          .impressionTapped, impression: 38, subject: ad, interaction: .click, reasons: [reason], decision: decision),
        openedApp: "com.example.shop", conversion: 39),
      ImpressionTapped(
        ImpressionDecided(.impressionTapped, impression: 41, subject: ad, interaction: .click, reasons: [], decision: nil),
        openedApp: "com.example.shop", conversion: nil),
      ImpressionDecided(
        .impressionRejected,
        impression: 32, subject: webAd, interaction: nil, reasons: [reason], appleError: error, decision: decision),
      ImpressionRemoved(impression: 31, reasons: [reason]),
      SignedPayloadRequested(impression: 33, url: "https://ads.example/payload", decision: decision),
      AppInstalled(
        bundleIdentifier: "com.example.shop", itemIdentifier: 525_463_029, isRedownload: true,
        marketplace: "com.apple.AppStore", country: "US", conversion: 35),
      AppInstalled(
        bundleIdentifier: "com.example.silent", itemIdentifier: nil, isRedownload: false, marketplace: "com.example.market",
        country: nil, conversion: nil, reasons: [reason]),
      ImpressionCompared(
        impression: 31, install: 34, bundleIdentifier: "com.example.shop", conversion: 35, outcome: "lost", place: 2,
        standing: "it is a click", reasons: [reason], decision: decision),
      AppLaunched(bundleIdentifier: "com.example.shop"),
    ] + conversionEvents(reason, error, decision) + cardEvents(reason, decision) + trackingEvents(reason, decision)
  }()

  private static func cardEvents(_ reason: Reason, _ decision: RecordedDecision) -> [any BrowserEvent] {
    let click = CardAttribution(
      EventAttributionInput.self, record: RecordName.click(50), outcome: "discarded", reasons: [reason])
    return [
      CardReceived(
        card: 51, bundleIdentifier: "com.example.news", idString: "a \"card\"", classType: "pcm_ad", reasons: [],
        decision: decision),
      CardReceived(
        card: 52, bundleIdentifier: "com.example.news", idString: nil, classType: nil, reasons: [reason], decision: decision),
      CardRemoved(card: 52, bundleIdentifier: "com.example.news"),
      CardDecided(
        .cardCounted, card: 51, bundleIdentifier: "com.example.news", action: .click, openedURL: "https://shop.example/",
        attribution: click, decision: decision),
      CardDecided(
        .cardCounted, card: 51, bundleIdentifier: "com.example.news", action: .controlImpression,
        attribution: CardAttribution(invalid: reason), decision: decision),
      CardDecided(
        .cardRejected, card: 51, bundleIdentifier: "com.example.news", action: .dismissal, reasons: [reason],
        decision: decision),
    ]
  }

  private static func conversionEvents(_ reason: Reason, _ error: JSON, _ decision: RecordedDecision) -> [any BrowserEvent] {
    func finished(_ kind: EventKind) -> PostbackFinished {
      PostbackFinished(
        kind, record: 40, recipient: .adNetwork, attempt: 2, httpStatus: nil, forwardedTo: "127.0.0.1:8000", retryAt: noon,
        reasons: [reason], decision: decision)
    }
    return [
      ConversionStarted(
        conversion: 35, bundleIdentifier: "com.example.shop", type: "re-engagement", impression: 31, runnersUp: [36, 37],
        tag: "a tag", timing: "production", windowStart: "first-update", windowCount: 3, crowdTiers: ["twoDigits": 3],
        decision: decision),
      ConversionValueReported(
        .conversionValueAccepted,
        conversion: 35, bundleIdentifier: "com.example.shop", framework: .adattributionkit, sequenceIndex: 1, fineValue: 63,
        coarseValue: "high", decision: decision),
      ConversionValueReported(
        .conversionValueRejected,
        conversion: nil, bundleIdentifier: "com.example.shop", framework: .skadnetwork, reasons: [reason], appleError: error,
        decision: nil),
      PostbackScheduled(
        scheduled, omissions: [PostbackOmission(.conversionValue, reason, change: "a change")]),
      PostbackDropped(conversion: 35, impression: 31, sequenceIndex: 2, reasons: [reason], change: "another tier"),
      PostbackDropped(conversion: 35, impression: nil, sequenceIndex: 1, reasons: [reason], change: nil),
      PostbackSent(postback: 40, recipient: .developer, url: "https://shop.example/", attempt: 3),
      PostbackFinished(
        .postbackDelivered,
        record: 40, recipient: .developer, attempt: 1, httpStatus: 200, retryAt: nil, reasons: [], decision: nil),
      finished(.postbackFailed), finished(.postbackRetryScheduled),
    ]
  }

  private static let scheduled = Postback(
    id: 40, conversion: 35, impression: 31, framework: .skadnetwork, sequenceIndex: 2, didWin: true, recipient: .adNetwork,
    adNetworkIdentifier: "example123.skadnetwork", bundleIdentifier: "com.example.shop", url: "https://ads.example/",
    body: "{}", message: OutgoingMessage(dueAt: noon + .hours(30)))
}
