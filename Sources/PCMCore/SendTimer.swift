/// The one timer that a browser has for its reports (reference, sections 5.3 and 6).
package enum SendTimer {
  /// The sweep after a session starts.
  package static let afterStart = Interval.seconds(5)
  /// Replaces every delay and every gap in debug mode.
  package static let debugDelay = Interval.seconds(10)

  /// The gap between two overdue reports: 900 and a drawn 0 to 899 whole seconds.
  ///
  /// - Parameter draw: at least 0 and less than 1.
  package static func gap(_ draw: Double, debugMode: Bool) -> Interval {
    debugMode ? debugDelay : .seconds(900 + Int64(draw * 900))
  }

  /// The timer after an attempt that returned send times: it is left alone if it fires earlier than the first of them.
  /// A decision that returned none must not call this (section 5.2, last column).
  package static func afterAttribution(_ times: SendTimes, timer: Instant?, at now: Instant, debugMode: Bool) -> Instant {
    let first = min(times.source, times.destination)
    guard let timer, timer >= now, timer < first else { return debugMode ? now + debugDelay : first }
    return timer
  }
}

/// Why no report goes out at an instant.
package enum SendObstacle: Hashable, Objection {
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

extension SendTimer {
  /// What a firing depends on besides the reports.
  package struct Situation: Sendable {
    package let timer: Instant?
    package let now: Instant

    package init(timer: Instant?, now: Instant) {
      self.timer = timer
      self.now = now
    }
  }

  package static let rules: [Rule<Situation, SendObstacle>] = [
    Rule("send-timer-has-fired", sees: ["timer": { .instant($0.timer) }, "now": { .instant($0.now) }]) { situation in
      guard let timer = situation.timer, timer <= situation.now else {
        return .timerNotFired(situation.timer, now: situation.now)
      }
      return nil
    }
  ]
}

/// One firing of the timer: at most one report goes out (reference, section 6).
package struct SendRound: Hashable, Sendable {
  /// The half to send; nil when nothing is due.
  package let send: Send?
  /// When the timer fires next; nil when nothing is left to wait for.
  package let timer: Instant?

  package init(send: Send?, timer: Instant?) {
    self.send = send
    self.timer = timer
  }

  package struct Send: Hashable, Sendable {
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

  /// What decides whether a round sends a report.
  package struct Situation: Sendable {
    /// When the report is due; nil when none is left.
    package let dueAt: Instant?
    package let now: Instant
    package let debugMode: Bool

    package init(dueAt: Instant?, now: Instant, debugMode: Bool) {
      self.dueAt = dueAt
      self.now = now
      self.debugMode = debugMode
    }
  }

  package static let rules: [Rule<Situation, SendObstacle>] = [
    Rule("a-report-is-left", sees: ["dueAt": { .instant($0.dueAt) }]) { $0.dueAt == nil ? .nothingLeft : nil },
    Rule(
      "report-is-due",
      sees: ["dueAt": { .instant($0.dueAt) }, "now": { .instant($0.now) }, "debugMode": { .bool($0.debugMode) }]
    ) { situation in
      guard !situation.debugMode, let dueAt = situation.dueAt, dueAt > situation.now else { return nil }
      return .notDue(dueAt, now: situation.now)
    },
  ]

  /// - Parameters:
  ///   - first: the attribution with the earliest remaining time.
  ///   - second: the one after it; later ones cannot matter to this round.
  package static func decide(
    first: Attribution?, second: Attribution?, at now: Instant, debugMode: Bool, draws: Draws, trace: inout RuleTrace
  ) -> SendRound {
    let situation = Situation(dueAt: first?.next?.half.dueAt, now: now, debugMode: debugMode)
    let obstacle = trace.firstObjection(of: rules, to: situation)
    guard obstacle == nil, let first, let next = first.next else { return SendRound(send: nil, timer: situation.dueAt) }
    let send = Send(attribution: first, recipient: next.recipient, report: next.half.report)
    if let waiting = second?.next?.half.dueAt, debugMode || waiting <= now {
      return SendRound(send: send, timer: now + SendTimer.gap(draws.betweenReports, debugMode: debugMode))
    }
    let later = timerAfterSending(first, at: now, debugMode: debugMode, draw: draws.afterSending)
    return SendRound(send: send, timer: [later, second?.next?.half.dueAt].compactMap { $0 }.min())
  }

  /// The record's later time, or a fresh gap when that has passed. WebKit computes it also when both halves are out,
  /// which wakes it up once for nothing; the wake-up shows nowhere but in the draws, and it is kept for them.
  private static func timerAfterSending(
    _ attribution: Attribution, at now: Instant, debugMode: Bool, draw: Double
  ) -> Instant {
    let latest = max(attribution.source?.dueAt ?? now, attribution.destination?.dueAt ?? now)
    return latest > now && !debugMode ? latest : now + SendTimer.gap(draw, debugMode: debugMode)
  }
}
