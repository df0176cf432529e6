import PCMCore

// The descriptions of the events of a device.

extension EventSchema {
  static let deviceKinds: [EventKind: String] = [
    .deviceChanged: "A property of the device was changed.",
    .adNetworkRegistered: "An ad network was registered, or its registration was replaced.",
    .impressionStarted: "An app started to display an ad. The view counts after its end.",
    .impressionTapped: "A tap on an ad opened the advertised app, which was installed.",
    .impressionRecorded: "The device recorded an ad, as a click or as a view.",
    .impressionRejected: "An ad, the end of its view, or a tap on it was rejected.",
    .impressionRemoved: "The device no longer keeps an ad.",
    .signedPayloadRequested: "The device requested the signed values of a web ad from its ad network.",
    .appInstalled: "An app was installed.",
    .impressionCompared: "An install was compared with an ad that the device kept.",
    .appLaunched: "An app was launched.",
    .conversionStarted: "A conversion began: an install or a re-engagement that an ad led to.",
    .conversionValueAccepted: "A reported conversion value counts.",
    .conversionValueRejected: "A reported conversion value has no effect.",
    .postbackScheduled: "A postback was scheduled.",
    .postbackDropped: "A window of a conversion ended without a postback, or without the postback of one ad network.",
    .postbackSent: "The device started to send a postback.",
    .postbackDelivered: "A recipient accepted a postback.",
    .postbackFailed: "A postback was not delivered and will not be sent again.",
    .postbackRetryScheduled: "A postback was not delivered and will be sent again.",
    .cardReceived: "An app received a content card, or received it again with other values.",
    .cardRemoved: "A newer feed of an app lacks a content card.",
    .cardCounted: "An impression, a click, or a dismissal of a content card was counted.",
    .cardRejected: "An impression, a click, or a dismissal of a content card was not counted.",
  ].merging(trackingKinds) { $1 }

  static let deviceTypes: [String: String] = [
    "DeviceChanged": "All properties after the change.",
    "AdNetworkRegistered": "A registered ad network.",
    "ImpressionDecided": "A decision about an ad.",
    "ImpressionTapped": "A tap that opened the advertised app.",
    "ImpressionRemoved": "An ad that the device no longer keeps.",
    "SignedPayloadRequested": "A request for the signed values of a web ad.",
    "AppInstalled": "An installed app.",
    "ImpressionCompared": "The outcome of an install for one ad.",
    "AppLaunched": "A launched app.",
    "ConversionStarted": "A conversion with its ads.",
    "ConversionValueReported": "A call that reports a value, and its effect on one conversion.",
    "PostbackScheduled": "A scheduled postback.",
    "PostbackDropped": "A window without a postback.",
    "PostbackSent": "An attempt to send a postback.",
    "PostbackFinished": "The result of an attempt to send a postback.",
    "CardReceived": "A content card, and whether the app shows it.",
    "CardRemoved": "A removed content card.",
    "CardDecided": "A decision about an impression, a click, or a dismissal of a content card.",
  ].merging(trackingTypes) { $1 }

  static let deviceNotes: [String: Note] = parties.merging(ads) { $1 }.merging(conversions) { $1 }.merging(postbacks) { $1 }
    .merging(cards) { $1 }.merging(tracking) { $1 }

  private static let cards: [String: Note] = [
    "cardId": Note("The card."),
    "idString": Note("The card's ID in the SDK; null when the card lacks it."),
    "classType": Note("The name of the card's class in the app; null for an unknown class."),
    "action": Note("What the app logged about the card."),
    "openedURL": Note("The URL that a counted click opens; null otherwise."),
    "attribution": Note("What attribution made of it; null for a card without an ad that it concerns."),
    "CardReceived.reasons": Note("Why the app drops the card, or notes on a card that it shows."),
    "CardDecided.reasons": Note("Why it was not counted; empty when it was."),
  ]

  private static let parties: [String: Note] = [
    "device": Note("The properties of the device.", [.init("$ref", "#/components/schemas/Device")]),
    "adNetworkIdentifier": Note("The identifier of the ad network."),
    "ImpressionDecided.adNetworkIdentifier": Note("The identifier of the ad network; null when the call does not name it."),
    "postbackURL": Note("The URL at which the ad network receives postbacks."),
    "framework": Note("The framework of the ad."),
    "ConversionValueReported.framework": Note("The framework whose call the app made."),
    "ImpressionDecided.bundleIdentifier": Note("The bundle identifier of the app that displays the ad; null for a website."),
    "advertisedAppStoreItemIdentifier": Note(
      "The identifier of the advertised app in the App Store; null when the call does not name it."),
    "itemIdentifier": Note("The identifier of the app in the App Store; null when it is unknown."),
    "marketplace": Note("The bundle identifier of the marketplace."),
    "country": Note("The country of the install, two letters; null when it is unknown."),
  ]

