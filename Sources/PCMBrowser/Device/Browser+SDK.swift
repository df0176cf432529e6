package import PCMCore
package import PCMDevice
import PCMNetwork
import PCMStore

/// An app records an event with a measurement SDK.
extension SDKEventInput: DecidedOperation {
  package func decision(on _: String?, in _: Browser) throws(BrowserError) -> Decision<SDKEventOutcome> {
    guard !event.isEmpty else { throw .invalidInput([InputError(["event"], "event is empty; name the event")]) }
    return Decision { try $0.record(self, $1) }
  }
}

/// The outcome of an event of a measurement SDK.
package struct SDKEventOutcome: Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The event waits for the user's answer.
    case held
    /// A request has the event.
    case recorded
  }

  package let bundleIdentifier: String
  package let event: String
  /// When the waiting ends without an answer; nil for an event that does not wait.
  package var waitsUntil: Instant?
  /// The request with the event; nil for an event that waits.
  package var request: Int64?
  /// Why the event does not wait; nil for a waiting event.
  package var violation: Violation?
  /// The note about a waiting interval that is shorter than the app requested; nil otherwise.
  package var note: Reason?
  package var sequence: Int64
  package let at: Instant

  package var kind: Kind { request == nil ? .held : .recorded }
}

extension Browser {
  /// Returns the requests of measurement SDKs after a number, ordered by it.
  package func sdkRequests(after id: Int64, limit: Int) async throws -> [SDKRequest] {
    try await read { try $0.sdkRequests(after: id, limit: limit) }
  }

  /// Sends a request of a measurement SDK, once. A real network sends it only to the host to which its options map the SDK's host.
  func send(_ request: SDKRequest, after step: SendingStep) async throws -> SendingStep {
    withState { live in _ = live.advance?.countAttempt() }
    let exchange = await send(DeviceRequest.sdk(url: request.url, body: request.body), for: .reports, step.context)
    return try await lock.sharing {
      try await submitStep(after: step.claim) { try $0.finish(request, exchange, $1.context) }
    }
  }
}

extension BrowserWriter {
  fileprivate func record(_ input: SDKEventInput, _ context: DeviceContext) throws -> SDKEventOutcome {
    let app = try registeredApp(input.bundleIdentifier, context)
    var tracking = try appTracking(app.bundleIdentifier)
    let status = tracking.status(under: try trackingSystem().setting)
    let event = MeasurementSDK.Event(
      name: input.event, recordedAt: context.now, urlStrategy: input.urlStrategyDomains == nil ? input.urlStrategy : nil,
      hosts: input.hosts)
    var evaluation = RuleEvaluation(of: DeviceRuleBook.sdkEvent)
    let wait = SDKWait(status, interval: input.consentWaitingInterval, version: input.version, tracking.sdk)
    let violation = evaluation.firstViolation(of: SDKWait.rules, to: wait)
    tracking.sdk.startedAt = tracking.sdk.startedAt ?? context.now
    var outcome = SDKEventOutcome(
      bundleIdentifier: app.bundleIdentifier, event: input.event, violation: violation, sequence: try nextSequence(),
      at: context.now)
    if violation == nil {
      guard tracking.sdk.held.count < MeasurementSDK.maximumHeldCount else {
        throw BrowserError.limitReached(
          "\(MeasurementSDK.maximumHeldCount) events of \(app.bundleIdentifier) wait, the maximum; answer the prompt, or advance "
            + "the clock until the waiting ends")
      }
      outcome.note = wait.note
      let end = tracking.sdk.hold(event, for: wait.interval)
      outcome.waitsUntil = end
      try appendTracking(
        SDKEventHeld(
          bundleIdentifier: app.bundleIdentifier, event: event.name, waitsUntil: end,
          reasons: [outcome.note].compactMap { $0 }, decision: RecordedDecision(evaluation)), at: context.now)
    } else {
      // The settings may have determined the status. The events that wait leave first.
      let requests = try depart(tracking.sdk.release() + [event], of: tracking, as: status, context)
      outcome.request = requests.last?.id
      outcome.sequence = requests.last?.id ?? outcome.sequence
    }
    try save(tracking)
    return outcome
  }

