package import PCMCore
import PCMStore

extension Browser {
  /// Handles a request of a destination's page that was redirected.
  ///
  /// - Parameters:
  ///   - request: The request with its key; nil without one.
  ///   - waiting: Runs the wait for a move of the clock.
  package func observe(
    _ input: TriggeringEventInput, for request: KeyedRequest<TriggerOutcome>? = nil, waiting: CallWait = waitInTask
  ) async throws -> TriggerOutcome {
    try await observe(input, isWithinLoad: false, for: request, waiting: waiting)
  }

  /// - Parameter isWithinLoad: Whether the event belongs to a load, which is in the journal as a whole.
  func observe(
    _ input: TriggeringEventInput, isWithinLoad: Bool, for request: KeyedRequest<TriggerOutcome>? = nil,
    waiting: CallWait = waitInTask
  ) async throws -> TriggerOutcome {
    let input = input.withoutUserInformation
    return try await gate.operation(waiting: waiting, isPartOfCall: isWithinLoad) {
      let redirect = try checked("triggering-events", destination: input.firstPartyURL) { () throws(BrowserError) in
        try input.redirect(world: world)
      }
      let reading = TriggerURL.Reading(redirect.to, parse: world.url)
      let call = isWithinLoad ? nil : journaling.call(CallName.triggeringEvent, input.json)
      switch await decide({ live in handle(redirect, reading, &live, call, for: request) }) {
      case .refused(let write): return try await write.answer()
      case .admitted(let handling, let write):
        let admission = try await write.answer()
        return try await journaling.collecting(for: call) { try await complete(handling, admission, call, for: request) }
      }
    }
  }

  /// A submitted decision about an event.
  private enum Submitted {
    case refused(PendingWrite<TriggerOutcome>)
    case admitted(TriggerHandling, PendingWrite<TriggerAdmission>)
  }

  private func handle(
    _ redirect: ObservedRedirect, _ reading: TriggerURL.Reading, _ live: inout LiveState, _ call: PendingCall?,
    for request: KeyedRequest<TriggerOutcome>?
  ) -> Submitted {
    let now = live.now
    var evaluation = RuleEvaluation(of: RuleBook.triggeringEvent)
    func refuse(_ kind: TriggerOutcome.Kind, _ rejection: RejectionReason) -> Submitted {
      .refused(
        submitJournaled(call, progress: \.progress) { [evaluation] writer in
          let outcome = try writer.refuse(
            kind, rejection, firstParty: redirect.firstParty.site, requested: nil, evaluation, at: now)
          try request?.finish(outcome, in: writer)
          return outcome
        })
    }
    if let ignored = evaluation.firstViolation(of: TriggerPath.rules, to: redirect.to) {
      return refuse(.notTriggering, ignored)
    }
    let observation = MixedContent.Observation(page: redirect.firstParty, request: redirect.from)
    let rejection =
      evaluation.firstViolation(of: MeasurementSettings.triggerRules, to: live.settings.measurement)
      ?? evaluation.firstViolation(of: MixedContent.rules, to: observation)
    if let rejection { return refuse(.rejected, rejection) }
    switch TriggerURL.parse(reading, &evaluation) {
    case .failure(let rejection): return refuse(.rejected, rejection)
    case .success(let target):
      // An invalid event draws no random numbers.
      let draws = SendTimes.Draws(
        source: live.streams.unit(.sourceDelay), destination: live.streams.unit(.destinationDelay))
      let handling = TriggerHandling(
        event: TriggeringEvent(redirect, target: target), at: now, draws: draws, settings: live.settings,
        positions: live.streams.positions)
      return .admitted(
        handling,
        submitJournaled(call, isTimed: true, progress: \.progress) { [evaluation] writer in
          let admission = try handling.admit(in: writer, evaluation)
          if let outcome = admission.outcome {
            try request?.finish(outcome, in: writer)
          } else {
            try request?.begin(in: writer)
          }
          return admission
        })
    }
  }

  private func complete(
    _ handling: TriggerHandling, _ admission: TriggerAdmission, _ call: PendingCall?, for request: KeyedRequest<TriggerOutcome>?
  ) async throws -> TriggerOutcome {
    let order = admission.tokenOrder
    let outcome: TriggerOutcome
    if let ended = admission.outcome {
      outcome = ended
    } else {
      outcome = try await attribute(handling, admission, order == nil ? call : nil, for: request)
    }
    // WebKit starts this exchange when it stores the released click; nearly always the event attributes it first.
    // As for a click, the answer does not depend on it.
    if let order { try? await fetchSourceToken(order, in: handling.table, completing: call, with: outcome.progress) }
    return outcome
  }

  /// Completes an event that waits for the destination's token. The exchange takes place with and without a matching click,
  /// so that the requests do not reveal whether there is one (reference, section 8.3).
  ///
  /// - Parameter call: The call that ends with the event; nil when it ends later.
  private func attribute(
    _ handling: TriggerHandling, _ admission: TriggerAdmission, _ call: PendingCall?, for request: KeyedRequest<TriggerOutcome>?
  ) async throws -> TriggerOutcome {
    let nonce = handling.event.target.destinationNonce ?? ""
    let signed = try await exchange(
      TokenOrder(recipient: .destination, nonce: nonce, key: handling.event.key, click: nil))
    let write = await decide { live in
      let later = handling.resumed(at: live.now, positions: live.streams.positions)
      return completeJournaled(call, isTimed: true, progress: \.progress) { writer in
        try signed.log(signed.result, in: writer, at: later.now)
        var evaluation = admission.evaluation
        let outcome = try later.conclude(signed.destinationToken, in: writer, &evaluation)
        try request?.finish(outcome, in: writer)
        return outcome
      }
    }
    return try await write.answer()
  }
}

extension TokenResult {
  fileprivate var destinationToken: DestinationToken {
    switch result {
    case .success(let token): .signed(token, request: request)
    case .failure(let failure): .failed(failure, request: request)
    }
  }
}

extension TriggeringEvent {
  init(_ redirect: ObservedRedirect, target: TriggerURL) {
    self.init(
      target: target, redirectSite: redirect.to.site, hopHost: redirect.from.host, firstPartyHost: redirect.firstParty.host,
      firstPartySite: redirect.firstParty.site, bundleIdentifier: redirect.bundleIdentifier)
  }
}

extension BrowserWriter {
  /// - Parameter kind: `rejected`, or `notTriggering` for a redirect elsewhere than to the trigger path.
  func refuse(
    _ kind: TriggerOutcome.Kind, _ rejection: RejectionReason, firstParty: Site, requested: RequestedTrigger?,
    _ evaluation: RuleEvaluation, at now: Instant
  ) throws -> TriggerOutcome {
    let reason = rejection.reason
    let refused = TriggerRejected(
      firstParty: firstParty, requested: requested, reasons: [reason], decision: RecordedDecision(evaluation))
    let event = try append(
      kind == .notTriggering ? .triggerIgnored(refused) : .triggerRejected(refused), at: now)
    return TriggerOutcome(
      kind: kind, reasons: [reason], trigger: requested, attribution: nil, sequence: event.sequence, at: event.at)
  }
}
