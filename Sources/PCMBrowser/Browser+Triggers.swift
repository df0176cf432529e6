package import PCMCore
import PCMStore

extension Browser {
  /// Handles a request of a destination's page that was redirected.
  package func observe(_ input: TriggeringEventInput) async throws -> TriggerOutcome {
    await settleSettings()
    let redirect = try checked("triggering-events", destination: input.firstPartyURL) { () throws(BrowserError) in
      try input.redirect(world: world)
    }
    var evaluation = RuleEvaluation(of: RuleBook.triggeringEvent)
    if let ignored = evaluation.firstViolation(of: TriggerPath.rules, to: redirect.to) {
      return try await refuse(.notTriggering, ignored, redirect, evaluation)
    }
    let observation = MixedContent.Observation(page: redirect.firstParty, request: redirect.from)
    let rejection =
      evaluation.firstViolation(of: Session.triggerRules, to: settings.session)
      ?? evaluation.firstViolation(of: MixedContent.rules, to: observation)
    if let rejection {
      return try await refuse(.rejected, rejection, redirect, evaluation)
    }
    switch TriggerURL.parse(TriggerURL.Reading(redirect.to, parse: world.url), &evaluation) {
    case .failure(let rejection): return try await refuse(.rejected, rejection, redirect, evaluation)
    case .success(let target): return try await handle(TriggeringEvent(redirect, target: target), evaluation)
    }
  }

  private func refuse(
    _ kind: TriggerOutcome.Kind, _ rejection: RejectionReason, _ redirect: ObservedRedirect, _ evaluation: RuleEvaluation
  ) async throws -> TriggerOutcome {
    let now = now
    return try await commit { writer in
      try writer.refuse(kind, rejection, firstParty: redirect.firstParty.site, asked: nil, evaluation, at: now)
    }
  }

  /// Takes the time and the random numbers, and decides in one transaction.
  private func handle(_ event: TriggeringEvent, _ evaluation: RuleEvaluation) async throws -> TriggerOutcome {
    let draws = SendTimes.Draws(source: streams.unit(.sourceDelay), destination: streams.unit(.destinationDelay))
    let handling = TriggerHandling(event: event, at: now, draws: draws, settings: settings, positions: streams.positions)
    let admission = try await transact { try handling.admit(in: $0, evaluation) }
    let outcome: TriggerOutcome
    if let ended = admission.outcome {
      outcome = ended
    } else {
      outcome = try await attribute(handling, admission)
    }
    // WebKit starts this exchange when it stores the released click; nearly always the event attributes it first.
    if let released = admission.released { try await fetchSourceToken(for: released, in: handling.table) }
    return outcome
  }

  /// Completes an event that waits for the destination's token. The exchange takes place with and without a matching click,
  /// so that the requests do not reveal whether there is one (reference, section 8.3).
  private func attribute(_ handling: TriggerHandling, _ admission: TriggerAdmission) async throws -> TriggerOutcome {
    let nonce = handling.event.target.destinationNonce ?? ""
    let signed = try await exchange(
      TokenOrder(party: .destination, nonce: nonce, key: handling.event.key, click: nil))
    let later = handling.resumed(at: now, positions: streams.positions)
    return try await transact { writer in
      try signed.log(signed.result, in: writer, at: later.now)
      var evaluation = admission.evaluation
      return try later.conclude(signed.destinationToken, in: writer, &evaluation)
    }
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
    _ kind: TriggerOutcome.Kind, _ rejection: RejectionReason, firstParty: Site, asked: AskedTrigger?,
    _ evaluation: RuleEvaluation, at now: Instant
  ) throws -> TriggerOutcome {
    let reason = rejection.reason
    let refused = TriggerRefused(
      firstParty: firstParty, asked: asked, reasons: [reason], decision: RecordedDecision(evaluation))
    let event = try append(
      kind == .notTriggering ? .triggerIgnored(refused) : .triggerRejected(refused), at: now)
    return TriggerOutcome(
      kind: kind, reasons: [reason], trigger: asked, attribution: nil, sequence: event.sequence)
  }
}