  /// Records the requests with some events, in their order, with the status at this time. They are due at once.
  func depart(
    _ events: [MeasurementSDK.Event], of tracking: AppTracking, as status: TrackingStatus, _ context: DeviceContext
  ) throws -> [SDKRequest] {
    try events.map { event in
      var evaluation = RuleEvaluation(of: DeviceRuleBook.sdkRequest)
      let departure = SDKDeparture(event, of: tracking, as: status, device: context.draws.advertisingIdentifier)
      let (request, omission) = departure.request(id: try nextSequence(), at: context.now, &evaluation)
      try save(request)
      try appendTracking(
        SDKRequestRecorded(
          request: request.id, bundleIdentifier: request.bundleIdentifier, event: request.event, url: request.url,
          status: status, reasons: [omission].compactMap { $0 }, decision: RecordedDecision(evaluation)), at: context.now)
      return request
    }
  }

  /// Performs the due work: the waiting events of an app leave, or the attempt to send a request begins.
  func step(ofTracking row: DeviceRow, _ context: DeviceContext) throws -> SendingStep.Action {
    guard row.key.kind == .tracking else {
      var request = try row.sdkRequest()
      request.state = .sending
      try save(request)
      return .sendSDKRequest(request)
    }
    var tracking = try row.tracking()
    let held = tracking.sdk.release()
    try save(tracking)
    _ = try depart(held, of: tracking, as: tracking.status(under: try trackingSystem().setting), context)
    return .announce(try nextScheduledWork())
  }

  fileprivate func finish(_ sent: SDKRequest, _ exchange: Exchange, _ context: RequestContext) throws -> SendingStep {
    // It may have been removed in the meantime.
    if var request = try sdkRequests(after: sent.id - 1, limit: 1).first, request.id == sent.id {
      var evaluation = RuleEvaluation(of: Exchange.sdkRuleList)
      let reason = exchange.undeliveredSDKRequest(&evaluation)
      request.httpStatus = exchange.httpStatus.map(Int64.init)
      request.state = reason == nil ? .delivered : .failed
      // The SDK tries its next host only when no response arrives.
      let nextURL = request.httpStatus == nil ? request.fallBack() : nil
      request.reason = nextURL == nil ? reason : nil
      try save(request)
      try appendTracking(
        SDKRequestFinished(
          reason == nil ? .sdkRequestDelivered : .sdkRequestFailed, request: request.id, httpStatus: request.httpStatus,
          nextURL: nextURL, reasons: [reason].compactMap { $0 },
          decision: RecordedDecision(evaluation)), at: context.now)
    }
    return SendingStep(action: .announce(try nextScheduledWork()), context: context)
  }
}

extension SDKEventOutcome: OperationOutcome {
  private var reasons: [Reason] { [violation?.reason ?? note].compactMap { $0 } }

  package var json: JSON {
    [
      "id": .string(request.map(RecordName.sdkRequest)), "at": .string(at.text), "outcome": .string(kind.rawValue),
      "bundleIdentifier": .string(bundleIdentifier), "event": .string(event), "waitsUntil": .instant(waitsUntil),
      "reasons": .array(reasons.map(\.json)), "change": .string(violation?.change), "sequence": .number(sequence),
    ]
  }

  package var progress: CallProgress { CallProgress(outcome: kind.rawValue, reasons: reasons) }
}

extension SDKRequest {
  package var json: JSON {
    [
      "id": .string(RecordName.sdkRequest(id)), "at": .string(recordedAt.text), "bundleIdentifier": .string(bundleIdentifier),
      "event": .string(event), "status": .number(status.rawValue), "statusName": .string(status.name), "url": .string(url),
      "fallbackURLs": .array(fallbackURLs.map { .string($0) }), "body": .verbatim(body), "state": .string(state.rawValue),
      "httpStatus": .number(httpStatus),
      "reasons": .array([reason].compactMap { $0?.json }),
    ]
  }
}
