package import PCMCore
import PCMStore
import PCMURL

extension TriggeringEventInput: DecidedOperation {
  package static let isShort = true

  package func decision(on _: String?, in browser: Browser) throws(BrowserError) -> Decision<TriggerOutcome> {
    let redirect = try redirect(environment: browser.environment)
    let reading = TriggerURL.Reading(redirect.to, parse: browser.environment.url)
    let ignored = (ignoredFor ?? reachedBy?.ignoring).map {
      IgnoredTrigger(redirect.to.text, path: redirect.to.path, cause: $0)
    }
    if let ignored, ignoredFor == nil, IgnoredTrigger.isResembled(by: redirect.to.path) {
      return Decision(isTimed: true) {
        .ended(try $0.ignore(ignored, firstParty: redirect.firstPartySite, redirect.observed, at: $1.now))
      }
    }
    return Decision(isTimed: true) { try redirect.handle(reading, ignored, in: $0, &$1) }
  }
}

extension ObservedRedirect {
  /// Handles a request of a destination's page that was redirected.
  fileprivate func handle(
    _ reading: TriggerURL.Reading, _ ignored: IgnoredTrigger?, in writer: any BrowserWriter, _ state: inout DecisionState
  ) throws -> FirstStage<TriggerOutcome> {
    var evaluation = RuleEvaluation(of: RuleBook.triggeringEvent)
    let isElsewhere = evaluation.firstViolation(of: TriggerPath.rules, to: to)
    let rejection =
      isElsewhere ?? evaluation.firstViolation(of: MeasurementSettings.rules, to: state.settings.measurement)
      ?? evaluation.firstViolation(of: FirstParty.rules, to: firstParty)
      ?? evaluation.firstViolation(of: MixedContent.rules, to: (page: firstParty, request: from))
    switch rejection.map(Result.failure) ?? TriggerURL.parse(reading, &evaluation) {
    case .failure(let rejection):
      return .ended(
        try writer.refuse(
          isElsewhere == nil ? .rejected : .notTriggering, rejection, firstParty: firstPartySite, requested: nil, observed,
          evaluation, at: state.now))
    case .success(let target):
      // WebKit reads the URL before it looks at the load.
      if let ignored { return .ended(try writer.ignore(ignored, firstParty: firstParty.site, observed, at: state.now)) }
      // An invalid event draws no random numbers.
      let draws = (source: state.streams.unit(.sourceDelay), destination: state.streams.unit(.destinationDelay))
      let handling = TriggerHandling(
        event: TriggeringEvent(self, target: target), at: state.now, draws: draws, settings: state.settings)
      let admission = try handling.admit(in: writer, evaluation)
      if let outcome = admission.outcome, admission.tokenOrder == nil { return .ended(outcome) }
      return .waiting(admission.outcome) { browser, request in
        try await browser.complete(handling, admission, for: request)
      }
    }
  }
}

extension Browser {
  /// Logs a request or redirect of a load that resembles a triggering event.
  func ignore(_ trigger: IgnoredTrigger, on page: WebURL) async throws -> TriggerOutcome {
    try await lock.sharing { try await submit { try $0.ignore(trigger, firstParty: page.site, nil, at: $1.now) }.answer() }
  }

  fileprivate func complete(
    _ handling: TriggerHandling, _ admission: TriggerAdmission, for request: KeyedRequest<TriggerOutcome>?
  ) async throws -> TriggerOutcome {
    let order = admission.tokenOrder
    let outcome: TriggerOutcome
    if let ended = admission.outcome {
      outcome = ended
    } else {
      outcome = try await attribute(handling, admission, for: request)
    }
    // WebKit starts this exchange when it stores the released click; nearly always the event attributes it first.
    // As for a click, the answer does not depend on it.
    if let order { try? await fetchSourceToken(order, in: handling.table) }
    return outcome
  }

