import PCMCore

// The descriptions of the events about tracking.

extension EventSchema {
  static let trackingKinds: [EventKind: String] = [
    .trackingRequested: "An app asked for permission to track.",
    .trackingAnswered: "The user answered the prompt for permission to track.",
    .trackingChanged: "The user changed tracking in the settings.",
    .trackingRejected: "An answer or a change in the settings has no effect.",
    .sdkEventHeld: "An event of a measurement SDK waits for the user's answer.",
    .sdkRequestRecorded: "A measurement SDK recorded a request.",
    .sdkRequestDelivered: "An endpoint accepted a request of a measurement SDK.",
    .sdkRequestFailed: "A request of a measurement SDK was not delivered.",
  ]

  static let trackingTypes: [String: String] = [
    "TrackingRequested": "A request for permission to track.",
    "TrackingDecided": "A decision of the user about tracking.",
    "SDKEventHeld": "An event of a measurement SDK that waits.",
    "SDKRequestRecorded": "A recorded request of a measurement SDK.",
    "SDKRequestFinished": "The result of the attempt to send a request of a measurement SDK.",
  ]

  static let tracking: [String: Note] = [
    "trackingRequestId": Note("The request that displayed the app's prompt; null without one."),
    "promptDisplayed": Note("Whether the system displays the prompt."),
    "trackingStatus": Note("Apple's code of the status, 0 to 3.", status),
    "TrackingRequested.trackingStatus": Note(
      "Apple's code of the status, 0 to 3; null for an app that the system ended.", status),
    "TrackingRequested.reasons": Note("Why there is no prompt; empty when there is one."),
    "TrackingDecided.bundleIdentifier": Note("The bundle identifier of the app; null for the setting of the device."),
    "TrackingDecided.trackingStatus": Note("Apple's code of the status, 0 to 3; null for the setting of the device.", status),
    "TrackingDecided.reasons": Note("Why the decision has no effect; empty when it has one."),
    "system": Note("The setting of the device."),
    "event": Note("The name of the event."),
    "waitsUntil": Note("The time at which the waiting ends without an answer."),
    "sdkRequestId": Note("The request of the measurement SDK."),
    "SDKEventHeld.reasons": Note("A note when the wait is shorter than the app wants; empty otherwise."),
    "nextURL": Note("Where the SDK sends the request next; null for the last attempt."),
    "SDKRequestRecorded.reasons": Note("Why the request lacks fields; empty with consent."),
    "SDKRequestFinished.reasons": Note("The reasons of the failure; empty for a delivered request."),
  ]

  private static let status: [JSON.Member] = [.init("minimum", 0), .init("maximum", 3)]
}