  private static let ads: [String: Note] = [
    "impressionId": Note("The ad."),
    "PostbackDropped.impressionId": Note("The ad whose network receives nothing; null when no network does."),
    "interaction": Note("What the user did with the ad; null for a view that only started, and for a rejected call."),
    "ImpressionDecided.reasons": Note("The reasons of a rejection, or notes about an ad that counts."),
    "appleError": Note(
      "The error that the app receives; null when it receives none.",
      [.init("anyOf", [["$ref": "#/components/schemas/AppleError"], ["type": "null"]])]),
    "SignedPayloadRequested.url": Note("The URL at the ad network's domain."),
    "ImpressionTapped.reasons": Note("Why the tap is no re-engagement, or notes about one that is."),
    "openedApp": Note("The bundle identifier of the advertised app."),
    "outcome": Note("`won`, `runner-up`, `lost`, or `not-considered`."),
    "place": Note("The place of the ad, 1 for the winner; null when it was not considered.", number),
    "standing": Note(
      "Why the ad has its place before the next one; null for the last of several, and for one that was not considered."),
    "ImpressionCompared.reasons": Note("The reasons why the ad has no postback; empty when it has one."),
  ]

  private static let conversions: [String: Note] = [
    "installId": Note("The install."),
    "conversionId": Note("The conversion."),
    "AppInstalled.reasons": Note("Why no ad led to the install; empty when one did."),
    "ImpressionTapped.conversionId": Note("The re-engagement that the tap began; null when it only opened the app."),
    "AppInstalled.conversionId": beginning, "ImpressionCompared.conversionId": beginning,
    "ConversionValueReported.conversionId": Note("The conversion; null for a call that concerns none."),
    "redownload": Note("Whether the account had the app before."),
    "type": Note("`download`, `redownload`, or `re-engagement`."),
    "ConversionStarted.impressionId": Note("The ad that led to the conversion."),
    "runnerUpIds": Note("The ads of other networks that receive a postback, too."),
    "conversionTag": Note("The tag of a re-engagement, or of a conversion that a developer created; null without one."),
    "timing": Note("`production`, `developer-mode`, or `testing-profile`."),
    "conversionWindowStart": Note("What begins the conversion windows: `launch` or `first-update`."),
    "windowCount": Note(
      "The number of conversion windows; 0 for a conversion with a timer.", [.init("minimum", 0), .init("maximum", 3)]),
    "crowdTiers": Note(
      "The postback data tiers.",
      [.init("$ref", "#/components/schemas/CrowdTiers")]),
    "sequenceIndex": Note("The number of the conversion window, 0 to 2.", window),
    "ConversionValueReported.sequenceIndex": Note(
      "The number of the conversion window, 0 to 2; null for a call without effect.", window),
    "fineValue": Note("The fine value of the window after the call; null when it has none.", fineValue),
    "coarseValue": Note("The coarse value of the window after the call; null when it has none."),
    "ConversionValueReported.reasons": Note("The reasons of a rejection; for a value that counts, what the window ignores."),
  ]

  private static let beginning = Note("The conversion that the install began; null when no ad led to the install.")
  private static let window: [JSON.Member] = [.init("minimum", 0), .init("maximum", 2)]
  private static let fineValue: [JSON.Member] = [.init("minimum", 0), .init("maximum", 63)]
  private static let number: [JSON.Member] = [.init("minimum", 1)]

  private static let postbacks: [String: Note] = [
    "postbackId": Note("The postback."),
    "PostbackScheduled.impressionId": Note("The ad for which the network receives the postback."),
    "PostbackScheduled.recipient": postbackRecipient, "PostbackSent.recipient": postbackRecipient,
    "PostbackFinished.recipient": postbackRecipient,
    "PostbackScheduled.url": Note("The URL of the postback."),
    "PostbackScheduled.dueAt": Note("The time at which the postback is due."),
    "omissions": Note("What the postback lacks because of the crowd, the version, or a missing value."),
    "PostbackDropped.reasons": Note("The reasons why there is no postback."),
    "PostbackDropped.change": Note("The smallest change with which the postback would exist; null when there is none."),
    "PostbackFinished.reasons": Note("The reasons of the failure; absent for a delivered postback."),
  ]

  private static let postbackRecipient = Note("The recipient of the postback.")
}
