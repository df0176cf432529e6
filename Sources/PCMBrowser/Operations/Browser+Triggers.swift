package import PCMCore
import PCMStore
import PCMURL

extension TriggeringEventInput: DecidedOperation {
  package static let isShort = true

  package func decision(on _: String?, in browser: Browser) throws(BrowserError) -> Decision<TriggerOutcome> {
    let redirect = try redirect(sites: browser.environment.sites)
    let reading = TriggerURL.Reading(redirect.to, parse: browser.environment.url)
    let ignored = (ignoredFor ?? reachedBy?.ignoring).map {
      IgnoredTrigger(redirect.to.text, path: redirect.to.path, cause: $0)
    }
    if let ignored, ignoredFor == nil, IgnoredTrigger.isResembled(by: redirect.to.path) {
      return Decision(isTimed: true) { writer, state in
        var rows = StoredMeasurement(writer)
        return .ended(try rows.ignore(ignored, firstParty: redirect.firstPartySite, redirect.observed, at: state.now))
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
    var rows = StoredMeasurement(writer)
    let checked = checked(reading, state.settings.measurement, keepsInputs: StoredMeasurement.keepsInputs)
    switch try checked.decide(ignored, in: &rows, state.settings, at: state.now, &state.streams) {
    case .refused(let outcome): return .ended(outcome)
    case .admitted(let handling, let admission):
      if let outcome = admission.outcome, admission.tokenOrder == nil { return .ended(outcome) }
      return .waiting(admission.outcome) { browser, request in
        try await browser.complete(handling, admission, for: request)
      }
    }
  }

  /// The decision about a request that was redirected, up to the exchange for the destination's token.
  enum Decision {
    case refused(TriggerOutcome)
    case admitted(TriggerHandling, TriggerAdmission)
  }

  /// Applies the rules that read no state.
  func checked(_ reading: TriggerURL.Reading, _ settings: MeasurementSettings, keepsInputs: Bool) -> CheckedRedirect {
    var evaluation = RuleEvaluation(of: RuleBook.triggeringEvent, keepsInputs: keepsInputs)
    let isElsewhere = evaluation.firstViolation(of: TriggerPath.rules, to: to)
    let rejection =
      isElsewhere ?? evaluation.firstViolation(of: MeasurementSettings.rules, to: settings)
      ?? evaluation.firstViolation(of: FirstParty.rules, to: firstParty)
      ?? evaluation.firstViolation(of: MixedContent.rules, to: (page: firstParty, request: from))
    let target = rejection.map(Result.failure) ?? TriggerURL.parse(reading, &evaluation)
    let event = target.map { TriggeringEvent(self, target: $0) }
    var later = RuleEvaluation(keepsInputs: false)
    return CheckedRedirect(
      event: event, meetsRules: (try? event.get())?.violation(&later) == nil, isElsewhere: isElsewhere != nil,
      firstPartySite: firstPartySite, observed: observed, evaluation: evaluation)
  }
}

/// A redirect with the results of the rules that read no state. They are the same each time.
struct CheckedRedirect: Sendable {
  fileprivate let event: Result<TriggeringEvent, Violation>
  /// Whether the event meets its own rules, which follow the rules about the ephemeral click.
  fileprivate let meetsRules: Bool
  /// Whether the redirect does not lead to the trigger path.
  fileprivate let isElsewhere: Bool
  fileprivate let firstPartySite: Site?
  fileprivate let observed: Provenance?
  fileprivate let evaluation: RuleEvaluation

  /// Decides about a request that was redirected.
  ///
  /// - Parameters:
  ///   - trigger: Data and a priority in their range, which replace the data and the priority of the redirect; nil to keep them.
  ///   - settings: Settings with the measurement settings that were checked.
  func decide<State: MeasurementState>(
    _ ignored: IgnoredTrigger? = nil, with trigger: Trigger? = nil, in state: inout State, _ settings: BrowserSettings,
    at now: Instant,
    _ streams: inout RandomStreams
  ) throws(State.Failure) -> ObservedRedirect.Decision {
    switch event {
    case .failure(let rejection):
      return .refused(
        try state.refuse(
          isElsewhere ? .notTriggering : .rejected, rejection, firstParty: firstPartySite, requested: nil, observed, evaluation,
          at: now))
    case .success(let event):
      // WebKit reads the URL before it looks at the load.
      if let ignored { return .refused(try state.ignore(ignored, firstParty: event.firstPartySite, observed, at: now)) }
      // An invalid event draws no random numbers.
      let handling = TriggerHandling(
        event: event, meetsRules: meetsRules, trigger: trigger ?? event.target.trigger, at: now, draws: streams.delays(),
        settings: settings)
      return .admitted(handling, try handling.admit(in: &state, evaluation))
    }
  }
}

extension Browser {
  /// Logs a request or redirect of a load that resembles a triggering event.
  func ignore(_ trigger: IgnoredTrigger, on page: WebURL) async throws -> TriggerOutcome {
    try await lock.sharing {
      try await submit { writer, state in
        var rows = StoredMeasurement(writer)
        return try rows.ignore(trigger, firstParty: page.site, nil, at: state.now)
      }.answer()
    }
  }

  fileprivate func complete(
    _ handling: TriggerHandling, _ admission: TriggerAdmission, for request: KeyedRequest<TriggerOutcome>?
  ) async throws -> TriggerOutcome {
    let outcome: TriggerOutcome
    if let ended = admission.outcome {
      outcome = ended
    } else {
      outcome = try await attribute(handling, admission, for: request)
    }
    // WebKit starts this exchange when it stores the released click; nearly always the event attributes it first.
    // As for a click, the answer does not depend on it.
    if let order = admission.tokenOrder { try? await fetchSourceToken(order, in: handling.table) }
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
      var rows = StoredMeasurement(writer)
      let outcome = try handling.resumed(at: state.now).conclude(signed.destinationToken, in: &rows, &evaluation)
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
  func redirect(sites: SiteParser) throws(BrowserError) -> ObservedRedirect {
    var checker = InputChecker(sites: sites)
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
