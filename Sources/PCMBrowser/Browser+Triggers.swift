package import PCMCore
import PCMStore

extension Browser {
  /// Handles a request of a destination's page that was redirected.
  ///
  /// - Parameters:
  ///   - request: The request with its key; nil without one.
  package func observe(
    _ input: TriggeringEventInput, for request: KeyedRequest<TriggerOutcome>? = nil
  ) async throws -> TriggerOutcome {
    try await observe(input, isWithinLoad: false, for: request)
  }

  /// - Parameters:
  ///   - isWithinLoad: Whether the event belongs to a load, which is in the journal as a whole.
  ///   - cause: Why the load ignores a valid trigger URL; nil when it does not.
  func observe(
    _ input: TriggeringEventInput, isWithinLoad: Bool, ignoring cause: IgnoredTrigger.Cause? = nil,
    for request: KeyedRequest<TriggerOutcome>? = nil
  ) async throws -> TriggerOutcome {
    let input = input.withoutUserInformation
    return try await lock.sharing {
      let redirect = try checked("triggering-events", destination: input.firstPartyURL) { () throws(BrowserError) in
        try input.redirect(world: world)
      }
      let reading = TriggerURL.Reading(redirect.to, parse: world.url)
      let ignored = cause.map { IgnoredTrigger(redirect.to.text, path: redirect.to.path, cause: $0) }
      let call = isWithinLoad ? nil : journaling.call(CallName.triggeringEvent, input.json)
      switch withState({ live in handle(redirect, reading, ignored, &live, call, for: request) }) {
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

  /// Logs a request or redirect of a load that resembles a triggering event.
  func ignore(_ trigger: IgnoredTrigger, on page: WebURL) async throws -> TriggerOutcome {
    try await lock.sharing {
      try await withState { live in
        let now = live.now
        return submit { try $0.ignore(trigger, firstParty: page.site, at: now) }
      }.answer()
    }
  }

  private func handle(
    _ redirect: ObservedRedirect, _ reading: TriggerURL.Reading, _ ignored: IgnoredTrigger?, _ live: inout RuntimeState,
    _ call: PendingCall?, for request: KeyedRequest<TriggerOutcome>?
  ) -> Submitted {
    let now = live.now
    var evaluation = RuleEvaluation(of: RuleBook.triggeringEvent)
    func refuse(_ kind: TriggerOutcome.Kind, _ rejection: RejectionReason) -> Submitted {
      .refused(
        submit(call, progress: \.progress) { [evaluation] writer in
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
    let parsed = TriggerURL.parse(reading, &evaluation)
    // WebKit reads the URL before it looks at the load.
    if let ignored, case .success = parsed {
      return .refused(submit { try $0.ignore(ignored, firstParty: redirect.firstParty.site, at: now) })
    }
    switch parsed {
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
        submit(call, isTimed: true, progress: \.progress) { [evaluation] writer in
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
    let write = withState { live in
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
  fileprivate func ignore(_ trigger: IgnoredTrigger, firstParty: Site, at now: Instant) throws -> TriggerOutcome {
    var evaluation = RuleEvaluation(of: RuleBook.ignoredTrigger)
    let reason = evaluation.firstViolation(of: IgnoredTrigger.rules, to: trigger) ?? .ignored(trigger)
    return try refuse(.notTriggering, reason, firstParty: firstParty, requested: nil, evaluation, at: now)
  }

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
