package import PCMCore
import PCMStore

/// A click or a triggering event without a report.
package struct SimulatedLoss: Hashable, Sendable {
  package enum Subject: String, Hashable, Sendable {
    case click
    case trigger
  }

  package let subject: Subject
  /// The line of the click or the triggering event.
  package let line: Int64
  /// The rule that failed; empty if none did, for a click that waited in vain.
  package let rule: String
  /// The code of the reason, or the state of a click that waited in vain.
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
  package var sourceID: UInt8 { attribution.click.click.sourceID }
  package var triggerData: UInt8 { attribution.trigger.data }
  /// The time since the triggering event.
  package var delay: Interval { at - attribution.attributedAt }
  /// Whether the other recipient had no report about the triggering event before.
  package var isFirst: Bool { !attribution.isHalfSent }
}

/// The numbers of the records of a line: of its click or attribution, and of two reports.
enum SimulatedNumber {
  static func first(ofLine line: Int64) -> Int64 { line << 2 }
  static func line(of number: Int64) -> Int64 { number >> 2 }
}

/// The measurement of a simulated user, in memory. It keeps the losses, and nothing about what passes.
///
/// The lists are searched from their end: a user has few clicks and attributions at a time, with different keys.
struct SimulatedMeasurement: MeasurementState {
  typealias Failure = Never

  /// The number of the line whose event the user performs.
  var line: Int64 = 0
  private(set) var losses: [SimulatedLoss] = []
  private(set) var reports: [SimulatedReport] = []
  private(set) var timer = ReportTimer()
  /// By place, ordered by number.
  private var clicks = [[KeptClick]](repeating: [], count: ClickPlace.allCases.count)
  private var attributions: [Pending] = []
  /// The ephemeral click that was removed last, unless an event released it.
  private var heldClick: Int64?

  private struct Pending: Hashable, Sendable {
    let session: SessionKind
    var attribution: Attribution
  }

  static let keepsInputs = false

  func nextSequence() -> Int64 { SimulatedNumber.first(ofLine: line) }

  func click(_ key: ClickKey, in place: ClickPlace) -> KeptClick? {
    lastIndex(of: key, in: place).map { clicks[Int(place.rawValue)][$0] }
  }

  /// Returns the index of a click. The search copies no other click.
  private func lastIndex(of key: ClickKey, in place: ClickPlace) -> Int? {
    let place = Int(place.rawValue)
    return clicks[place].indices.last { clicks[place][$0].click.key == key }
  }

  private func lastIndex(of key: ClickKey, in session: SessionKind) -> Int? {
    attributions.indices.last { attributions[$0].session == session && attributions[$0].attribution.key == key }
  }

  func clicks(in place: ClickPlace, limit: Int) -> [KeptClick] { limit < 1 ? [] : self[place] }

  func clicks(madeBefore instant: Instant) -> [KeptClick] {
    // Numbers and times have the same order: the time of a click is the time of its event.
    Array(self[.table].prefix { $0.click.clickedAt < instant })
  }

  func nearestClick(source: Site, destination: Site) -> KeptClick? {
    let table = Int(ClickPlace.table.rawValue)
    let fromSource = clicks[table].indices.lazy.filter { clicks[table][$0].click.key.source == source }
    let nearest = fromSource.min { left, right in
      let (left, right) = (clicks[table][left].click.key, clicks[table][right].click.key)
      let (isExact, isOtherExact) = (left.destination == destination, right.destination == destination)
      if isExact != isOtherExact { return isExact }
      return (left.destination, left.bundleIdentifier) < (right.destination, right.bundleIdentifier)
    }
    return nearest.map { clicks[table][$0] }
  }

  mutating func save(_ click: KeptClick, in place: ClickPlace) {
    removeClick(click.click.key, in: place)
    if click.id == heldClick { heldClick = nil }
    let end = self[place].lastIndex { $0.id < click.id }.map { $0 + 1 } ?? 0
    self[place].insert(click, at: end)
  }

  mutating func removeClick(_ key: ClickKey, in place: ClickPlace) {
    guard let index = lastIndex(of: key, in: place) else { return }
    let removed = self[place].remove(at: index)
    if place == .ephemeral || place == .privateEphemeral { heldClick = removed.id }
  }

  func attribution(_ key: ClickKey, in session: SessionKind) -> Attribution? {
    lastIndex(of: key, in: session).map { attributions[$0].attribution }
  }

