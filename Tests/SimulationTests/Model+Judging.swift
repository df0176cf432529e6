import PCMCore
import PCMStore

extension Model {
  /// Follows an operation. Returns its possible results, and the faults of impossible results.
  ///
  /// More than one remains when the process died and the visible state is ambiguous about a change: the other
  /// session cannot be looked at.
  func follow(_ seen: Observation) -> (ways: [Model], problem: Problem?) {
    let now = seen.before.now
    var moved = self
    let predicted = moved.apply(seen.operation, at: now)
    for attempt in seen.attempts {
      if let problem = moved.attempt(attempt) { return ([], Problem(check: "sending", detail: problem)) }
    }
    if let problem = Self.difference(between: predicted, and: seen.answer) {
      return ([], Problem(check: "answer", detail: problem))
    }
    var (ways, problem) = ([Model](), Problem?.none)
    for var candidate in candidates(after: seen, moved) {
      if let difference = candidate.difference(from: seen.after) {
        problem = problem ?? Problem(check: "tables", detail: difference)
      } else {
        ways.append(candidate)
      }
    }
    return (ways, problem)
  }

  /// Where the browser and the model part.
  struct Problem {
    let check: String
    let detail: String
  }

  private func candidates(after seen: Observation, _ moved: Model) -> [Model] {
    switch (seen.answer, seen.operation.isMove) {
    case (.refused, false): return [self]
    case (.refused, true): return moved.afterRefusal(seen.attempts) + [self]
    // The decision was kept or it was not; the caller cannot know.
    case (.crashed, true): return moved.afterCrash(seen.attempts, at: seen.after.now) + [restarted(at: seen.after.now)]
    case (.crashed, false): return [restarted(at: seen.after.now), moved.restarted(at: seen.after.now)]
    case (_, _): return [moved]
    }
  }

  /// Performs the operation without sending, and predicts its answer; nil when it is unpredictable.
  @discardableResult
  mutating func apply(_ operation: Operation, at now: Instant) -> Answer.Outcome? {
    switch operation {
    case .click(let step): return click(step, at: now)
    case .pixel(let step): return trigger(step, at: now)
    case .measurement(let isOn): isMeasuring = isOn
    case .privateBrowsing(let isOn): setPrivateBrowsing(isOn)
    case .debugMode(let isOn): isDebugging = isOn
    case .clear(let site): clear(site)
    case .restart: restart(at: now)
    case .advance, .toNextEvent, .untilIdle: saveUnsaved(at: now)
    case .network, .storeFault, .crash, .whileSending: break
    }
    return nil
  }

  private static func difference(between predicted: Answer.Outcome?, and answer: Answer) -> String? {
    let actual: Answer.Outcome
    switch answer {
    case .click(let outcome): actual = outcome
    case .trigger(let outcome, _, _): actual = outcome
    case .done, .refused, .crashed: return nil
    }
    guard actual != predicted else { return nil }
    return "answered \(actual.text) instead of \(predicted?.text ?? "nothing")"
  }

  /// Compares the visible state, and takes over the drawn numbers.
  private mutating func difference(from seen: Snapshot) -> String? {
    let session = seen.settings.measurement
    guard [session.measurementEnabled, session.privateBrowsing, session.debugMode] == [isMeasuring, isPrivate, isDebugging]
    else { return "the settings are \(session)" }
    if let problem = reportDifference(from: seen.reports) { return problem }
    let unattributed = self.session.table.map(\.shown).sorted { $0.id < $1.id }
    guard seen.unattributed == unattributed
    else { return "unattributed are \(seen.unattributed.map(\.id)) instead of \(unattributed.map(\.id))" }
    guard seen.held == self.session.slot?.shown
    else { return "held is \(String(describing: seen.held?.id)) instead of \(String(describing: self.session.slot?.id))" }
    let attributed = self.session.rows.map { row in
      Snapshot.Attributed(
        click: row.click.shown, data: row.data, priority: row.priority, sourceDue: row.source.flatMap { reports[$0].due },
        destinationDue: row.destination.flatMap { reports[$0].due })
    }.sorted { $0.click.id < $1.click.id }
    guard seen.attributed == attributed else { return "attributed are \(seen.attributed) instead of \(attributed)" }
    return nil
  }

  private mutating func reportDifference(from seen: [PCMCore.Report]) -> String? {
    guard seen.count == reports.count else { return "there are \(seen.count) reports instead of \(reports.count)" }
    for (index, report) in seen.enumerated() {
      if reports[index].due == nil { reports[index].due = report.dueAt }
      let mine = reports[index]
      guard report.url == mine.url, report.body == mine.body, report.dueAt == mine.due
      else { return "report \(index + 1) is \(report.body) to \(report.url) at \(report.dueAt.text)" }
      guard report.state.rawValue == mine.state, report.attempts.count == mine.attempts
      else {
        return "report \(index + 1) is \(report.state.rawValue) after \(report.attempts.count) attempts instead of "
          + "\(mine.state) after \(mine.attempts)"
      }
      guard (report.retryAt == nil) == (mine.retry == nil), report.retryAt.map({ mine.retry?.contains($0) == true }) ?? true
      else { return "report \(index + 1) is sent again at \(report.retryAt?.text ?? "no time")" }
    }
    return nil
  }
}

extension Model.Click {
  fileprivate var shown: Snapshot.Click {
    Snapshot.Click(id: id, source: source, destination: destination, app: app, at: at)
  }
}

extension Answer.Outcome {
  var text: String { codes.isEmpty ? kind : "\(kind) \(codes)" }
}

extension Operation {
  var isMove: Bool {
    switch self {
    case .advance, .toNextEvent, .untilIdle: true
    default: false
    }
  }
}
