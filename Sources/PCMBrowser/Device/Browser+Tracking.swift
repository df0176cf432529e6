package import PCMCore
package import PCMDevice
import PCMStore

/// An app asks for permission to track.
extension TrackingRequestInput: DecidedOperation {
  package func decision(on _: String?, in _: Browser) throws(BrowserError) -> Decision<TrackingRequestOutcome> {
    Decision { try $0.requestTracking(self, $1) }
  }
}

/// A user answers the prompt.
extension TrackingAnswerInput: DecidedOperation {
  package func decision(on _: String?, in _: Browser) throws(BrowserError) -> Decision<TrackingOutcome> {
    Decision { try $0.answer(self, $1) }
  }
}

/// A user changes tracking in the settings.
extension TrackingSettingInput: DecidedOperation {
  package func decision(on _: String?, in _: Browser) throws(BrowserError) -> Decision<TrackingOutcome> {
    Decision { try $0.change(self, $1) }
  }
}

/// The outcome of a request for permission to track.
package struct TrackingRequestOutcome: Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The system displays the prompt.
    case prompted
    /// The app receives the status at once.
    case answered
    /// There is no prompt, and the call is not queued.
    case rejected
    /// The system ends the app.
    case terminated
  }

  package let kind: Kind
  package let bundleIdentifier: String
  package let usageDescription: String?
  /// The status that the app receives; nil for an app that was ended.
  package let status: TrackingStatus?
  package let violation: Violation?
  /// The number of the request and of its event.
  package let sequence: Int64
  package let at: Instant
}

/// The outcome of an answer, or of a change in the settings.
package struct TrackingOutcome: Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case answered
    case changed
    case rejected
  }

  package let kind: Kind
  /// The request that displayed the prompt; nil without one.
  package let request: Int64?
  /// The app and its status; nil for the setting of the device.
  package let app: (bundleIdentifier: String, status: TrackingStatus)?
  package let system: SystemTrackingSetting
  /// The requests of the app's measurement SDK that follow.
  package var sdkRequests: [Int64] = []
  package let violation: Violation?
  package let sequence: Int64
  package let at: Instant
}

/// The values about tracking that an app reads.
package struct TrackingState: Hashable, Sendable {
  package let tracking: AppTracking
  package let system: TrackingSystem
  package let usageDescription: String?
  package let advertisingIdentifier: String

  package var status: TrackingStatus { tracking.status(under: system.setting) }
}

extension Browser {
  /// Returns the values about tracking that an app reads.
  package func tracking(of bundleIdentifier: String) async throws -> TrackingState {
    let identifier = advertisingIdentifier
    return try await read { try $0.trackingState(of: bundleIdentifier, identifier) }
  }

  /// Returns these values for the apps that have used tracking, in the order of their bundle identifiers.
  package func trackedApps(limit: Int) async throws -> [TrackingState] {
    let identifier = advertisingIdentifier
    return try await read { reader in
      try reader.deviceRows(.tracking, after: "", limit: limit).map { try reader.trackingState(of: $0.key.name, identifier) }
    }
  }

  private var advertisingIdentifier: String { RandomStreams(seed: record.seed).named.advertisingIdentifier }
}

extension BrowserReader {
  /// - Parameter identifier: The advertising identifier of the device.
  fileprivate func trackingState(of bundleIdentifier: String, _ identifier: String) throws -> TrackingState {
    guard let app = try deviceApp(bundleIdentifier, on: device()) else {
      throw BrowserError.unknownApp(bundleIdentifier: bundleIdentifier)
    }
    let (tracking, system) = (try appTracking(bundleIdentifier), try trackingSystem())
    return TrackingState(
      tracking: tracking, system: system, usageDescription: app.adAttribution.trackingUsageDescription,
      advertisingIdentifier: AdvertisingIdentifier.value(
        with: tracking.status(under: system.setting), device: identifier))
  }
}

