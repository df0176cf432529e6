import PCMCore
import PCMStore

/// Holds a browser to its promises. It sees what an outsider sees, operations with their answers and the requests at the
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

  /// What a click was attributed with.
  struct Sale {
    let data: Int
    let at: Instant
    var halves: [Half]
    /// When the send timer fires at the latest. A renewed attribution leaves the timer alone, so one that draws an
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

    /// The browser may not know what the last attempt came to.
    var isInDoubt = false

    var isOpen: Bool { attempts.isEmpty && !isLost }
    var isDelivered: Bool { attempts.last?.isDelivered == true && !isInDoubt }
  }

  let policy: DeliveryPolicy
  private(set) var settings: BrowserSettings
  var tickets: [UInt8: Ticket] = [:]
  /// The last report that left for the first time, and whether that was in debug mode.
  var lastRound: (at: Instant, inDebugMode: Bool)?
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
      step: step, at: now, isPrivate: settings.session.privateBrowsing, mayBeHeld: kind == "held")
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
    if isReadable, settings.session.privateBrowsing, !outcome.codes.contains(where: Self.keepsPrivateStore.contains) {
      voidPrivateSales()
    }
    if let sale { try note(sale, at: now) }
    if sale != nil || outcome.codes.contains("lower-or-equal-priority") { noteTimer(at: now) }
  }

  private func judgeMatch(_ sale: Answer.Sale, of pixel: PixelStep, at now: Instant) throws(Breach) {
    guard let ticket = tickets[sale.click]
    else { throw Breach(.onlyWhatWasMeasured, "click \(sale.click) matched and was never taken") }
    let name = "click \(sale.click) of \(ticket.at.text)"
    if let void = ticket.void { throw Breach(void, "\(name) matched") }
    try Promise.onlyWhatWasMeasured.demand(
      ticket.step.source == sale.source && ticket.step.destination == sale.destination && sale.data == pixel.data,
      "\(name) is not from \(sale.source) to \(sale.destination)")
    try Promise.sessionsAreApart.demand(ticket.isPrivate == settings.session.privateBrowsing, "\(name) matched in the other")
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
    for (id, ticket) in tickets where ticket.isPrivate == settings.session.privateBrowsing { tickets[id]?.mayBeHeld = false }
  }

  /// With any other answer a private session's held click has gone into the store that has room for one measurement.
  private static let keepsPrivateStore: Set<String> = ["no-held-click", "held-click-expired", "held-click-mismatch"]

  private mutating func voidPrivateSales() {
    for (id, ticket) in tickets where ticket.isPrivate { tickets[id]?.sale?.void = .onlyTheLatest }
  }

  private mutating func note(_ sale: Answer.Sale, at now: Instant) throws(Breach) {
    guard let ticket = tickets[sale.click] else { return }
    for (id, other) in tickets where id != sale.click && other.sale != nil {
      if other.hasKey(of: ticket) { tickets[id]?.sale?.void = .onlyTheLatest }
    }
    tickets[sale.click]?.sale = Sale(
      data: sale.data, at: now,
      halves: [Half(isToSource: true, due: sale.sourceDue), Half(isToSource: false, due: sale.destinationDue)],
      timerBy: ticket.sale?.timerBy ?? min(sale.sourceDue, sale.destinationDue))
  }

  /// Only when nothing can have been waiting is it known from outside when the timer fires.
  private mutating func noteTimer(at now: Instant) {
    debugEvent = !timerMayRun && settings.session.debugMode ? (now, 0) : nil
    timerMayRun = true
  }

  // MARK: What the owner does

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
    case (.done, .measurement(let isOn)): expected.session.measurementEnabled = isOn
    case (.done, .privateBrowsing(let isOn)): expected.session.privateBrowsing = isOn
    case (.done, .debugMode(let isOn)): expected.session.debugMode = isOn
    case (.crashed, _): return
    default: break
    }
    try Promise.settingsHold.demand(
      seen.after.settings == expected, "they are \(seen.after.settings) instead of \(expected)")
  }

  /// What was done while a report was under way.
  mutating func noteMeanwhile(_ operation: Operation, at now: Instant) {
    switch operation {
    case .clear(let site): noteClearing(of: site)
    case .privateBrowsing(let isOn):
      var after = settings
      after.session.privateBrowsing = isOn
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

  private mutating func noteSettings(_ after: BrowserSettings, at now: Instant) {
    guard after != settings else { return }
    if settings.session.privateBrowsing, !after.session.privateBrowsing {
      for (id, ticket) in tickets where ticket.isPrivate { tickets[id]?.void = .nothingOfAnEndedSession }
    }
    if !settings.session.measurementEnabled, after.session.measurementEnabled { measuringSince = now }
    debugEvent = nil
  }
}

extension Referee {
  // MARK: What goes wrong

  private func judgeRefusal(_ seen: Observation) throws(Breach) {
    guard !seen.operation.isMove else { return }
    try Promise.refusalChangesNothing.demand(seen.after == seen.before, "\(seen.operation) was refused")
  }

  /// Everything is as it was, but what was under way counts as failed.
  private func judgeRestart(_ seen: Observation) throws(Breach) {
    let (before, after) = (seen.before, seen.after)
    try Promise.restartLosesNothing.demand(
      before.settings == after.settings, "the settings were \(before.settings) and are \(after.settings)")
    try Promise.restartLosesNothing.demand(
      before.unattributed == after.unattributed && before.attributed == after.attributed && before.held == after.held,
      "the measurements are others")
    try Promise.restartLosesNothing.demand(
      before.reports.count == after.reports.count
        && zip(before.reports, after.reports).allSatisfy { $0 == $1 || $0.state == .sending },
      "the reports are others")
  }

  /// Whether the operation took effect is not known to its caller, so the books follow what the browser shows. The
  /// promises about what went before are not loosened, and at most one report may be lost with the process.
  private mutating func noteCrash(_ operation: Operation, _ seen: Observation) throws(Breach) {
    noteSettings(seen.after.settings, at: seen.after.now)
    timerMayRun = true
    debugEvent = nil
    if case .click(let step) = operation {
      tickets[step.id] = Ticket(
        step: step, at: seen.before.now, isPrivate: settings.session.privateBrowsing,
        mayBeHeld: step.way == .embedded || settings.session.privateBrowsing)
    }
    if case .pixel(let pixel) = operation { try noteSilentSale(of: pixel, seen) }
    var lost = 0
    for (id, ticket) in tickets {
      guard let sale = ticket.sale, sale.void == nil, ticket.void == nil else { continue }
      for (place, half) in sale.halves.enumerated() where half.isOpen {
        guard let report = seen.after.reports.last(where: { isReport($0, of: ticket, sale, half) }),
          report.state != .scheduled || !report.attempts.isEmpty
        else { continue }
        if case .clear = operation {
          tickets[id]?.void = .nothingOfACleared
        } else {
          lost += 1
          tickets[id]?.sale?.halves[place].isLost = true
        }
      }
    }
    try Promise.restartLosesNothing.demand(lost <= 1, "\(lost) reports were lost with one process")
  }

  /// After an error or a crash the last attempt is in doubt until the browser shows that it knows of its delivery.
  private mutating func noteDoubt(_ seen: Observation) {
    for (id, ticket) in tickets {
      guard let sale = ticket.sale else { continue }
      for (place, half) in sale.halves.enumerated() where half.attempts.last?.isDelivered == true {
        guard half.isInDoubt || half.attempts.last == seen.attempts.last else { continue }
        let report = seen.after.reports.last { isReport($0, of: ticket, sale, half) }
        tickets[id]?.sale?.halves[place].isInDoubt = report?.state != .delivered
      }
    }
  }

  private mutating func noteSilentSale(of pixel: PixelStep, _ seen: Observation) throws(Breach) {
    let new = seen.after.reports.dropFirst(seen.before.reports.count)
    guard new.count == 2,
      let row = tickets.values.first(where: { ticket in new.allSatisfy { isBody($0.body, of: ticket, pixel.data) } })
    else { return }
    let sale = Answer.Sale(
      click: row.step.id, source: row.step.source, destination: row.step.destination, data: pixel.data,
      sourceDue: new.first { $0.recipient == .source }?.dueAt ?? .earliest,
      destinationDue: new.first { $0.recipient == .destination }?.dueAt ?? .earliest)
    try judgeMatch(sale, of: pixel, at: seen.before.now)
    if row.isPrivate { voidPrivateSales() }
    try note(sale, at: seen.before.now)
  }

  private func isReport(_ report: PCMStore.Report, of ticket: Ticket, _ sale: Sale, _ half: Half) -> Bool {
    (report.recipient == .source) == half.isToSource && isBody(report.body, of: ticket, sale.data)
  }

  func isBody(_ body: String, of ticket: Ticket, _ data: Int) -> Bool {
    body
      == ExpectedReport.body(
        click: ticket.step.id, source: ticket.step.source, destination: ticket.step.destination, data: data)
  }
}
