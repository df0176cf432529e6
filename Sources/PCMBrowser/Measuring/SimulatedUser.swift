package import PCMCore
import PCMCrypto

/// The browser of one user in a simulation: a manual clock that starts at the user's first event, and its measurement in memory.
///
/// Its reports are the reports of a browser of the service with the same seed, settings, and calls, whose clock is moved to the time of
/// each event, and at the end until it is idle.
///
/// ```swift
/// let start = Instant(milliseconds: 1_795_168_800_000)
/// var user = SimulatedUser(seed: SimulatedUser.seed("1", user: "anna"), at: start)
/// user.perform(SimulatedAction(clearing: nil), line: 2, at: start)
/// user.finish()
/// assert(user.reports.isEmpty && user.losses.isEmpty)
/// ```
package struct SimulatedUser: Sendable {
  private var settings: BrowserSettings
  private var streams: RandomStreams
  private var measurement = SimulatedMeasurement()
  private var now: Instant
  private let usesSafari: Bool
  /// Nil for a user without ads for apps.
  private var device: SimulatedDevice?

  /// - Parameters:
  ///   - usesSafari: Whether a browser with Private Click Measurement sees the actions. Otherwise, they are lost as `other-browser`.
  ///   - world: The world of the user's ads for apps; nil for a user without them.
  ///   - start: The time of the first event.
  package init(
    seed: String, settings: BrowserSettings = BrowserSettings(), usesSafari: Bool = true, world: SimulatedWorld? = nil,
    at start: Instant
  ) {
    (self.settings, self.usesSafari, now) = (settings, usesSafari, start)
    streams = RandomStreams(seed: seed)
    device = world.map { [streams] in SimulatedDevice($0, streams, at: start) }
  }

  /// The reports that left so far, in order.
  package var reports: [SimulatedReport] { measurement.reports }
  /// The postbacks that left so far, in order.
  package var postbacks: [SimulatedPostback] { device?.postbacks ?? [] }
  /// The losses so far: of clicks and triggering events, and then of the device, each in the order in which they were certain.
  package var losses: [SimulatedLoss] { measurement.losses + (device?.losses ?? []) }

  /// Returns the seed of a user: the hexadecimal SHA-256 of the seed, a zero byte, and the user's name in UTF-8.
  package static func seed(_ seed: String, user: String) -> String {
    Hexadecimal.text(SHA256Digest.bytes(of: Array(seed.utf8) + [0] + Array(user.utf8)))
  }

  /// Moves the clock to the time of an action, and performs it.
  ///
  /// - Parameters:
  ///   - line: The number of the action, which is greater than the numbers of earlier actions.
  ///   - instant: Not before the time of the action before it.
  package mutating func perform(_ action: SimulatedAction, line: Int64, at instant: Instant) {
    while let next = nextWakeUp, next <= instant { wake(at: next) }
    now = max(now, instant)
    // The system reports ads for apps, whatever the browser is.
    if case .device(let call) = action.kind {
      device?.perform(call, sourceIdentifier: action.sourceIdentifier, line: line, at: now)
      return
    }
    measurement.line = line
    guard usesSafari else {
      if case .clear(nil) = action.kind { device?.clear() }
      return measurement.loseToOtherBrowser(action)
    }
    switch action.kind {
    case .click(let click):
      let made = ClickTransaction.Occurrence(clickedAt: now, sourceID: action.sourceID)
      click(settings.measurement) { _ = $0.apply(to: &measurement, at: now, made) }
    case .trigger(let redirect): redirect(settings.measurement) { trigger($0, action.trigger) }
    case .ignored(let redirect, let ignored):
      _ = measurement.ignore(ignored, firstParty: redirect.firstPartySite, redirect.observed, at: now)
    case .clear(let site):
      measurement.clear(site)
      if site == nil { device?.clear() }
    case .settings(let change):
      let before = settings.measurement
      settings = change.applied(to: settings)
      _ = measurement.apply(settings.measurement, after: before, at: now)
    case .device: break
    }
  }

  private mutating func trigger(_ redirect: CheckedRedirect, _ trigger: Trigger?) {
    let decision = redirect.decide(with: trigger, in: &measurement, settings, at: now, &streams)
    guard case .admitted(let handling, let admission) = decision, admission.outcome == nil else { return }
    var evaluation = admission.evaluation
    // No site signs a token in a simulation.
    let failure = Violation.keyUnavailable(handling.event.firstPartySite, why: "a simulation requests no tokens")
    _ = handling.conclude(.failed(failure, request: 0), in: &measurement, &evaluation)
  }

  /// Moves the clock until no report, no conversion, and no postback is left.
  package mutating func finish() {
    while let next = nextWakeUp, measurement.hasPendingReports || device?.nextChange != nil { wake(at: next) }
    measurement.finish()
    device?.finish()
  }

  private var nextWakeUp: Instant? {
    guard let change = device?.nextChange else { return nextReport }
    return nextReport.map { min($0, change) } ?? change
  }

  private var nextReport: Instant? { settings.measurement.measurementEnabled ? measurement.timer.firesAt : nil }

  /// Performs the due work in the order of the service: changes of the device, a postback, or a report. Each of them draws.
  private mutating func wake(at instant: Instant) {
    now = max(now, instant)
    let draws = streams.gaps()
    guard device?.pass(to: now) != true else { return }
    if let postback = device?.nextPostback, postback <= now, nextReport.map({ postback < $0 }) ?? true {
      device?.sendPostback(at: now)
    } else {
      measurement.wake(settings.measurement, at: now, draws: draws)
    }
  }
}