extension BrowserWriter {
  fileprivate func requestTracking(
    _ input: TrackingRequestInput, _ context: DeviceContext
  ) throws -> TrackingRequestOutcome {
    let app = try registeredApp(input.bundleIdentifier, context)
    var (tracking, system) = (try appTracking(app.bundleIdentifier), try trackingSystem())
    var evaluation = RuleEvaluation(of: DeviceRuleBook.trackingRequest)
    let decision = TrackingRequest(input, by: app, tracking, system, on: context.device).decide(&evaluation)
    var (kind, status): (TrackingRequestOutcome.Kind, TrackingStatus?) = (.prompted, tracking.status(under: system.setting))
    var held: [MeasurementSDK.Event] = []
    switch decision {
    case .prompt:
      (tracking.request, system.promptingApp) = (try nextSequence(), app.bundleIdentifier)
      try save(tracking)
      try save(system)
    case .answer: kind = .answered
    case .deny:
      (kind, tracking.request, tracking.choice) = (.answered, try nextSequence(), .denied)
      held = tracking.sdk.release()
      try save(tracking)
    case .ignore: kind = .rejected
    case .end: (kind, status) = (.terminated, nil)
    }
    let logged = try appendTracking(
      TrackingRequested(
        bundleIdentifier: app.bundleIdentifier, isPrompted: kind == .prompted, status: status,
        reasons: [decision.violation?.reason].compactMap { $0 }, decision: RecordedDecision(evaluation)), at: context.now)
    _ = try depart(held, of: tracking, as: .denied, context)
    return TrackingRequestOutcome(
      kind: kind, bundleIdentifier: app.bundleIdentifier, usageDescription: app.adAttribution.trackingUsageDescription,
      status: status, violation: decision.violation, sequence: logged.sequence, at: logged.at)
  }

  fileprivate func answer(_ input: TrackingAnswerInput, _ context: DeviceContext) throws -> TrackingOutcome {
    let app = try registeredApp(input.bundleIdentifier, context)
    return try decide(
      .answered, input.allow, for: app.bundleIdentifier, by: TrackingAnswer.promptRules, DeviceRuleBook.trackingAnswer, context)
  }

  fileprivate func change(_ input: TrackingSettingInput, _ context: DeviceContext) throws -> TrackingOutcome {
    if let bundleIdentifier = input.bundleIdentifier, let allow = input.allow {
      let app = try registeredApp(bundleIdentifier, context)
      return try decide(
        .changed, allow, for: app.bundleIdentifier, by: TrackingAnswer.settingRules, DeviceRuleBook.trackingSetting, context)
    }
    var system = try trackingSystem()
    system.setting = input.system ?? system.setting
    try save(system)
    let logged = try appendTracking(
      TrackingDecided(
        .trackingChanged, request: nil, bundleIdentifier: nil, system: system.setting, status: nil, reasons: [], decision: nil),
      at: context.now)
    return TrackingOutcome(
      kind: .changed, request: nil, app: nil, system: system.setting, violation: nil, sequence: logged.sequence, at: logged.at)
  }

  /// Decides about a user's choice for an app, and lets the events that waited for it leave.
  private func decide(
    _ kind: TrackingOutcome.Kind, _ allow: Bool, for bundleIdentifier: String, by rules: [Rule<TrackingAnswer>],
    _ list: RuleList, _ context: DeviceContext
  ) throws -> TrackingOutcome {
    var (tracking, system) = (try appTracking(bundleIdentifier), try trackingSystem())
    var evaluation = RuleEvaluation(of: list)
    let violation = evaluation.firstViolation(of: rules, to: TrackingAnswer(tracking, system))
    var held: [MeasurementSDK.Event] = []
    if violation == nil {
      tracking.choice = allow ? .authorized : .denied
      held = tracking.sdk.release()
      if kind == .answered { system.promptingApp = nil }
      try save(tracking)
      try save(system)
    }
    let status = tracking.status(under: system.setting)
    let event: EventKind = violation != nil ? .trackingRejected : kind == .answered ? .trackingAnswered : .trackingChanged
    let logged = try appendTracking(
      TrackingDecided(
        event, request: tracking.request, bundleIdentifier: bundleIdentifier, system: system.setting, status: status,
        reasons: [violation?.reason].compactMap { $0 }, decision: RecordedDecision(evaluation)), at: context.now)
    return TrackingOutcome(
      kind: violation == nil ? kind : .rejected, request: tracking.request, app: (bundleIdentifier, status),
      system: system.setting, sdkRequests: try depart(held, of: tracking, as: status, context).map(\.id),
      violation: violation, sequence: logged.sequence, at: logged.at)
  }

