import PCMCore
import PCMStore

/// Checks a browser's promises. It sees only operations with their answers and the requests at the
/// network, and keeps its own small books of them. It knows no attribution rule.
struct Referee {
  /// A click that the browser took.
  struct Ticket {
    let step: ClickStep
    let at: Instant
    let isPrivate: Bool
    /// Whether it may still be in its session's slot, which clearing a site does not touch.
    var mayBeHeld: Bool
    /// Why nothing may come of it any more.
    var void: Promise?
    var sale: Sale?

    var app: String { step.way == .openURL ? Cast.safari : step.app ?? Cast.safari }
    func hasKey(of other: Ticket) -> Bool {
      step.source == other.step.source && step.destination == other.step.destination && app == other.app
        && isPrivate == other.isPrivate
    }
    func names(_ site: String) -> Bool { step.source == site || step.destination == site }
  }

  /// The attribution of a click.
  struct Sale {
    let data: Int
    let at: Instant
    var halves: [Half]
    /// When the send timer fires at the latest. A renewed attribution leaves the timer alone, so an attribution that draws an
    /// earlier time than before waits all the same (section 13, oddity 5).
    let timerBy: Instant
    /// Why the halves that have not gone out may not go out any more.
    var void: Promise?
  }

  struct Half {
    let isToSource: Bool
    let due: Instant
    var attempts: [SendAttempt] = []
    /// A process died over it before the network heard of it. Under `reliable` it is sent all the same, later.
    var isLost = false

    /// The browser may not know the result of the last attempt.
    var isInDoubt = false

    var isOpen: Bool { attempts.isEmpty && !isLost }
    var isDelivered: Bool { attempts.last?.isDelivered == true && !isInDoubt }
  }

  let policy: DeliveryPolicy
  private(set) var settings: BrowserSettings
  var tickets: [UInt8: Ticket] = [:]
  /// The last report that left for the first time, and whether that was in debug mode.
  var lastRound: (at: Instant, inDebugMode: Bool)?
  /// Every time that was announced for a report: a round may come at each.
  var announced: Set<Instant> = []
  /// Since when measurement has been on.
  var measuringSince = Service.start
  /// Whether an attribution may have started the send timer.
  var timerMayRun = false
  /// The event whose two reports have the exact times of debug mode.
  var debugEvent: (at: Instant, sent: Int)?

  init(_ plan: Plan, start: Snapshot) {
    policy = plan.policy
    settings = start.settings
  }

  /// Takes note of an operation and says which promise it breaks.
  mutating func judge(_ seen: Observation) throws(Breach) {
    try judgeClock(seen)
    for attempt in seen.attempts { try judge(attempt, within: seen) }
    try judgeSettings(seen)
    switch (seen.answer, seen.operation) {
    case (.click(let outcome), .click(let step)): note(step, outcome.kind, at: seen.before.now)
    case (.trigger(let outcome, let isReadable, let sale), .pixel(let pixel)):
      try judge(outcome, isReadable: isReadable, sale, of: pixel, at: seen.before.now)
    case (.done, let operation): try noteDone(operation, seen)
    case (.crashed, let operation): try noteCrash(operation, seen)
    case (.refused, _): try judgeRefusal(seen)
    default: break
    }
    settings = seen.after.settings
    noteDoubt(seen)
    try judgePatience(at: seen.after.now)
  }

  /// After the end of every run nothing is owed any more.
  func judgeEnd() throws(Breach) {
    guard policy == .reliable else { return }
    for ticket in tickets.values.sorted(by: { $0.step.id < $1.step.id }) {
      guard ticket.void == nil, let sale = ticket.sale else { continue }
      for half in sale.halves where sale.void == nil || !half.isOpen {
        try Promise.reliableDelivers.demand(half.isDelivered, "click \(ticket.step.id) was not delivered by the end")
      }
    }
  }

  // MARK: Clicks

  private mutating func note(_ step: ClickStep, _ kind: String, at now: Instant) {
    guard kind != "discarded" else { return }
    let ticket = Ticket(
      step: step, at: now, isPrivate: settings.measurement.privateBrowsing, mayBeHeld: kind == "ephemeral")
    for (id, other) in tickets where other.sale == nil && other.void == nil {
      let isSameSlot = ticket.mayBeHeld && other.mayBeHeld && other.isPrivate == ticket.isPrivate
      let isSameKey = !ticket.mayBeHeld && !other.mayBeHeld && other.hasKey(of: ticket)
      if isSameSlot || isSameKey { tickets[id]?.void = .onlyTheNewest }
    }
    tickets[step.id] = ticket
  }

  // MARK: Triggering events

  private mutating func judge(
    _ outcome: Answer.Outcome, isReadable: Bool, _ sale: Answer.Sale?, of pixel: PixelStep, at now: Instant
  ) throws(Breach) {
    if let sale { try judgeMatch(sale, of: pixel, at: now) }
    if isReadable { emptySlot() }
    if isReadable, settings.measurement.privateBrowsing, !outcome.codes.contains(where: Self.keepsPrivateStore.contains) {
      voidPrivateSales()
    }
    if let sale { try note(sale, at: now) }
    if sale != nil || outcome.codes.contains("lower-or-equal-priority") { noteTimer(at: now) }
  }

