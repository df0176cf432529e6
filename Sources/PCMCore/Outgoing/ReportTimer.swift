/// A browser's single timer for reports, which selects the report to send when it fires (reference, sections 5.3 and 6).
///
/// The timer decides when a report is first sent. `OutgoingMessage` decides everything after that.
package struct ReportTimer: Hashable, Sendable {
  /// The time at which the timer fires; nil when it is not running.
  package private(set) var firesAt: Instant?

  package init(firesAt: Instant? = nil) {
    self.firesAt = firesAt
  }

  /// The delay that replaces every delay and gap in debug mode.
  package static let debugDelay = Interval.seconds(10)
  /// The delay of the first round after a session starts.
  private static let afterStart = Interval.seconds(5)

  /// Returns the gap between two overdue reports: 900 seconds plus a random 0 to 899 whole seconds.
  ///
  /// - Parameter draw: A random number in `0..<1`.
  package static func gap(_ draw: Double, debugMode: Bool) -> Interval {
    debugMode ? debugDelay : .seconds(900 + Int64(draw * 900))
  }

  /// Starts the timer for a session on a real clock.
  package mutating func start(at now: Instant) { firesAt = now + Self.afterStart }

  /// Stops the timer because there is nothing left to send.
  package mutating func stop() { firesAt = nil }

  /// Schedules the timer for the send times of an attribution. A timer that fires before the first of them is not changed,
  /// even in debug mode. That includes an overdue timer: it fires when the report in flight has ended (section 5.3).
  ///
  /// Do not call this for a decision without send times (section 5.2, last column).
  package mutating func attribute(_ times: SendTimes, at now: Instant, debugMode: Bool) {
    let first = min(times.source, times.destination)
    if let firesAt, firesAt < first { return }
    firesAt = debugMode ? now + Self.debugDelay : first
  }

  /// Applies a change of the settings. Sending pauses while measurement is off. When it is switched on, an overdue
  /// timer starts again.
  package mutating func change(from before: MeasurementSettings, to after: MeasurementSettings, at now: Instant) {
    guard after.measurementEnabled, !before.measurementEnabled, let firesAt, firesAt < now else { return }
    start(at: now)
  }

  /// The outcome of a wake-up.
  package enum Round: Hashable, Sendable {
    /// Sending pauses, because measurement is off.
    case paused
    case notFiring
    /// The timer fired. The half is nil when nothing is due.
    case fired(DueHalf?)
  }

  /// Decides about a wake-up: whether sending pauses, whether the timer fires, and which half it sends.
  ///
  /// - Parameter earliest: Returns the two attributions with the earliest remaining times, for a timer that fires.
  package mutating func wake<Failure: Error>(
    _ settings: MeasurementSettings, at now: Instant, draws: Draws, _ evaluation: inout RuleEvaluation,
    earliest: () throws(Failure) -> (first: Attribution?, second: Attribution?)
  ) throws(Failure) -> Round {
    guard evaluation.firstViolation(of: MeasurementSettings.sendRules, to: settings) == nil else { return .paused }
    guard isFiring(at: now, evaluation: &evaluation) else { return .notFiring }
    let (first, second) = try earliest()
    return .fired(
      fire(first: first, second: second, at: now, debugMode: settings.debugMode, draws: draws, evaluation: &evaluation))
  }

  /// Fires the timer. At most one report is sent (section 6).
  ///
  /// - Parameters:
  ///   - first: The attribution with the earliest remaining time.
  ///   - second: The attribution after it. Later attributions do not affect this round.
  /// - Returns: The half to send, or nil when nothing is due.
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
      firesAt = second?.next.map { min(later, $0.half.dueAt) } ?? later
    }
    return DueHalf(attribution: first, recipient: next.recipient, report: next.half.report)
  }

  /// Returns the record's later time, or a new gap when that time has passed. WebKit also schedules this wake-up after both
  /// halves were sent. It only affects the random draws, and is kept for them.
  private static func afterSending(_ attribution: Attribution, at now: Instant, debugMode: Bool, draw: Double) -> Instant {
    let latest = max(attribution.source?.dueAt ?? now, attribution.destination?.dueAt ?? now)
    return latest > now && !debugMode ? latest : now + gap(draw, debugMode: debugMode)
  }

  /// The half of an attribution to send.
  package struct DueHalf: Hashable, Sendable {
    package let attribution: Attribution
    package let recipient: Recipient
    package let report: Int64

    package var attributionAfterSending: Attribution {
      var attribution = attribution
      attribution.markSent(recipient)
      return attribution
    }
  }

  /// Two random numbers in `0..<1`: a round needs a gap for the record that it sends and one for the next.
  package typealias Draws = (afterSending: Double, betweenReports: Double)
}

extension ReportTimer {
  /// The input of the rules.
  package struct Situation: Sendable {
    package let firesAt: Instant?
    /// The due time of the report; nil when no report is left.
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

  /// Returns whether the timer fires at this instant.
  package func isFiring(at now: Instant, evaluation: inout RuleEvaluation) -> Bool {
    let situation = Situation(firesAt: firesAt, dueAt: nil, now: now, debugMode: false)
    return evaluation.firstViolation(of: Self.firingRules, to: situation) == nil
  }

  package static let firingRules: [Rule<Situation>] = [
    Rule(
      "send-timer-has-fired", "The browser's timer fires. Each firing sends one report.",
      .webkit("PrivateClickMeasurementManager.cpp"),
      reasons: ["timer-not-running": attributing, "timer-not-fired": "wait until the timer fires"],
      inputs: ["timer": { .instant($0.firesAt) }, "now": { .instant($0.now) }]
    ) { situation in
      guard let timer = situation.firesAt else {
        return Violation("timer-not-running", "the browser's send timer is not running", change: attributing)
      }
      guard timer > situation.now else { return nil }
      return Violation(
        "timer-not-fired", "the browser's send timer fires at \(timer.text); each firing sends one report",
        change: "wait until \(timer.text), in \((timer - situation.now).words)")
    }
  ]

  package static let roundRules: [Rule<Situation>] = [
    Rule(
      "a-report-is-left", "A report is left to send.", .webkit("PrivateClickMeasurementManager.cpp"),
      reasons: ["nothing-left": attributing], inputs: ["dueAt": { .instant($0.dueAt) }]
    ) { situation in
      situation.dueAt == nil ? Violation("nothing-left", "no report is left to send", change: attributing) : nil
    },
    Rule(
      "report-is-due",
      "The report is due: 24 to 48 hours after the attribution, or at once in debug mode.",
      .webkit("PrivateClickMeasurementManager.cpp"), reasons: ["not-due": "wait until the report is due"],
      inputs: ["dueAt": { .instant($0.dueAt) }, "now": { .instant($0.now) }, "debugMode": { .bool($0.debugMode) }]
    ) { situation in
      guard !situation.debugMode, let dueAt = situation.dueAt, dueAt > situation.now else { return nil }
      let wait = (dueAt - situation.now).words
      return Violation(
        "not-due", "the report is due at \(dueAt.text), in \(wait)", change: "wait until \(dueAt.text), in \(wait)")
    },
  ]

  private static let attributing = "attribute a click to a triggering event"
}