  /// Appends an event about tracking to the log. From the first one on, the device has a row with the system's setting.
  @discardableResult
  func appendTracking(_ event: any BrowserEvent, at now: Instant) throws -> LogEvent {
    if try !isTrackingUsed() { try save(TrackingSystem()) }
    return try append(event, at: now)
  }

  /// Forgets the tracking of an app that is removed or installed again, with the events of its measurement SDK.
  func removeTracking(of bundleIdentifier: String) throws {
    try remove(DeviceRow.self, .init(.tracking, bundleIdentifier))
    var system = try trackingSystem()
    guard system.promptingApp == bundleIdentifier else { return }
    system.promptingApp = nil
    try save(system)
  }

  /// Forgets the tracking of all apps, and all requests of measurement SDKs. The setting of the device stays.
  func removeAllTracking() throws {
    for row in try deviceRows(.tracking, after: "", limit: .max) { try removeTracking(of: row.key.name) }
    _ = try removeAll(DeviceRow.self, in: DeviceRow.Kind.sdkRequest.rawValue.stored)
  }
}

extension NamedDraws {
  /// The advertising identifier of the device.
  var advertisingIdentifier: String { uuid("advertising-identifier") }
}

extension TrackingRequestOutcome: OperationOutcome {
  private var reasons: [Reason] { [violation?.reason].compactMap { $0 } }

  package var json: JSON {
    [
      "id": .string(RecordName.trackingRequest(sequence)), "at": .string(at.text), "outcome": .string(kind.rawValue),
      "bundleIdentifier": .string(bundleIdentifier), "status": .number(status?.rawValue), "statusName": .string(status?.name),
      "usageDescription": .string(usageDescription), "reasons": .array(reasons.map(\.json)),
      "change": .string(violation?.change), "sequence": .number(sequence),
    ]
  }

  package var progress: CallProgress { CallProgress(outcome: kind.rawValue, reasons: reasons) }
}

extension TrackingOutcome: OperationOutcome {
  private var reasons: [Reason] { [violation?.reason].compactMap { $0 } }

  package var json: JSON {
    [
      "id": .string(request.map(RecordName.trackingRequest)), "at": .string(at.text), "outcome": .string(kind.rawValue),
      "bundleIdentifier": .string(app?.bundleIdentifier), "system": .string(system.rawValue),
      "status": .number(app?.status.rawValue), "statusName": .string(app?.status.name),
      "sdkRequestIds": .array(sdkRequests.map { .string(RecordName.sdkRequest($0)) }),
      "reasons": .array(reasons.map(\.json)), "change": .string(violation?.change), "sequence": .number(sequence),
    ]
  }

  package var progress: CallProgress { CallProgress(outcome: kind.rawValue, reasons: reasons) }
}

extension TrackingState {
  package var json: JSON {
    [
      "bundleIdentifier": .string(tracking.bundleIdentifier), "status": .number(status.rawValue),
      "statusName": .string(status.name), "system": .string(system.setting.rawValue),
      "promptDisplayed": .bool(system.promptingApp == tracking.bundleIdentifier),
      "trackingRequestId": .string(tracking.request.map(RecordName.trackingRequest)),
      "usageDescription": .string(usageDescription), "advertisingIdentifier": .string(advertisingIdentifier),
      "waitsUntil": .instant(tracking.sdk.waitsUntil),
      "heldEvents": .array(
        tracking.sdk.held.map { event -> JSON in
          [
            "event": .string(event.name), "recordedAt": .string(event.recordedAt.text),
            "urlStrategy": .string(event.urlStrategy?.rawValue), "domains": .array(event.hosts.domains.map { .string($0) }),
          ]
        }),
    ]
  }
}