  mutating func save(_ attribution: Attribution, in session: SessionKind) {
    guard let index = lastIndex(of: attribution.key, in: session) else {
      return attributions.append(Pending(session: session, attribution: attribution))
    }
    let before = attributions[index].attribution
    if before.click.id != attribution.click.id, !before.isHalfSent { lose(.click, before.click.id, by: .superseded) }
    if attribution.next == nil {
      attributions.remove(at: index)
    } else {
      attributions[index].attribution = attribution
    }
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
    if cause == .cleared { clear([.privateTable], nil) } else { self[.privateTable] = [] }
    removeAttributions(by: cause) { $0.session == .privateBrowsing }
  }

  mutating func endPrivateSession(at now: Instant) {
    clear([.privateEphemeral], nil)
    dropPrivateMeasurement(by: .cleared, at: now)
  }

  mutating func changeTimer(_ change: (inout ReportTimer) -> Void) { change(&timer) }

  /// The device of a simulated user has no rows yet.
  mutating func handOver(_ donation: AppStoreDonation, isPrivateSession: Bool) -> WebAdOrder? { nil }

  private subscript(place: ClickPlace) -> [KeptClick] {
    get { clicks[Int(place.rawValue)] }
    _modify { yield &clicks[Int(place.rawValue)] }
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
      case .waiting: ("", ClickRecord.State.stored.rawValue)
      case .paused: ("measurement-is-enabled", "measurement-disabled")
      case .held: ("", ClickRecord.State.ephemeral.rawValue)
      case .otherBrowser: ("", "other-browser")
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
    case .clear, .settings: break
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

  private mutating func removeAttributions(by cause: Cause, where isRemoved: (Pending) -> Bool) {
    for pending in attributions where isRemoved(pending) {
      loseTrigger(of: pending.attribution, by: cause)
      if !pending.attribution.isHalfSent { lose(.click, pending.attribution.click.id, by: cause) }
    }
    attributions.removeAll(where: isRemoved)
  }

  /// Clears everything, including the timer and the ephemeral clicks, or one site.
  mutating func clear(_ site: Site?) {
    clear(site == nil ? ClickPlace.allCases : ClickPlace.clearedBySite, site)
    removeAttributions(by: .cleared) { pending in site.map { pending.attribution.key.names($0) } ?? true }
    if site == nil { timer.stop() }
  }

  private mutating func clear(_ places: [ClickPlace], _ site: Site?) {
    for place in places {
      for click in self[place] where site.map(click.click.key.names) ?? true { lose(.click, click.id, by: .cleared) }
      self[place].removeAll { click in site.map { click.click.key.names($0) } ?? true }
    }
  }

  /// Whether a report waits for its time.
  var hasPendingReports: Bool { !attributions.isEmpty }

  /// Wakes the timer, and sends the report that is due.
  mutating func wake(_ settings: MeasurementSettings, at now: Instant, draws: ReportTimer.Draws) {
    var (timer, evaluation) = (timer, RuleEvaluation(keepsInputs: Self.keepsInputs))
    let round = timer.wake(settings, at: now, draws: draws, &evaluation) { earliest }
    self.timer = timer
    guard case .fired(let half?) = round,
      let index = attributions.firstIndex(where: { $0.attribution.id == half.attribution.id })
    else { return }
    reports.append(
      SimulatedReport(
        recipient: half.recipient, at: now, attribution: half.attribution, trigger: SimulatedNumber.line(of: half.report)))
    save(half.attributionAfterSending, in: attributions[index].session)
  }

  /// The two attributions of both sessions with the earliest remaining times.
  private var earliest: (first: Attribution?, second: Attribution?) {
    var (first, second): (Int?, Int?) = (nil, nil)
    for index in attributions.indices {
      if first.map({ isEarlier(index, $0) }) ?? true {
        (first, second) = (index, first)
      } else if second.map({ isEarlier(index, $0) }) ?? true {
        second = index
      }
    }
    return (first.map { attributions[$0].attribution }, second.map { attributions[$0].attribution })
  }

  private func isEarlier(_ left: Int, _ right: Int) -> Bool {
    guard let time = attributions[left].attribution.next?.half.dueAt,
      let other = attributions[right].attribution.next?.half.dueAt, time != other
    else { return attributions[left].attribution.id < attributions[right].attribution.id }
    return time < other
  }

  /// Keeps the clicks that waited in vain as losses, and the attributions whose sending is paused.
  mutating func finish() {
    for place in ClickPlace.allCases {
      let isEphemeral = place == .ephemeral || place == .privateEphemeral
      for click in self[place] { lose(.click, click.id, by: isEphemeral ? .held : .waiting) }
    }
    removeAttributions(by: .paused) { _ in true }
  }
}

extension ClickPlace {
  /// The places whose clicks are removed when their site is cleared. Ephemeral clicks stay.
  static let clearedBySite: [ClickPlace] = [.table, .privateTable]
}
