package import PCMCore
import PCMStore

/// A click or a triggering event without a report.
package struct SimulatedLoss: Hashable, Sendable {
  package enum Subject: String, Hashable, Sendable {
    case click
    case trigger
    case impression
    case impressionEnd = "impression-end"
    case impressionTap = "impression-tap"
    case install
    case launch
    case conversionValue = "conversion-value"
    /// A conversion window without a postback, or without the postback of an ad network.
    case window
  }

  /// The reason of a loss in which no rule of a decision failed.
  package enum Code: String, CaseIterable, Sendable {
    case stored
    case ephemeral
    case otherBrowser = "other-browser"
    case recorded
    case displayed
    case appNotInstalled = "app-not-installed"
    case notFound = "not-found"
    case conflict
    case limitReached = "limit-reached"
    case valueReplaced = "value-replaced"
  }

  package let subject: Subject
  /// The line of the click or the triggering event.
  package let line: Int64
  /// The rule that failed; empty if none did, as for a click that waited in vain.
  package let rule: String
  /// The code of the reason: a reason of the rule, or a ``Code``.
  package let reason: String

  package init(subject: Subject, line: Int64, rule: String, reason: String) {
    (self.subject, self.line, self.rule, self.reason) = (subject, line, rule, reason)
  }
}

/// A report that left.
package struct SimulatedReport: Hashable, Sendable {
  package let recipient: Recipient
  package let at: Instant
  fileprivate let attribution: Attribution
  /// The line of the triggering event.
  package let trigger: Int64
  /// The line of the click.
  package var click: Int64 { SimulatedNumber.line(of: attribution.click.id) }
  /// The body as it was sent.
  package var body: JSON { attribution.body }

  /// Appends the body as it was sent.
  package func writeBody(into bytes: inout [UInt8]) { attribution.writeBody(into: &bytes) }

  package var sourceID: UInt8 { attribution.click.click.sourceID }
  package var triggerData: UInt8 { attribution.trigger.data }
  /// The time since the triggering event.
  package var delay: Interval { at - attribution.attributedAt }
  /// Whether the other recipient had no report about the triggering event before.
  package var isFirst: Bool { !attribution.isHalfSent }
}

/// The numbers of the records of a line: of its click or attribution, and of two reports; of its ad or its conversion; or of its tap and
/// its conversion.
enum SimulatedNumber {
  static func first(ofLine line: Int64) -> Int64 { line << 2 }
  /// The first number of a tap on an ad, minus the first number of its line.
  static let ofTap: Int64 = 2
  static func isTap(_ number: Int64) -> Bool { number & ofTap != 0 }
  static func line(of number: Int64) -> Int64 { number >> 2 }
}

/// The measurement of a simulated user, in memory. It keeps the losses, and nothing about what passes.
struct SimulatedMeasurement: MeasurementState {
  typealias Failure = Never

  /// The number of the line whose event the user performs.
  var line: Int64 = 0
  private(set) var losses: [SimulatedLoss] = []
  private(set) var reports: [SimulatedReport] = []
  private(set) var timer = ReportTimer()
  // The clicks by place, ordered by number.
  private var table = KeyedList<KeptClick>()
  private var ephemeral = KeyedList<KeptClick>()
  private var privateEphemeral = KeyedList<KeptClick>()
  private var privateTable = KeyedList<KeptClick>()
  /// The keys of a long table; nil until they are searched.
  private var tableKeys: OrderedKeys?
  private var attributions = PendingAttributions()
  /// The ephemeral click that was removed last, unless an event released it.
  private var heldClick: Int64?

  static let keepsInputs = false

  func nextSequence() -> Int64 { SimulatedNumber.first(ofLine: line) }

  func click(_ key: ClickKey, in place: ClickPlace) -> KeptClick? { self[place][key] }

  func clicks(in place: ClickPlace, limit: Int) -> [KeptClick] { limit < 1 ? [] : self[place].values }

  func clicks(madeBefore instant: Instant) -> [KeptClick] {
    // Numbers and times have the same order: the time of a click is the time of its event.
    table.prefix { $0.click.clickedAt < instant }
  }

  mutating func nearestClick(source: Site, destination: Site) -> KeptClick? {
    let nearest: ClickKey?
    if table.isLong {
      if tableKeys == nil { tableKeys = OrderedKeys(table.values.map(\.key)) }
      nearest = tableKeys?.nearest(source: source, destination: destination)
    } else {
      nearest = OrderedKeys(table.values.map(\.key).filter { $0.source == source })
        .nearest(source: source, destination: destination)
    }
    return nearest.flatMap { table[$0] }
  }