  /// Completes an event that waits for the destination's token. The exchange takes place with and without a matching click,
  /// so that the requests do not reveal whether there is one (reference, section 8.3).
  private func attribute(
    _ handling: TriggerHandling, _ admission: TriggerAdmission, for request: KeyedRequest<TriggerOutcome>?
  ) async throws -> TriggerOutcome {
    let nonce = handling.event.target.destinationNonce ?? ""
    let signed = try await exchange(
      TokenRequestPlan(recipient: .destination, nonce: nonce, key: handling.event.key, click: nil))
    return try await submit(isTimed: true) { writer, state in
      try signed.log(signed.result, in: writer, at: state.now)
      var evaluation = admission.evaluation
      let outcome = try handling.resumed(at: state.now).conclude(signed.destinationToken, in: writer, &evaluation)
      try request?.finish(outcome, in: writer)
      return outcome
    }.answer()
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
      target: target, redirectSite: redirect.to.site, hopHost: redirect.from?.host, firstPartyHost: redirect.firstParty.host,
      firstPartySite: redirect.firstParty.site, bundleIdentifier: redirect.bundleIdentifier,
      observed: redirect.observed)
  }
}

extension BrowserWriter {
  fileprivate func ignore(
    _ trigger: IgnoredTrigger, firstParty: Site?, _ observed: Provenance?, at now: Instant
  ) throws -> TriggerOutcome {
    var evaluation = RuleEvaluation(of: RuleBook.ignoredTrigger)
    let reason = evaluation.firstViolation(of: IgnoredTrigger.rules, to: trigger) ?? trigger.violation
    return try refuse(.notTriggering, reason, firstParty: firstParty, requested: nil, observed, evaluation, at: now)
  }

  /// - Parameter kind: `rejected`, or `notTriggering` for a redirect elsewhere than to the trigger path.
  func refuse(
    _ kind: TriggerOutcome.Kind, _ rejection: Violation, firstParty: Site?, requested: RequestedTrigger?,
    _ observed: Provenance?, _ evaluation: RuleEvaluation, at now: Instant
  ) throws -> TriggerOutcome {
    let reason = rejection.reason
    let event = try append(
      TriggerRejected(
        kind == .notTriggering ? .triggerIgnored : .triggerRejected, firstParty: firstParty, requested: requested,
        reasons: [reason], observed: observed, decision: RecordedDecision(evaluation)), at: now)
    return TriggerOutcome(
      kind: kind, reasons: [reason], trigger: requested, attribution: nil, sequence: event.sequence, at: event.at)
  }
}

/// A checked redirect: the URLs that the trigger rules look at.
struct ObservedRedirect: Sendable {
  let firstParty: WebURL
  /// Nil when it is not known.
  let from: WebURL?
  let to: WebURL
  let bundleIdentifier: String
  let observed: Provenance?

  /// The site of the page; nil for a page without one.
  var firstPartySite: Site? { FirstParty.lacksSite(firstParty) ? nil : firstParty.site }
}

extension TriggeringEventInput {
  func redirect(environment: BrowserEnvironment) throws(BrowserError) -> ObservedRedirect {
    var checker = InputChecker(environment: environment)
    // A page without a site is something a browser meets, and no error.
    let firstParty = checker.url(firstPartyURL, ["firstPartyURL"], sitelessAllowed: true)
    if let pixelOf, !checker.host(pixelOf, ["pixelOf"]) {
      // Its URLs would have the same error.
      checker.bundleIdentifier(bundleIdentifier, ["bundleIdentifier"])
      try checker.finish()
    }
    let redirect = observedRedirect
    let from = checker.url(redirect.from, ["redirect", "from"])
    // The trigger rules check the scheme.
    let to = checker.url(redirect.to, ["redirect", "to"], httpOnly: false, hostNeeded: false)
    checker.bundleIdentifier(bundleIdentifier, ["bundleIdentifier"])
    try checker.finish()
    return ObservedRedirect(
      firstParty: try checker.required(firstParty), from: from, to: try checker.required(to),
      bundleIdentifier: bundleIdentifier ?? BundleIdentifier.safari, observed: observed)
  }
}
