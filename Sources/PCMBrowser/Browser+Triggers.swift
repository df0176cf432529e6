package import PCMCore
import PCMStore

extension Browser {
  /// A page of the destination made a request that was redirected.
  package func observe(_ input: TriggeringEventInput) async throws -> TriggerOutcome {
    await settleSettings()
    let redirect = try checked("triggering-events", destination: input.firstPartyURL) { () throws(BrowserError) in
      try input.redirect(world: world)
    }
    var trace = RuleTrace(of: RuleBook.triggeringEvent)
    if let ignored = trace.firstObjection(of: TriggerPath.rules, to: redirect.to) {
      return try await refuse(.notTriggering, ignored, redirect, trace)
    }
    let observation = MixedContent.Observation(page: redirect.firstParty, request: redirect.from)
    let rejection =
      trace.firstObjection(of: Session.triggerRules, to: settings.session)
      ?? trace.firstObjection(of: MixedContent.rules, to: observation)
    if let rejection {
      return try await refuse(.rejected, rejection, redirect, trace)
    }
    switch TriggerURL.parse(TriggerURL.Reading(redirect.to, parse: world.url), &trace) {
    case .failure(let rejection): return try await refuse(.rejected, rejection, redirect, trace)
    case .success(let target): return try await handle(TriggeringEvent(redirect, target: target), trace)
    }
  }

  private func refuse(
    _ kind: TriggerOutcome.Kind, _ rejection: TriggerRejection, _ redirect: ObservedRedirect, _ trace: RuleTrace
  ) async throws -> TriggerOutcome {
    let now = now
    return try await commit { writer in
      try writer.refuse(kind, rejection, firstParty: redirect.firstParty.site, asked: nil, trace, at: now)
    }
  }

  /// Takes the time and the draws, and leaves the rest to one transaction.
  private func handle(_ event: TriggeringEvent, _ trace: RuleTrace) async throws -> TriggerOutcome {
    let draws = SendTimes.Draws(source: streams.unit(.sourceDelay), destination: streams.unit(.destinationDelay))
    let handling = TriggerHandling(event: event, at: now, draws: draws, settings: settings, positions: streams.positions)
    let admission = try await transact { try handling.admit(in: $0, trace) }
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

  /// The rest of an event that waits for the destination's token: match or not, so that the requests do not tell whether
  /// there is a click (reference, section 8.3).
  private func attribute(_ handling: TriggerHandling, _ admission: TriggerAdmission) async throws -> TriggerOutcome {
    let nonce = handling.event.target.destinationNonce ?? ""
    let signed = try await exchange(
      TokenOrder(party: .destination, nonce: nonce, key: handling.event.key, click: nil))
    let later = handling.resumed(at: now, positions: streams.positions)
    return try await transact { writer in
      try signed.log(signed.result, in: writer, at: later.now)
      var trace = admission.trace
      return try later.conclude(signed.destinationToken, in: writer, &trace)
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
    _ kind: TriggerOutcome.Kind, _ rejection: TriggerRejection, firstParty: Site, asked: AskedTrigger?,
    _ trace: RuleTrace, at now: Instant
  ) throws -> TriggerOutcome {
    let reason = rejection.reason
    let refused = TriggerRefused(
      firstParty: firstParty, asked: asked, reasons: [reason], decision: RecordedDecision(trace))
    let event = try append(
      kind == .notTriggering ? .triggerIgnored(refused) : .triggerRejected(refused), at: now)
    return TriggerOutcome(
      kind: kind, reasons: [reason], trigger: asked, attribution: nil, sequence: event.sequence)
  }
}