  mutating func save(_ click: KeptClick, in place: ClickPlace) {
    removeClick(click.click.key, in: place)
    if click.id == heldClick { heldClick = nil }
    self[place].insert(click)
    if place == .table { tableKeys?.insert(click.key) }
  }

  mutating func removeClick(_ key: ClickKey, in place: ClickPlace) {
    guard let removed = self[place].remove(key) else { return }
    if place == .ephemeral || place == .privateEphemeral { heldClick = removed.id }
    if place == .table { tableKeys?.remove(key) }
  }

  func attribution(_ key: ClickKey, in session: SessionKind) -> Attribution? {
    attributions.attribution(key, in: session)
  }

  mutating func save(_ attribution: Attribution, in session: SessionKind) {
    if let before = attributions.attribution(attribution.key, in: session), before.click.id != attribution.click.id,
      !before.isHalfSent
    {
      lose(.click, before.click.id, by: .superseded)
    }
    attributions.save(attribution, in: session)
  }

  /// A report has the body that its attribution has when it leaves.
  mutating func scheduleReports(
    of attribution: Attribution, in session: SessionKind, _ settings: BrowserSettings, at now: Instant
  ) {}

  mutating func supersede(_ attribution: Attribution, at now: Instant) {
    loseTrigger(of: attribution, by: .superseded)
  }

  mutating func dropPrivateMeasurement(by event: OutgoingMessage.Event, at now: Instant) {
    let cause = event == .cleared ? Cause.cleared : .superseded
    // The next click has noted the replacement of the click.
    if cause == .cleared { clear([.privateTable], nil) } else { privateTable = KeyedList() }
    removeAttributions(of: .privateBrowsing, by: cause) { _ in true }
  }

  mutating func endPrivateSession(at now: Instant) {
    clear([.privateEphemeral], nil)
    dropPrivateMeasurement(by: .cleared, at: now)
  }

  mutating func changeTimer(_ change: (inout ReportTimer) -> Void) { change(&timer) }

  /// The device of a simulated user has no rows yet.
  mutating func handOver(_ donation: AppStoreDonation, isPrivateSession: Bool) -> WebAdOrder? { nil }

  private subscript(place: ClickPlace) -> KeyedList<KeptClick> {
    get {
      switch place {
      case .table: table
      case .ephemeral: ephemeral
      case .privateEphemeral: privateEphemeral
      case .privateTable: privateTable
      }
    }
    _modify {
      switch place {
      case .table: yield &table
      case .ephemeral: yield &ephemeral
      case .privateEphemeral: yield &privateEphemeral
      case .privateTable: yield &privateTable
      }
    }
  }
}

extension SimulatedMeasurement {
  /// Keeps the loss that an event means. Most events mean none, and are not made.
  @discardableResult
  mutating func append<Event: BrowserEvent>(
    _ event: @autoclosure () -> Event, at instant: Instant
  ) -> (sequence: Int64, at: Instant) {
    if Event.self == ClickDiscarded.self, let event = event() as? ClickDiscarded {
      lose(.click, nextSequence(), event)
    } else if Event.self == TriggerRejected.self, let event = event() as? TriggerRejected {
      lose(.trigger, nextSequence(), event)
    } else if Event.self == TriggerUnmatched.self, let event = event() as? TriggerUnmatched {
      lose(.trigger, nextSequence(), event)
      if let click = event.lostClick { lose(.click, click, event) }
    } else if Event.self == ClickReplaced.self, let event = event() as? ClickReplaced {
      lose(.click, event.click, by: event.click == heldClick ? .heldClickReplaced : .clickReplaced)
    } else if Event.self == ClickExpired.self, let event = event() as? ClickExpired {
      lose(.click, event.click, by: .clickExpired)
    } else if Event.self == ClickConsumed.self, let event = event() as? ClickConsumed {
      lose(.click, event.click, by: .consumed)
    }
    return (nextSequence(), instant)
  }

  /// The rule and the reason of a loss without a decision.
  private enum Cause {
    case clickReplaced, heldClickReplaced, clickExpired, consumed, superseded, cleared, waiting, held, paused, otherBrowser

