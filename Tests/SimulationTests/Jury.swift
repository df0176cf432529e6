import PCMCore

/// The judges of one run, its log, and its coverage.
struct Jury {
  private let plan: Plan
  private let judges: Set<Violation.Judge>
  private var referee: Referee
  /// More than one while it is not known which of them it is.
  private var models: [Model]
  private(set) var violation: Violation?
  private(set) var log: [String] = []
  private(set) var coverage: [String: Int] = [:]

  init(plan: Plan, judges: Set<Violation.Judge>, start: Snapshot) {
    self.plan = plan
    self.judges = judges
    referee = Referee(plan, start: start)
    models = [Model(plan)]
  }

  mutating func judge(_ seen: Observation, number: Int) {
    note(seen, number: number)
    if judges.contains(.referee) {
      do throws(Breach) {
        try referee.judge(seen)
      } catch {
        violation = Violation(judge: .referee, check: error.promise.rawValue, detail: error.detail, after: number)
        return
      }
    }
    guard judges.contains(.model) else { return }
    let followed = models.map { $0.follow(seen) }
    models = followed.flatMap(\.ways).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    guard models.isEmpty, let problem = followed.compactMap(\.problem).first else { return }
    violation = Violation(judge: .model, check: problem.check, detail: problem.detail, after: number)
  }

  mutating func judgeEnd(after number: Int) {
    guard judges.contains(.referee) else { return }
    do throws(Breach) {
      try referee.judgeEnd()
    } catch {
      violation = Violation(judge: .referee, check: error.promise.rawValue, detail: error.detail, after: number)
    }
  }

  private mutating func note(_ seen: Observation, number: Int) {
    let answer =
      switch seen.answer {
      case .click(let outcome): outcome.text
      case .trigger(let outcome, _, _): outcome.text
      case .done, .refused, .crashed: "\(seen.answer)"
      }
    log.append("\(number). \(seen.before.now.text) \(seen.operation): \(answer)")
    count(answer)
    for attempt in seen.attempts {
      let end = attempt.isDelivered.map { $0 ? "delivered" : "not delivered" } ?? "the process died"
      log.append("   \(attempt.at.text) \(attempt.url) \(attempt.body): \(end)")
      count("report \(end)")
      if let meanwhile = attempt.meanwhile {
        log.append("   while it was under way: \(meanwhile)")
        count("done while a report was under way")
      }
    }
    if seen.answer == .crashed || seen.answer == .refused { count("\(seen.answer), move: \(seen.operation.isMove)") }
  }

  private mutating func count(_ what: String) { coverage[what, default: 0] += 1 }
}

extension Violation {
  /// Everything that is needed to see it again.
  func report(of plan: Plan) -> String {
    """
    \(judge.rawValue): \(check)
    \(detail)
    \(plan.text(upTo: after))
    replay: \(plan.replayLine)
    """
  }
}
