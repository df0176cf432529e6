import PCMCore
import PCMStore

extension Browser {
  /// A page of the destination made a request that was redirected.
  package func observe(_ input: TriggeringEventInput) async throws -> TriggerOutcome {
    let redirect = try input.redirect(world: world)
    guard TriggerURL.isTrigger(redirect.to) else {
      return TriggerOutcome(kind: .notTriggering, reasons: [], trigger: nil, attribution: nil, sequence: nil)
    }
    var trace = RuleTrace()
    if let rejection = trace.firstObjection(of: Session.triggerRules, to: settings.session) {
      return try await reject(rejection, redirect, trace)
    }
    switch TriggerURL.parse(TriggerURL.Reading(redirect.to, parse: world.url), &trace) {
    case .failure(let rejection): return try await reject(rejection, redirect, trace)
    case .success(let target): return try await handle(TriggeringEvent(redirect, target: target), trace)
    }
  }

  private func reject(
    _ rejection: TriggerRejection, _ redirect: ObservedRedirect, _ trace: RuleTrace
  ) async throws -> TriggerOutcome {
    let now = now
    return try await commit { writer in
      try writer.reject(rejection, firstParty: redirect.firstParty.site, asked: nil, trace, at: now)
    }
  }

  /// Takes the time and the draws, and leaves the rest to one transaction.
  private func handle(_ event: TriggeringEvent, _ trace: RuleTrace) async throws -> TriggerOutcome {
    let draws = SendTimes.Draws(source: streams.unit(.sourceDelay), destination: streams.unit(.destinationDelay))
    let handling = TriggerHandling(
      event: event, at: now, times: SendTimes(after: now, draws: draws), settings: settings, draws: streams.positions)
    return try await transact { writer in
      var trace = trace
      return try handling.run(in: writer, &trace)
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
  func reject(
    _ rejection: TriggerRejection, firstParty: Site, asked: TriggerOutcome.AskedTrigger?, _ trace: RuleTrace, at now: Instant
  ) throws -> TriggerOutcome {
    let reason = rejection.reason
    let event = try append(
      .triggerRejected, at: now,
      .object(
        [.init("firstPartySite", .string(firstParty.domain))] + (asked?.members ?? [])
          + [.init("reasons", [reason.json]), .init("decision", trace.json)]))
    return TriggerOutcome(
      kind: .rejected, reasons: [reason], trigger: asked, attribution: nil, sequence: event.sequence)
  }
}