    var codes: (rule: String, reason: String) {
      switch self {
      case .clickReplaced: ("click-replaced", "click-replaced")
      case .heldClickReplaced: ("held-click-replaced", "held-click-replaced")
      case .clickExpired: ("a-click-is-stored", "click-expired")
      case .consumed: ("priority-is-higher", "lower-or-equal-priority")
      case .superseded: ("report-still-counts", "superseded")
      case .cleared: ("report-still-counts", "cleared")
      case .waiting: ("", SimulatedLoss.Code.stored.rawValue)
      case .paused: ("measurement-is-enabled", "measurement-disabled")
      case .held: ("", SimulatedLoss.Code.ephemeral.rawValue)
      case .otherBrowser: ("", SimulatedLoss.Code.otherBrowser.rawValue)
      }
    }
  }

  private mutating func lose(_ subject: SimulatedLoss.Subject, _ number: Int64, _ event: some BrowserEvent) {
    losses.append(
      SimulatedLoss(
        subject: subject, line: SimulatedNumber.line(of: number), rule: event.decision?.failed ?? "",
        reason: event.reasons.first?.code ?? ""))
  }

  /// Keeps the loss of a click or a triggering event of a user without Safari.
  mutating func loseToOtherBrowser(_ action: SimulatedAction) {
    switch action.kind {
    case .click: lose(.click, nextSequence(), by: .otherBrowser)
    case .trigger, .ignored: lose(.trigger, nextSequence(), by: .otherBrowser)
    case .clear, .settings, .device: break
    }
  }

  private mutating func lose(_ subject: SimulatedLoss.Subject, _ number: Int64, by cause: Cause) {
    let (rule, reason) = cause.codes
    losses.append(SimulatedLoss(subject: subject, line: SimulatedNumber.line(of: number), rule: rule, reason: reason))
  }

  /// A triggering event that one of the two recipients learned is not lost.
  private mutating func loseTrigger(of attribution: Attribution, by cause: Cause) {
    if let report = attribution.source?.report, attribution.destination != nil { lose(.trigger, report, by: cause) }
  }

  private mutating func removeAttributions(of session: SessionKind, by cause: Cause, where isRemoved: (Attribution) -> Bool) {
    for attribution in attributions[session].values where isRemoved(attribution) {
      loseTrigger(of: attribution, by: cause)
      if !attribution.isHalfSent { lose(.click, attribution.click.id, by: cause) }
    }
    attributions[session].removeAll(where: isRemoved)
  }

  /// Clears everything, including the timer and the ephemeral clicks, or one site.
  mutating func clear(_ site: Site?) {
    clear(site == nil ? ClickPlace.allCases : ClickPlace.clearedBySite, site)
    for session in SessionKind.allCases {
      removeAttributions(of: session, by: .cleared) { attribution in site.map(attribution.key.names) ?? true }
    }
    if site == nil { timer.stop() }
  }

  private mutating func clear(_ places: [ClickPlace], _ site: Site?) {
    for place in places {
      for click in self[place].values where site.map(click.key.names) ?? true { lose(.click, click.id, by: .cleared) }
      self[place].removeAll { click in site.map(click.key.names) ?? true }
    }
    tableKeys = nil
  }

  /// Whether a report waits for its time.
  var hasPendingReports: Bool { !attributions.isEmpty }

  /// Wakes the timer, and sends the report that is due.
  mutating func wake(_ settings: MeasurementSettings, at now: Instant, draws: ReportTimer.Draws) {
    var (timer, evaluation) = (timer, RuleEvaluation(keepsInputs: Self.keepsInputs))
    let round = timer.wake(settings, at: now, draws: draws, &evaluation) { attributions.earliest() }
    self.timer = timer
    guard case .fired(let half?) = round else { return }
    let attribution = half.attribution
    reports.append(
      SimulatedReport(
        recipient: half.recipient, at: now, attribution: attribution, trigger: SimulatedNumber.line(of: half.report)))
    let isNormal = attributions.attribution(attribution.key, in: .normal)?.id == attribution.id
    attributions.save(half.attributionAfterSending, in: isNormal ? .normal : .privateBrowsing)
  }

  /// Keeps the clicks that waited in vain as losses, and the attributions whose sending is paused.
  mutating func finish() {
    for place in ClickPlace.allCases {
      let isEphemeral = place == .ephemeral || place == .privateEphemeral
      for click in self[place].values { lose(.click, click.id, by: isEphemeral ? .held : .waiting) }
    }
    for session in SessionKind.allCases { removeAttributions(of: session, by: .paused) { _ in true } }
  }
}

extension ClickPlace {
  /// The places whose clicks are removed when their site is cleared. Ephemeral clicks stay.
  static let clearedBySite: [ClickPlace] = [.table, .privateTable]
}
