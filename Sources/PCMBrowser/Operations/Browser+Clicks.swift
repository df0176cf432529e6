package import PCMCore
import PCMStore
import PCMURL

// A click goes through this file from top to bottom: the operation, the reading of its input, the rules, the transaction of the
// decision, its rows, and its events.

extension EventAttributionInput: DecidedOperation {
  package static let isShort = true

  package func decision(on _: String?, in browser: Browser) throws(BrowserError) -> Decision<ClickRecord> {
    let reading = AppTapReading(self, sites: browser.environment.sites)
    return Decision(about: { state throws(BrowserError) in try reading.tap(in: state.registry.app(bundleIdentifier)) })
  }
}

extension EventAttributionInput {
  /// Decides about the click in a transaction of another operation, such as the click on a card.
  func click(
    of app: AppTap.App?, _ state: DecisionState, environment: BrowserEnvironment, in writer: any BrowserWriter
  ) throws -> ClickRecord {
    try ClickTransaction(AppTapReading(self, sites: environment.sites).tap(in: app), state).apply(to: writer, state)
  }
}

extension LinkClickInput: DecidedOperation {
  package static let isShort = true

  package func decision(on _: String?, in browser: Browser) throws(BrowserError) -> Decision<ClickRecord> {
    let reading = LinkClickReading(self, sites: browser.environment.sites)
    return Decision(about: { state throws(BrowserError) in try reading.click(at: state.now) })
  }
}

/// A tap whose values and URLs are read, before its app is known.
struct AppTapReading: Sendable {
  private let input: EventAttributionInput
  private let sourceID: UInt8?
  private let presentation: AppTap.Presentation?
  private let destination: WebURL?
  private let opened: WebURL?
  private let landing: WebURL?
  private let problems: [InputError]

  init(_ input: EventAttributionInput, sites: SiteParser) {
    self.input = input
    var checker = InputChecker(sites: sites)
    sourceID = UInt8(exactly: input.sourceIdentifier)
    if sourceID == nil {
      checker.problems.append(
        InputError(
          ["sourceIdentifier"], "\(input.sourceIdentifier) is out of range; sourceIdentifier is an integer from 0 to 255",
          .outOfRange))
    }
    presentation = AppTap.Presentation(rawValue: input.presentation)
    if presentation == nil {
      checker.problems.append(InputError(["presentation"], "use \"openURL\" or \"safariViewController\""))
    }
    destination = checker.url(input.destinationURL, ["destinationURL"])
    opened = checker.url(input.openedURL, ["openedURL"]) ?? destination
    landing = checker.url(input.landingURL, ["landingURL"]) ?? opened
    problems = checker.problems
  }

  /// - Parameter app: The registered app; nil when there is none.
  func tap(in app: AppTap.App?) throws(BrowserError) -> AppTap {
    guard problems.isEmpty, let app, let sourceID, let presentation, let destination, let opened, let landing else {
      throw .invalidInput((app == nil ? [unknownApp] : []) + problems)
    }
    return AppTap(
      input, app: app, sourceID: sourceID, destination: destination, presentation: presentation, opened: opened,
      landing: landing)
  }

  private var unknownApp: InputError {
    InputError(
      ["bundleIdentifier"],
      "no app \"\(input.bundleIdentifier)\" is registered; PUT its Info.plist to …/apps, or {\"reportEndpoint\": "
        + "\"https://…\"} to …/apps/\(PercentEncoding.component.encode(input.bundleIdentifier)), first", code: "app-unknown")
  }
}

/// A click on a link whose URLs are read, before its time is known.
struct LinkClickReading: Sendable {
  private let input: LinkClickInput
  private let page: WebURL?
  private let landing: WebURL?
  private let href: WebURL?
  private let destination: WebURL?
  private let problems: [InputError]

  init(_ input: LinkClickInput, sites: SiteParser) {
    self.input = input
    var checker = InputChecker(sites: sites)
    // A document without a URL is something a browser meets, and no error.
    page = input.pageURL.isEmpty ? nil : checker.url(input.pageURL, ["pageURL"], httpOnly: false, hostNeeded: false)
    landing = checker.url(input.landingURL, ["landingURL"])
    // Links to the App Store may have a scheme such as `itms-apps`.
    href = input.href.flatMap { checker.url($0, ["href"], httpOnly: false) }
    checker.bundleIdentifier(input.bundleIdentifier, ["bundleIdentifier"])
    destination = input.attributionDestination.flatMap { try? sites.url($0) }
    problems = checker.problems
  }

  /// - Parameter now: The browser's time.
  func click(at now: Instant) throws(BrowserError) -> LinkClick {
    let problems = [wrongTime(at: now)].compactMap { $0 } + problems
    guard problems.isEmpty else { throw .invalidInput(problems) }
    return LinkClick(input, page: page, destination: destination, href: href, landing: landing)
  }

