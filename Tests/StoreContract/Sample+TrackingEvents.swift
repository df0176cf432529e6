import PCMCore

extension Sample {
  /// One event of each kind about tracking.
  static func trackingEvents(_ reason: Reason, _ decision: RecordedDecision) -> [any BrowserEvent] {
    let app = "com.example.shop"
    func decided(_ kind: EventKind, _ reasons: [Reason] = []) -> TrackingDecided {
      TrackingDecided(
        kind, request: 50, bundleIdentifier: app, system: .allowed, status: .denied, reasons: reasons, decision: decision)
    }
    return [
      TrackingRequested(bundleIdentifier: app, isPrompted: true, status: .notDetermined, reasons: [], decision: decision),
      TrackingRequested(bundleIdentifier: app, isPrompted: false, status: nil, reasons: [reason], decision: nil),
      decided(.trackingAnswered), decided(.trackingRejected, [reason]),
      TrackingDecided(
        .trackingChanged, request: nil, bundleIdentifier: nil, system: .restricted, status: nil, reasons: [], decision: nil),
      SDKEventHeld(bundleIdentifier: app, event: "purchase", waitsUntil: noon, reasons: [reason], decision: decision),
      SDKRequestRecorded(
        request: 52, bundleIdentifier: app, event: "purchase", url: "https://analytics.adjust.com/event", status: .denied,
        reasons: [reason], decision: decision),
      SDKRequestFinished(.sdkRequestDelivered, request: 52, httpStatus: 200, reasons: [], decision: decision),
      SDKRequestFinished(.sdkRequestFailed, request: 52, httpStatus: nil, reasons: [reason], decision: nil),
      SDKRequestFinished(
        .sdkRequestFailed, request: 52, httpStatus: nil, nextURL: "https://analytics.adjust.world/event", reasons: [reason],
        decision: decision),
    ]
  }
}
