/// The one timer that a browser has for its reports, and what it sends when it fires (reference, sections 5.3 and 6).
///
/// It decides when a report leaves for the first time. What happens to the report from then on is the business of
/// `OutgoingMessage`.
package struct ReportTimer: Hashable, Sendable {
  /// When the timer fires; nil when it is not running.
  package private(set) var firesAt: Instant?

  package init(firesAt: Instant? = nil) {
    self.firesAt = firesAt
  }

  /// Replaces every delay and every gap in debug mode.
  package static let debugDelay = Interval.seconds(10)
  /// The sweep after a session starts.
  private static let afterStart = Interval.seconds(5)

  /// The gap between two overdue reports: 900 and a drawn 0 to 899 whole seconds.
  ///
  /// - Parameter draw: at least 0 and less than 1.
  package static func gap(_ draw: Double, debugMode: Bool) -> Interval {
    debugMode ? debugDelay : .seconds(900 + Int64(draw * 900))
  }

  /// A session starts on a real clock.
  package mutating func start(at now: Instant) { firesAt = now + Self.afterStart }

  /// Everything that could be sent is gone.
  package mutating func stop() { firesAt = nil }

  /// An attribution returned send times: a timer that fires earlier than the first of them is left alone. A decision
  /// that returned none must not call this (section 5.2, last column).
  package mutating func attribute(_ times: SendTimes, at now: Instant, debugMode: Bool) {
    let first = min(times.source, times.destination)
    if let firesAt, firesAt >= now, firesAt < first { return }
    firesAt = debugMode ? now + Self.debugDelay : first
  }

  /// The settings change. Sending pauses while measurement is off; the sweep of a start comes after that.
  package mutating func change(from before: Session, to after: Session, at now: Instant) {
    guard after.measurementEnabled, !before.measurementEnabled, let firesAt, firesAt < now else { return }
    start(at: now)
  }

  /// One firing of the timer: at most one report goes out (section 6).
  ///
  /// - Parameters:
  ///   - first: the attribution with the earliest remaining time.
  ///   - second: the one after it; later ones cannot matter to this round.
  /// - Returns: the half to send; nil when nothing is due.
  package mutating func fire(
    first: Attribution?, second: Attribution?, at now: Instant, debugMode: Bool, draws: Draws, evaluation: inout RuleEvaluation
  ) -> DueHalf? {
    let dueAt = first?.next?.half.dueAt
    let situation = Situation(firesAt: firesAt, dueAt: dueAt, now: now, debugMode: debugMode)
    let reason = evaluation.firstViolation(of: Self.roundRules, to: situation)
    guard reason == nil, let first, let next = first.next else {
      firesAt = dueAt
      return nil
    }
    if let waiting = second?.next?.half.dueAt, debugMode || waiting <= now {
      firesAt = now + Self.gap(draws.betweenReports, debugMode: debugMode)
    } else {
      let later = Self.afterSending(first, at: now, debugMode: debugMode, draw: draws.afterSending)
      firesAt = [later, second?.next?.half.dueAt].compactMap { $0 }.min()
    }
    return DueHalf(attribution: first, recipient: next.recipient, report: next.half.report)
  }

  /// The record's later time, or a fresh gap when that has passed. WebKit computes it also when both halves are out,
  /// which wakes it up once for nothing; the wake-up shows nowhere but in the draws, and it is kept for them.
  private static func afterSending(_ attribution: Attribution, at now: Instant, debugMode: Bool, draw: Double) -> Instant {
    let latest = max(attribution.source?.dueAt ?? now, attribution.destination?.dueAt ?? now)
    return latest > now && !debugMode ? latest : now + gap(draw, debugMode: debugMode)
  }

  /// The half of an attribution that goes out.
  package struct DueHalf: Hashable, Sendable {
    package let attribution: Attribution
    package let recipient: Recipient
    package let report: Int64
  }

  /// Two numbers, each at least 0 and less than 1: a round needs a gap for the record it sends and one for the next.
  package struct Draws: Hashable, Sendable {
    package let afterSending: Double
    package let betweenReports: Double

    package init(afterSending: Double, betweenReports: Double) {
      self.afterSending = afterSending
      self.betweenReports = betweenReports
    }
  }
}

extension ReportTimer {
  /// What the rules look at.
  package struct Situation: Sendable {
    package let firesAt: Instant?
    /// When the report is due; nil when none is left.
    package let dueAt: Instant?
    package let now: Instant
    package let debugMode: Bool

    package init(firesAt: Instant?, dueAt: Instant?, now: Instant, debugMode: Bool) {
      self.firesAt = firesAt
      self.dueAt = dueAt
      self.now = now
      self.debugMode = debugMode
    }
  }

  /// Whether the timer fires at this instant.
  package func isFiring(at now: Instant, evaluation: inout RuleEvaluation) -> Bool {
    let situation = Situation(firesAt: firesAt, dueAt: nil, now: now, debugMode: false)
    return evaluation.firstViolation(of: Self.firingRules, to: situation) == nil
  }

  package static let firingRules: [Rule<Situation, UnsentReason>] = [
    Rule("send-timer-has-fired", sees: ["timer": { .instant($0.firesAt) }, "now": { .instant($0.now) }]) { situation in
      guard let timer = situation.firesAt, timer <= situation.now else {
        return .timerNotFired(situation.firesAt, now: situation.now)
      }
      return nil
    }
  ]

  package static let roundRules: [Rule<Situation, UnsentReason>] = [
    Rule("a-report-is-left", sees: ["dueAt": { .instant($0.dueAt) }]) { $0.dueAt == nil ? .nothingLeft : nil },
    Rule(
      "report-is-due",
      sees: ["dueAt": { .instant($0.dueAt) }, "now": { .instant($0.now) }, "debugMode": { .bool($0.debugMode) }]
    ) { situation in
      guard !situation.debugMode, let dueAt = situation.dueAt, dueAt > situation.now else { return nil }
      return .notDue(dueAt, now: situation.now)
    },
  ]
}

/// Why no report goes out at an instant.
package enum UnsentReason: Hashable, RuleViolation {
  case measurementDisabled
  case timerNotFired(Instant?, now: Instant)
  case nothingLeft
  case notDue(Instant, now: Instant)

  package var reason: Reason {
    switch self {
    case .measurementDisabled:
      Reason("measurement-disabled", "measurement is switched off in this browser's settings; sending pauses")
    case .timerNotFired(let timer?, _):
      Reason("timer-not-fired", "the browser's send timer fires at \(timer.text); one report goes out at each firing")
    case .timerNotFired(nil, _): Reason("timer-not-running", "the browser's send timer is not running")
    case .nothingLeft: Reason("nothing-left", "no report is left to send")
    case .notDue(let due, let now): Reason("not-due", "the report is due at \(due.text), in \((due - now).words)")
    }
  }

  package var change: String {
    switch self {
    case .measurementDisabled: "set measurementEnabled to true in the browser's settings"
    case .timerNotFired(let timer?, let now): "let the clock reach \(timer.text), in \((timer - now).words)"
    case .timerNotFired(nil, _), .nothingLeft: "let a triggering event be attributed"
    case .notDue(let due, let now): "let the clock reach \(due.text), in \((due - now).words)"
    }
  }
}