  private func wrongTime(at now: Instant) -> InputError? {
    guard let clickedAt = input.clickedAt, !(now - LinkClickInput.maximumAge...now).contains(clickedAt) else { return nil }
    return InputError(
      ["clickedAt"],
      "\(clickedAt.text) is not within the minute before the browser's time, \(now.text); omit clickedAt for a click at that time",
      .outOfRange)
  }
}

extension Decision<ClickRecord> {
  /// The decision about a click. It moves no timer.
  ///
  /// - Parameter click: Returns the click. Throws the errors of its input.
  fileprivate init<Click: ClickCandidate>(about click: @escaping @Sendable (DecisionState) throws(BrowserError) -> Click) {
    self.init(isTimed: false) { writer, state in
      let outcome = try ClickTransaction(try click(state), state).apply(to: writer, state)
      guard outcome.tokenOrder != nil || outcome.webAdOrder != nil else { return .ended(outcome) }
      return .waiting(outcome) { browser, _ in
        // The click is stored and its answer complete, so a store that fails now ends only the exchange.
        if let order = outcome.tokenOrder { try? await browser.fetchSourceToken(order, in: .table) }
        if let order = outcome.webAdOrder { try? await browser.fetchSignedPayload(order) }
        return outcome
      }
    }
  }
}

/// A click as input of its rules.
protocol ClickCandidate: Sendable {
  var origin: ClickOrigin { get }
  /// The destination of the click; nil when it is not valid.
  var destinationSite: Site? { get }
  /// The site of the page to which the link leads; nil when it is not known.
  var landingSite: Site? { get }
  /// The input of the device for a web ad, which it receives from the browser; nil if the click is on no web ad.
  var appStoreDonation: AppStoreDonation? { get }
  /// The observation of the page.
  var observed: Provenance? { get }
  var ruleList: RuleList { get }

  func decide(_ settings: MeasurementSettings, at now: Instant, _ evaluation: inout RuleEvaluation) -> ClickDecision
}

extension AppTap: ClickCandidate {
  var origin: ClickOrigin { .eventAttribution }
  var destinationSite: Site? { destination.site }
  var landingSite: Site? { nil }
  var appStoreDonation: AppStoreDonation? { nil }
  var observed: Provenance? { nil }
  var ruleList: RuleList { RuleBook.eventAttribution }
}

extension LinkClick: ClickCandidate {
  var origin: ClickOrigin { .linkClick }
  var destinationSite: Site? { destination?.site }
  var landingSite: Site? { (landing ?? href).flatMap { $0.isHTTPFamily && input.landed ? $0.site : nil } }
  var observed: Provenance? { input.observed }
  var ruleList: RuleList { RuleBook.linkClick }
}

/// The decision about a click, and its effect on the measurement of a browser or of a simulated user.
struct ClickTransaction: Sendable {
  private let origin: ClickOrigin
  private let destination: Site?
  private let landing: Site?
  private let settings: MeasurementSettings
  private let donation: AppStoreDonation?
  private let observed: Provenance?
  private let decision: ClickDecision
  private let evaluation: RuleEvaluation

  /// - Parameter evaluation: An evaluation without rules so far.
  init(_ click: some ClickCandidate, _ settings: MeasurementSettings, at now: Instant, _ evaluation: RuleEvaluation) {
    self.settings = settings
    (origin, destination, landing) = (click.origin, click.destinationSite, click.landingSite)
    donation = click.appStoreDonation
    observed = click.observed
    var evaluation = evaluation
    decision = click.decide(settings, at: now, &evaluation)
    self.evaluation = evaluation
  }

  fileprivate init(_ click: some ClickCandidate, _ state: DecisionState) {
    self.init(click, state.settings.measurement, at: state.now, RuleEvaluation(of: click.ruleList))
  }

  fileprivate func apply(to writer: any BrowserWriter, _ state: DecisionState) throws -> ClickRecord {
    var rows = StoredMeasurement(writer, clickIn: state)
    return try apply(to: &rows, at: state.now)
  }

  /// The time and the identifier of a click with a known decision. The rules about a click read no time, and decide about each identifier
  /// from 0 to 255 alike.
  struct Occurrence {
    let clickedAt: Instant
    /// Nil for the identifier in the decision.
    let sourceID: UInt8?

    func click(_ decided: Click) -> Click { decided.made(at: clickedAt, sourceID: sourceID ?? decided.sourceID) }
  }

  /// - Parameter occurrence: A click that was decided before; nil for the click in the decision.
  func apply<State: MeasurementState>(
    to state: inout State, at now: Instant, _ occurrence: Occurrence? = nil
  ) throws(State.Failure) -> ClickRecord {
    switch decision {
    case .discard(let refusal): try discard(refusal, at: now, in: &state)
    case .storeEphemeral(let click, let notes):
      try storeEphemeral(occurrence?.click(click) ?? click, notes, at: now, in: &state)
    case .store(let click, let notes): try store(occurrence?.click(click) ?? click, notes, at: now, in: &state)
    }
  }

