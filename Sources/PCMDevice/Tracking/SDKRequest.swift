package import PCMCore

/// An event of a measurement SDK that may wait for the user's answer (consent reference, section A5).
package struct SDKWait: Sendable {
  let status: TrackingStatus
  let wanted: Interval
  let version: Int64
  let sdk: MeasurementSDK

  package init(_ status: TrackingStatus, interval: Interval, version: Int64, _ sdk: MeasurementSDK) {
    self.status = status
    self.wanted = interval
    self.version = version
    self.sdk = sdk
  }

  /// The length of the wait.
  package var interval: Interval { min(wanted, MeasurementSDK.longestWait(ofVersion: version)) }

  /// The note on an event that starts a shorter wait than the app requests; nil for other events.
  package var note: Reason? {
    guard wanted > interval, sdk.waitsUntil == nil else { return nil }
    return Reason("waiting-interval-cut", "the app sets \(wanted.words), and SDK \(version) waits at most \(interval.words)")
  }

  static let notes = [
    RuleTitle(
      reason: "waiting-interval-cut",
      "The app sets a longer attConsentWaitingInterval than the SDK waits. SDK 5 waits at most 360 seconds, and SDK 4 at most 120.",
      .waitingInterval, change: "set at most 360 seconds with SDK 5, and 120 with SDK 4")
  ]

  /// The rules for an event that waits. An event waits if it satisfies all of them.
  package static let rules: [Rule<SDKWait>] = [
    Rule(
      "status-is-not-determined", "The user has not answered. After the answer, an event does not wait.",
      .waitingInterval, reasons: ["status-determined": "record the event while the status is notDetermined"],
      inputs: ["trackingStatus": { .number($0.status.rawValue) }]
    ) { wait in
      guard wait.status != .notDetermined else { return nil }
      return Violation(
        "status-determined", "the status is \(wait.status.name), so the event does not wait")
    },
    Rule(
      "waiting-is-not-over", "The SDK has not waited before. It waits once after an install.", .waitingInterval,
      reasons: ["waiting-over": "install the app again"],
      inputs: ["waited": { .bool($0.sdk.hasWaited) }]
    ) { wait in
      guard wait.sdk.hasWaited else { return nil }
      return Violation(
        "waiting-over", "the SDK has waited before, so the event does not wait")
    },
    Rule(
      "waiting-interval-is-set",
      "The app sets attConsentWaitingInterval. The first event begins the waiting, of at most 360 seconds with SDK 5, and 120 with "
        + "SDK 4.", .waitingInterval,
      reasons: ["no-waiting-interval": "give consentWaitingInterval, such as PT30S"],
      inputs: [
        "consentWaitingInterval": { .string($0.wanted.text) }, "sdkVersion": { .number($0.version) },
        "waitsUntil": { .instant($0.sdk.waitsUntil) },
      ]
    ) { wait in
      guard wait.wanted.milliseconds == 0, wait.sdk.waitsUntil == nil else { return nil }
      return Violation(
        "no-waiting-interval", "the app sets no attConsentWaitingInterval, so the event does not wait")
    },
  ]
}

/// A request of a measurement SDK with one event, and the tracking status at the time of the event.
package struct SDKRequest: Hashable, Codable, Sendable {
  package enum State: String, Hashable, Codable, Sendable, CaseIterable {
    case scheduled
    /// The request was sent and has no result. It keeps this state after a crash, because its arrival is unknown.
    case sending
    case delivered
    case failed
  }

  package let id: Int64
  package let bundleIdentifier: String
  package let event: String
  package let recordedAt: Instant
  package let status: TrackingStatus
  /// The URL of the next or the last attempt.
  package private(set) var url: String
  /// The URLs for further attempts if no response arrives, in order.
  package private(set) var fallbackURLs: [String]
  /// A JSON object.
  package let body: String
  package var state = State.scheduled
  package var httpStatus: Int64?
  /// The reason the request was not delivered; nil otherwise.
  package var reason: Reason?

  /// The time at which the request is due; nil after it was sent.
  package var dueAt: Instant? { state == .scheduled ? recordedAt : nil }

  /// Selects the next host. Returns the request's URL, or nil if the SDK has tried all hosts.
  package mutating func fallBack() -> String? {
    guard !fallbackURLs.isEmpty else { return nil }
    url = fallbackURLs.removeFirst()
    state = .scheduled
    return url
  }
}

/// An event to send, with the current state of the app.
package struct SDKDeparture: Sendable {
  let event: MeasurementSDK.Event
  let tracking: AppTracking
  let status: TrackingStatus
  /// The identifier of the device.
  let device: String

  package init(_ event: MeasurementSDK.Event, of tracking: AppTracking, as status: TrackingStatus, device: String) {
    self.event = event
    self.tracking = tracking
    self.status = status
    self.device = device
  }

  package static let rules: [Rule<SDKDeparture>] = [
    Rule(
      "tracking-is-authorized",
      "The user allows tracking. Without consent, the request goes to the analytics host, and lacks idfa and started_at.",
      .vendor("Adjust: endpoints on iOS 17"), reasons: ["tracking-not-authorized": "let the user allow tracking"],
      inputs: ["trackingStatus": { .number($0.status.rawValue) }]
    ) { departure in
      guard departure.status != .authorized else { return nil }
      return Violation(
        "tracking-not-authorized",
        "the status is \(departure.status.name), so the request goes to the analytics host without idfa and started_at")
    }
  ]

  /// Returns the request, and the reason it omits fields; nil with consent.
  package func request(id: Int64, at now: Instant, _ evaluation: inout RuleEvaluation) -> (SDKRequest, omission: Reason?) {
    let omission = evaluation.firstViolation(of: Self.rules, to: self)?.reason
    let urls = event.hosts.names(withConsent: omission == nil).map { "https://\($0)/event" }
    var body: [JSON.Member] = [
      .init("event", .string(event.name)), .init("bundle_id", .string(tracking.bundleIdentifier)),
      .init("created_at", .string(event.recordedAt.text)), .init("att_status", .number(status.rawValue)),
    ]
    if omission == nil {
      body.append(.init("idfa", .string(AdvertisingIdentifier.value(with: status, device: device))))
      body.append(.init("started_at", .instant(tracking.sdk.startedAt)))
    }
    let request = SDKRequest(
      id: id, bundleIdentifier: tracking.bundleIdentifier, event: event.name, recordedAt: now, status: status,
      url: urls.first ?? "", fallbackURLs: Array(urls.dropFirst()), body: JSON.object(body).text)
    return (request, omission)
  }
}
