import PCMCore
import PCMStore

/// Refusals, restarts and crashes: the state that must follow, and the knowledge of the books.
extension Referee {
  func judgeRefusal(_ seen: Observation) throws(Breach) {
    guard !seen.operation.isMove else { return }
    try Promise.refusalChangesNothing.demand(seen.after == seen.before, "\(seen.operation) was refused")
  }

  /// Nothing changed, but reports in flight count as failed.
  func judgeRestart(_ seen: Observation) throws(Breach) {
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

  /// Whether the operation took effect is not known to its caller, so the books follow the browser. The
  /// promises about earlier operations are not loosened, and at most one report may be lost with the process.
  mutating func noteCrash(_ operation: Operation, _ seen: Observation) throws(Breach) {
    noteSettings(seen.after.settings, at: seen.after.now)
    timerMayRun = true
    debugEvent = nil
    if case .click(let step) = operation {
      tickets[step.id] = Ticket(
        step: step, at: seen.before.now, isPrivate: settings.measurement.privateBrowsing,
        mayBeHeld: step.way == .embedded || settings.measurement.privateBrowsing)
    }
    if case .pixel(let pixel) = operation { try noteSilentSale(of: pixel, seen) }
    var lost = 0
    for (id, ticket) in tickets {
      guard let sale = ticket.sale, sale.void == nil, ticket.void == nil else { continue }
      for (place, half) in sale.halves.enumerated() where half.isOpen {
        guard let report = seen.after.reports.last(where: { isReport($0, of: ticket, sale, half) }),
          report.state != .scheduled || !report.attempts.isEmpty
        else { continue }
        switch report.state {
        case .cleared: tickets[id]?.void = .nothingOfACleared
        case .superseded: tickets[id]?.sale?.void = .onlyTheLatest
        case .scheduled, .sending, .delivered, .failed:
          lost += 1
          tickets[id]?.sale?.halves[place].isLost = true
        }
      }
    }
    try Promise.restartLosesNothing.demand(lost <= 1, "\(lost) reports were lost with one process")
  }

  /// After an error or a crash the last attempt is in doubt until the browser shows that it knows of its delivery.
  mutating func noteDoubt(_ seen: Observation) {
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
    tickets[row.step.id]?.mayBeHeld = false
    try note(sale, at: seen.before.now)
  }

  private func isReport(_ report: PCMCore.Report, of ticket: Ticket, _ sale: Sale, _ half: Half) -> Bool {
    (report.recipient == .source) == half.isToSource && isBody(report.body, of: ticket, sale.data)
  }

  func isBody(_ body: String, of ticket: Ticket, _ data: Int) -> Bool {
    body
      == ExpectedReport.body(
        click: ticket.step.id, source: ticket.step.source, destination: ticket.step.destination, data: data)
  }
}
