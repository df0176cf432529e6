import PCMCore

/// Sending, section 6: the next report, and its outcome. The referee checks the time of the timer.
extension Model {
  /// Takes note of an attempt and returns its fault.
  mutating func attempt(_ attempt: SendAttempt) -> String? {
    let (url, body) = (attempt.url, attempt.body)
    guard let index = reports.lastIndex(where: { $0.url == url && $0.body == body && $0.state == "scheduled" })
    else { return "no recipient waits for a report to \(url): \(body)" }
    if let retry = reports[index].retry {
      guard attempt.at >= retry.lowerBound else { return "sent again at \(attempt.at.text), before its time" }
    } else if let problem = firstAttempt(of: index, at: attempt.at) {
      return problem
    }
    reports[index].state = "sending"
    reports[index].retry = nil
    if let operation = attempt.meanwhile { apply(operation, at: attempt.at) }
    underWay = SentReport(index: index, report: reports[index])
    if let isDelivered = attempt.isDelivered { finish(index, isDelivered: isDelivered, at: attempt.at) }
    return nil
  }

  private mutating func firstAttempt(of index: Int, at now: Instant) -> String? {
    let waiting = (normal.rows + ephemeral.rows).compactMap { next(of: $0) }
    guard let mine = waiting.first(where: { $0.report == index })
    else { return "the other half of its attribution is due earlier, or both at once and it is not the destination's" }
    guard waiting.allSatisfy({ $0.due >= mine.due }) else { return "another attribution is due earlier" }
    guard isMeasuring else { return "measurement is off" }
    guard isDebugging || mine.due <= now else { return "it is due at \(mine.due.text), now is \(now.text)" }
    markSent(index)
    return nil
  }

  /// The half with the smaller time; the destination's when they are equal.
  private func next(of row: Row) -> (report: Int, due: Instant)? {
    let halves = [row.destination, row.source].compactMap { $0 }
    let due = halves.map { ($0, reports[$0].due ?? .latest) }
    return due.min { $0.1 < $1.1 }.map { (report: $0.0, due: $0.1) }
  }

  private mutating func markSent(_ report: Int) {
    for isPrivate in [true, false] {
      var rows = isPrivate ? ephemeral.rows : normal.rows
      for index in rows.indices {
        if rows[index].source == report { rows[index].source = nil }
        if rows[index].destination == report { rows[index].destination = nil }
      }
      rows.removeAll { $0.halves.isEmpty }
      if isPrivate { ephemeral.rows = rows } else { normal.rows = rows }
    }
  }

  /// Under `webkit` any failure loses the half. Under `reliable` it is sent again after a minute, doubled up to six hours,
  /// plus up to a tenth, for thirty days.
  private mutating func finish(_ index: Int, isDelivered: Bool, at now: Instant) {
    reports[index].attempts += 1
    reports[index].retry = nil
    guard !isDelivered else {
      reports[index].state = "delivered"
      return
    }
    guard policy == .reliable else {
      reports[index].state = "failed"
      return
    }
    // A report that was cleared in flight is not sent again.
    guard reports[index].state == "sending" else { return }
    let minutes = min(360, 1 << min(reports[index].attempts - 1, 10))
    let wait = Interval.minutes(Int64(minutes))
    if let due = reports[index].due, now + wait > due + .days(30) {
      reports[index].state = "failed"
      return
    }
    reports[index].state = "scheduled"
    reports[index].retry = now + wait...now + wait + Interval(milliseconds: wait.milliseconds / 10)
  }

  /// After a start, reports in flight count as failed.
  mutating func restart(at now: Instant) {
    unsaved = nil
    for index in reports.indices where reports[index].state == "sending" {
      finish(index, isDelivered: false, at: now)
    }
  }

  /// The earlier refused writes come first.
  mutating func saveUnsaved(at now: Instant) {
    guard let late = unsaved else { return }
    finish(late.report, isDelivered: late.isDelivered, at: now)
    unsaved = nil
  }

  /// The possible states after a failed move of the clock: the last result may not have been written.
  func afterRefusal(_ attempts: [SendAttempt]) -> [Model] {
    var models = [self]
    if let last = attempts.last, let model = withoutResult(of: last) { models.append(model) }
    return models
  }

  /// The possible states when the process died on the way: the last result may be missing, or an attempt may be written that never
  /// reached the network.
  func afterCrash(_ attempts: [SendAttempt], at now: Instant) -> [Model] {
    let waiting = (normal.rows + ephemeral.rows).compactMap { next(of: $0) }
    let earliest = waiting.map(\.due).min()
    let begun = waiting.filter { $0.due == earliest }.map(\.report) + reports.indices.filter { reports[$0].retry != nil }
    let phantoms = begun.map { index in
      var model = self
      model.markSent(index)
      model.reports[index].state = "sending"
      return model
    }
    return (afterRefusal(attempts) + phantoms).map { $0.restarted(at: now) }
  }

  func restarted(at now: Instant) -> Model {
    var model = self
    model.restart(at: now)
    return model
  }

  private func withoutResult(of attempt: SendAttempt) -> Model? {
    guard let isDelivered = attempt.isDelivered, let underWay else { return nil }
    var model = self
    model.reports[underWay.index] = underWay.report
    model.unsaved = UnsavedResult(report: underWay.index, isDelivered: isDelivered)
    return model
  }
}