  func judgeMatch(_ sale: Answer.Sale, of pixel: PixelStep, at now: Instant) throws(Breach) {
    guard let ticket = tickets[sale.click]
    else { throw Breach(.onlyWhatWasMeasured, "click \(sale.click) matched and was never taken") }
    let name = "click \(sale.click) of \(ticket.at.text)"
    if let void = ticket.void { throw Breach(void, "\(name) matched") }
    try Promise.onlyWhatWasMeasured.demand(
      ticket.step.source == sale.source && ticket.step.destination == sale.destination && sale.data == pixel.data,
      "\(name) is not from \(sale.source) to \(sale.destination)")
    try Promise.sessionsAreApart.demand(
      ticket.isPrivate == settings.measurement.privateBrowsing, "\(name) matched in the other")
    try Promise.appsAreApart.demand(
      ticket.app == pixel.app ?? Cast.safari, "\(name) is of \(ticket.app), the event of \(pixel.app ?? Cast.safari)")
    if let earlier = ticket.sale {
      try Promise.oneAClick.demand(earlier.halves.allSatisfy(\.isOpen), "\(name) was attributed anew after a report")
    } else {
      try Promise.nothingAfterExpiry.demand(now - ticket.at <= .days(7), "\(name) matched at \(now.text)")
    }
    for due in [sale.sourceDue, sale.destinationDue] {
      try Promise.announcedInTime.demand(
        due - now >= .hours(24) && due - now < .hours(48), "\(name) is announced for \(due.text) at \(now.text)")
    }
  }

  /// The first event that can be read ends a click's stay in the slot, whatever comes of it.
  private mutating func emptySlot() {
    for (id, ticket) in tickets where ticket.isPrivate == settings.measurement.privateBrowsing {
      tickets[id]?.mayBeHeld = false
    }
  }

  /// With any other answer a private session's held click has gone into the store that has room for one measurement.
  private static let keepsPrivateStore: Set<String> = ["no-held-click", "held-click-expired", "held-click-mismatch"]

  mutating func voidPrivateSales() {
    for (id, ticket) in tickets where ticket.isPrivate { tickets[id]?.sale?.void = .onlyTheLatest }
  }

  mutating func note(_ sale: Answer.Sale, at now: Instant) throws(Breach) {
    guard let ticket = tickets[sale.click] else { return }
    for (id, other) in tickets where id != sale.click && other.sale != nil {
      if other.hasKey(of: ticket) { tickets[id]?.sale?.void = .onlyTheLatest }
    }
    announced.formUnion([sale.sourceDue, sale.destinationDue])
    tickets[sale.click]?.sale = Sale(
      data: sale.data, at: now,
      halves: [Half(isToSource: true, due: sale.sourceDue), Half(isToSource: false, due: sale.destinationDue)],
      timerBy: ticket.sale?.timerBy ?? min(sale.sourceDue, sale.destinationDue))
  }

  /// Only when nothing can have been waiting is it known from outside when the timer fires.
  private mutating func noteTimer(at now: Instant) {
    debugEvent = !timerMayRun && settings.measurement.debugMode ? (now, 0) : nil
    timerMayRun = true
  }

  // MARK: The owner's actions

  private mutating func noteDone(_ operation: Operation, _ seen: Observation) throws(Breach) {
    switch operation {
    case .clear(let site): noteClearing(of: site)
    case .privateBrowsing, .measurement, .debugMode: noteSettings(seen.after.settings, at: seen.after.now)
    case .restart: try judgeRestart(seen)
    default: break
    }
  }

  /// Whether a change took effect is not known only when the process died over it.
  private func judgeSettings(_ seen: Observation) throws(Breach) {
    var expected = settings
    switch (seen.answer, seen.operation) {
    case (.done, .measurement(let isOn)): expected.measurement.measurementEnabled = isOn
    case (.done, .privateBrowsing(let isOn)): expected.measurement.privateBrowsing = isOn
    case (.done, .debugMode(let isOn)): expected.measurement.debugMode = isOn
    case (.crashed, _): return
    default: break
    }
    try Promise.settingsHold.demand(
      seen.after.settings == expected, "they are \(seen.after.settings) instead of \(expected)")
  }

  /// The actions while a report was in flight.
  mutating func noteMeanwhile(_ operation: Operation, at now: Instant) {
    switch operation {
    case .clear(let site): noteClearing(of: site)
    case .privateBrowsing(let isOn):
      var after = settings
      after.measurement.privateBrowsing = isOn
      noteSettings(after, at: now)
      settings = after
    default: break
    }
  }

  private mutating func noteClearing(of site: String?) {
    for (id, ticket) in tickets {
      guard let site else {
        tickets[id]?.void = .nothingOfACleared
        continue
      }
      if ticket.names(site), !ticket.mayBeHeld { tickets[id]?.void = .nothingOfACleared }
    }
    debugEvent = nil
    if site == nil { timerMayRun = false }
  }

  mutating func noteSettings(_ after: BrowserSettings, at now: Instant) {
    guard after != settings else { return }
    if settings.measurement.privateBrowsing, !after.measurement.privateBrowsing {
      for (id, ticket) in tickets where ticket.isPrivate { tickets[id]?.void = .nothingOfAnEndedSession }
    }
    if !settings.measurement.measurementEnabled, after.measurement.measurementEnabled { measuringSince = now }
    debugEvent = nil
  }
}