  private func discard<State: MeasurementState>(
    _ refusal: Violation, at now: Instant, in state: inout State
  ) throws(State.Failure) -> ClickRecord {
    let reason = refusal.reason
    if reason.code == AppStoreDonation.reasonCode, let donation {
      return try handOver(donation, reason, at: now, in: &state)
    }
    let event = try state.append(
      ClickDiscarded(
        origin: origin, destination: destination, landing: landing, reasons: [reason], observed: observed,
        decision: RecordedDecision(evaluation)),
      at: now)
    return ClickRecord(sequence: event.sequence, at: event.at, kind: .discarded, state: .discarded, reasons: [reason])
  }

  /// Hands the click over to the device, which measures it as a web ad (reference, section 2.2).
  private func handOver<State: MeasurementState>(
    _ donation: AppStoreDonation, _ reason: Reason, at now: Instant, in state: inout State
  ) throws(State.Failure) -> ClickRecord {
    let event = try state.append(
      ClickDiscarded(
        .clickHandedOver, origin: origin, destination: destination, reasons: [reason], observed: observed,
        decision: RecordedDecision(evaluation)),
      at: now)
    var outcome = ClickRecord(
      sequence: event.sequence, at: event.at, kind: .handedOver, state: .handedOver, reasons: [reason])
    outcome.webAdOrder = try state.handOver(donation, isPrivateSession: settings.privateBrowsing)
    return outcome
  }

  /// Stores the ephemeral click. A session has at most one, and a new ephemeral click replaces it (reference, section 3.3).
  private func storeEphemeral<State: MeasurementState>(
    _ click: Click, _ notes: [Reason], at now: Instant, in state: inout State
  ) throws(State.Failure) -> ClickRecord {
    let place = settings.privateBrowsing ? ClickPlace.privateEphemeral : .ephemeral
    let kept = KeptClick(id: try state.nextSequence(), click: click)
    let previous = try state.clicks(in: place, limit: 1).first
    let reasons = notes + (previous.map { [.heldClickReplaced($0)] } ?? [])
    let event = try state.append(record(.ephemeralClickStored, kept, reasons), at: now)
    if let previous {
      try state.removeClick(previous.click.key, in: place)
      try state.logReplacement(of: previous, by: kept, at: now)
    }
    try state.save(kept, in: place)
    return ClickRecord(
      sequence: kept.id, at: event.at, kind: .ephemeral, state: .ephemeral, reasons: reasons, click: kept,
      replaced: previous?.id)
  }

  /// The normal path of section 2.5: removes expired clicks, then stores the click, which replaces an earlier click with the same key.
  private func store<State: MeasurementState>(
    _ click: Click, _ notes: [Reason], at now: Instant, in state: inout State
  ) throws(State.Failure) -> ClickRecord {
    try state.expireClicks(at: now)
    let kept = KeptClick(id: try state.nextSequence(), click: click)
    let previous = try state.click(click.key, in: .table)
    let reasons = notes + (previous.map { [.clickReplaced($0)] } ?? [])
    try state.save(kept, in: .table)
    let event = try state.append(record(.clickStored, kept, reasons), at: now)
    if let previous { try state.logReplacement(of: previous, by: kept, at: now) }
    return ClickRecord(
      sequence: kept.id, at: event.at, kind: .stored, state: .stored, reasons: reasons, click: kept, replaced: previous?.id)
  }

  private func record(_ kind: EventKind, _ kept: KeptClick, _ reasons: [Reason]) -> ClickStored {
    ClickStored(
      kind, kept, origin: origin, reasons: reasons, observed: observed, decision: RecordedDecision(evaluation))
  }
}

extension RuleTitle {
  /// The titles of the rules by which a click replaces another click.
  package static let replacements = [
    RuleTitle(
      reason: "held-click-replaced", "The session keeps one ephemeral click. A new one replaces it.",
      .webkit("NetworkSession.cpp"),
      change: "trigger the event before the next ephemeral click"),
    RuleTitle(
      reason: "click-replaced", "A click with the same source, destination, and app is stored. Only the newest counts.",
      .webkit("PrivateClickMeasurementDatabase.cpp"), change: "nothing: the new click counts"),
  ]
}

extension Reason {
  fileprivate static func heldClickReplaced(_ previous: KeptClick) -> Reason {
    let id = previous.id
    return Reason(
      "held-click-replaced", later: { "only one ephemeral click is kept; this click replaces \(RecordName.click(id))" })
  }

  fileprivate static func clickReplaced(_ previous: KeptClick) -> Reason {
    let id = previous.id
    return Reason(
      "click-replaced", later: { "\(RecordName.click(id)) had the same source, destination, and app; only the newest counts" })
  }
}
