import PCMCore
import PCMNetwork

extension Referee {
  // MARK: Time

  func judgeClock(_ seen: Observation) throws(Breach) {
    let (before, after) = (seen.before.now, seen.after.now)
    try Promise.clockGoesOn.demand(after >= before, "it went from \(before.text) back to \(after.text)")
    switch (seen.answer, seen.operation) {
    case (.done, .advance(let interval)):
      try Promise.clockGoesOn.demand(after == before + interval, "it went from \(before.text) to \(after.text)")
    case (.done, .toNextEvent), (.done, .untilIdle), (.refused, _), (.crashed, _): break
    default: try Promise.clockGoesOn.demand(after == before, "it went by itself from \(before.text) to \(after.text)")
    }
  }

  /// Whatever has been due for half an hour, while it could be sent and nothing else was, has been forgotten.
  func judgePatience(at now: Instant) throws(Breach) {
    guard settings.measurement.measurementEnabled else { return }
    let ready = measuringSince + .seconds(5)
    for ticket in tickets.values where ticket.void == nil {
      guard let sale = ticket.sale else { continue }
      for half in sale.halves {
        if half.isOpen, sale.void == nil {
          let since = [half.due, sale.timerBy, ready, lastRound?.at ?? ready].max() ?? ready
          try Promise.nothingIsForgotten.demand(
            now - since < .minutes(30), "click \(ticket.step.id) was due at \(half.due.text), now is \(now.text)")
        }
        // The longest wait between two attempts is six hours and a tenth, and retries end after thirty days.
        if policy == .reliable, let last = half.attempts.last, !half.isDelivered, last.at + .hours(6) <= half.due + .days(30) {
          let since = max(last.at + .minutes(396), ready)
          try Promise.reliableDelivers.demand(
            now <= since, "click \(ticket.step.id) was tried at \(last.at.text), now is \(now.text)")
        }
      }
    }
  }

  // MARK: Requests

  mutating func judge(_ attempt: SendAttempt, within seen: Observation) throws(Breach) {
    try judgeRequest(attempt.request)
    try Promise.clockGoesOn.demand(
      attempt.at >= seen.before.now && attempt.at <= seen.after.now, "a report left at \(attempt.at.text)")
    try Promise.silentWhenOff.demand(settings.measurement.measurementEnabled, "a report left at \(attempt.at.text)")
    let (id, place) = try ticket(of: attempt)
    guard let ticket = tickets[id], let sale = ticket.sale else { return }
    let half = sale.halves[place]
    let name = "the report of click \(id) to its \(half.isToSource ? "source" : "destination")"
    if let void = ticket.void { throw Breach(void, "\(name) left at \(attempt.at.text)") }
    if half.isOpen {
      if let void = sale.void { throw Breach(void, "\(name) left at \(attempt.at.text)") }
      try judgeTime(of: attempt, sale, half, name)
    } else {
      try Promise.oncePerRecipient.demand(policy == .reliable, "\(name) left once more at \(attempt.at.text)")
      try Promise.reliableDelivers.demand(
        !half.isDelivered && (half.attempts.last.map { attempt.at - $0.at >= .minutes(1) } ?? true),
        "\(name) left once more at \(attempt.at.text)")
    }
    tickets[id]?.sale?.halves[place].attempts.append(attempt)
    tickets[id]?.sale?.halves[place].isInDoubt = false
    if let operation = attempt.meanwhile { noteMeanwhile(operation, at: attempt.at) }
  }

  private mutating func judgeTime(of attempt: SendAttempt, _ sale: Sale, _ half: Half, _ name: String) throws(Breach) {
    let inDebugMode = settings.measurement.debugMode
    if !inDebugMode {
      try Promise.notBeforeADay.demand(
        attempt.at - sale.at >= .hours(24) && attempt.at >= half.due,
        "\(name) left at \(attempt.at.text), the event was at \(sale.at.text)")
    }
    if let last = lastRound {
      let wasOverdue = half.due <= last.at && !announced.contains(attempt.at)
      let gap: Interval = last.inDebugMode ? .seconds(10) : wasOverdue ? .minutes(15) : Interval(milliseconds: 1)
      try Promise.oneARound.demand(
        attempt.at - last.at >= gap, "\(name) left at \(attempt.at.text), another one at \(last.at.text)")
    }
    lastRound = (attempt.at, inDebugMode)
    guard let event = debugEvent else { return }
    debugEvent = event.sent == 0 ? (event.at, 1) : nil
    try Promise.debugTimeline.demand(
      attempt.at - event.at == .seconds(10 * Int64(event.sent + 1)),
      "\(name) left at \(attempt.at.text), the event was at \(event.at.text)")
  }

  private func judgeRequest(_ request: OutgoingRequest) throws(Breach) {
    try Promise.browsersRequest.demand(
      request.method == .post && request.headers.map(\.name) == ["Content-Type", "Cache-Control", "User-Agent"]
        && request.headers.prefix(2).map(\.value) == ["application/json", "max-age=0"],
      "\(request.method) with \(request.headers)")
  }

  /// The owner of a report. Its number identifies the click; everything else must fit the click's last attribution.
  private func ticket(of attempt: SendAttempt) throws(Breach) -> (UInt8, place: Int) {
    let (url, body) = (attempt.url, attempt.body)
    for (id, ticket) in tickets {
      guard let sale = ticket.sale, isBody(body, of: ticket, sale.data) else { continue }
      if url == ExpectedReport.url(to: ticket.step.source) { return (id, 0) }
      if url == ExpectedReport.url(to: ticket.step.destination) { return (id, 1) }
    }
    let isOfAnOlderEvent = tickets.values.contains { ticket in (0..<16).contains { isBody(body, of: ticket, $0) } }
    throw Breach(isOfAnOlderEvent ? .onlyTheLatest : .onlyWhatWasMeasured, "\(body) left for \(url)")
  }
}
