import BrowserSupport
import PCMCore
import PCMCrypto

/// The references' rules for the ads, installs, and values of a plan, written a second time and without regard to speed
/// (SKAdNetwork reference, sections 3 to 5 and 9; AdAttributionKit reference, sections 3, 4, and 6).
struct DeviceModel {
  private struct Ad {
    let plan: PlannedAd
    let recordedAt: Instant
  }

  /// The conversion of the last install.
  private struct Conversion {
    let ads: [PlannedAd]
    let installedAt: Instant
    var launchedAt: Instant?
    /// When the timer of version 3 and earlier ends.
    var timerEnd: Instant?
    var fine: Int64?
    var coarse: [Int: String] = [:]
    /// The windows in which the app reported a value, and the windows that it locked.
    var reported: Set<Int> = []
    var locked: Set<Int> = []
    /// The windows that are over.
    var over: Set<Int> = []

    var winner: PlannedAd { ads[0] }
    var hasTimer: Bool { winner.version.map { $0 < .v4 } ?? false }
    var isOver: Bool { over.count == (hasTimer ? 1 : 3) }
    var isReported: Bool { !reported.isEmpty }
  }

  private let mutation: DeviceMutation?
  private var ads: [Ad] = []
  private var conversion: Conversion?
  private(set) var now = Scene.start
  /// The postbacks that have to be there.
  private(set) var postbacks: [ExpectedPostback] = []

  init(mutation: DeviceMutation? = nil) { self.mutation = mutation }

  /// Performs an operation, and returns its expected answer.
  mutating func perform(_ operation: DeviceOperation) -> DeviceAnswer {
    switch operation {
    case .ad(let plan):
      if plan.isView { pass(to: now + .seconds(5)) }
      ads.append(Ad(plan: plan, recordedAt: now))
      return .ad(isRecorded: true)
    case .install: return .install(isAttributed: install())
    case .launch: launch()
    case .value(let framework, let fine, let coarse, let locks):
      return .value(isAccepted: report(framework, fine, coarse, locks))
    case .advance(let interval): pass(to: now + interval)
    case .endpoint, .restart: break
    }
    return .nothing
  }

  // MARK: Installs

  private mutating func install() -> Bool {
    var candidates = ads.filter { now <= $0.recordedAt + ($0.plan.isView ? viewWindow : .days(30)) }
    candidates.sort { left, right in
      if left.plan.isView != right.plan.isView, mutation != .viewsEqualClicks { return right.plan.isView }
      // Of ads at the same instant, the later call is the more recent one.
      let (first, second) = ((left.recordedAt, left.plan.number), (right.recordedAt, right.plan.number))
      return mutation == .oldestWins ? first < second : first > second
    }
    // A compared ad does not count for another install.
    if mutation != .adsCountAgain { ads.removeAll { ad in candidates.contains { $0.plan.number == ad.plan.number } } }
    guard let winner = candidates.first?.plan else { return false }
    endEarly()
    var runnersUp: [PlannedAd] = []
    for ad in candidates.dropFirst().prefix(5).map(\.plan) where isRunnerUp(ad, of: winner, runnersUp) { runnersUp.append(ad) }
    conversion = Conversion(ads: [winner] + runnersUp, installedAt: now)
    return true
  }

  private var viewWindow: Interval { mutation == .viewsCountLonger ? .days(30) : .days(1) }

  private func isRunnerUp(_ ad: PlannedAd, of winner: PlannedAd, _ others: [PlannedAd]) -> Bool {
    if let version = ad.version, version < .v3, mutation != .oldVersionsHaveRunnersUp { return false }
    return mutation == .networksAppearTwice || !([winner] + others).map(\.network).contains(ad.network)
  }

  /// Ends the conversion of an earlier install, which a new install replaces: its reported values are final.
  private mutating func endEarly() {
    guard let old = conversion, !old.isOver else { return }
    for window in 0..<(old.hasTimer ? 1 : 3) where !old.over.contains(window) { end(window, at: now) }
    conversion = nil
  }

  // MARK: Values

  private mutating func launch() {
    guard let current = conversion, !current.isOver, current.launchedAt == nil, mutation != .windowsStartWithValue else {
      return
    }
    conversion?.launchedAt = now
  }

  private mutating func report(_ framework: AdFramework, _ fine: Int64, _ coarse: String?, _ locks: Bool) -> Bool {
    launch()
    guard fine <= 63, var current = conversion, !current.isOver else { return false }
    // Calls of SKAdNetwork are mirrored into AdAttributionKit, and not the other way around.
    if framework == .adattributionkit, current.winner.version != nil, mutation != .bridgesBothWays { return false }
    if current.hasTimer {
      if let kept = current.fine, fine <= kept, mutation != .smallerValuesCount { return false }
      current.fine = fine
      current.reported.insert(0)
      if current.timerEnd == nil || mutation != .timerDoesNotRestart { current.timerEnd = now + .hours(24) }
      conversion = current
      return true
    }
    let start = current.launchedAt ?? now
    guard let window = (0...2).first(where: { now < start + ends[$0] }) else { return false }
    if current.locked.contains(window), mutation != .locksAreIgnored { return false }
    let onlyLocks = locks && current.reported.contains(window)
    guard window == 0 || coarse != nil || onlyLocks || mutation == .fineCountsLater else { return false }
    current.launchedAt = start
    if window == 0 { current.fine = fine }
    current.coarse[window] = coarse ?? current.coarse[window]
    current.reported.insert(window)
    if locks { current.locked.insert(window) }
    conversion = current
    if locks, mutation != .locksAreIgnored { end(window, at: now) }
    return true
  }

  private var ends: [Interval] { [.days(2), mutation == .secondWindowIsLonger ? .days(8) : .days(7), .days(35)] }

  // MARK: Time

  private mutating func pass(to instant: Instant) {
    now = instant
    guard let current = conversion else { return }
    if current.hasTimer {
      if let end = current.timerEnd, end <= now { self.end(0, at: end) }
    } else if let start = current.launchedAt {
      for window in 0...2 where start + ends[window] <= now { end(window, at: start + ends[window]) }
    }
    // Without a value 60 days after the install, and without a launch, nothing comes of it.
    if !current.isReported, now > current.installedAt + .days(60) { conversion = nil }
  }

  /// Ends a window, and plans its postbacks if it has a value: the winner's with its copy, and the runners-up's with the
  /// first.
  private mutating func end(_ window: Int, at end: Instant) {
    guard let current = conversion, !current.over.contains(window) else { return }
    conversion?.over.insert(window)
    guard current.reported.contains(window) else { return }
    let hasRunnersUp = window == 0 || mutation == .runnersUpReportTwice
    for (place, ad) in current.ads.enumerated() where place == 0 || hasRunnersUp {
      let value: ExpectedPostback.Value? =
        if place > 0 || ad.version == .v1 { nil } else if window == 0 { current.fine.map { .fine($0) } } else {
          current.coarse[window].map { .coarse($0) }
        }
      let recipients: [Postback.Recipient] = place == 0 && mutation != .noCopies ? [.adNetwork, .developer] : [.adNetwork]
      for recipient in recipients {
        postbacks.append(
          ExpectedPostback(
            ad: ad, index: window, recipient: recipient, didWin: place == 0, value: value, earliest: end + delay(ad, window).0,
            latest: end + delay(ad, window).1))
      }
    }
  }

  private func delay(_ ad: PlannedAd, _ window: Int) -> (Interval, Interval) {
    if mutation == .delaysAreShort { return (.hours(0), .hours(1)) }
    if let version = ad.version, version < .v4 { return (.hours(0), .hours(24)) }
    return window == 0 ? (.hours(24), .hours(48)) : (.hours(24), .hours(144))
  }
}

/// A postback that follows from the plan.
struct ExpectedPostback: Hashable, Sendable {
  enum Value: Hashable, Sendable {
    case fine(Int64)
    case coarse(String)
  }

  let ad: PlannedAd
  let index: Int
  let recipient: Postback.Recipient
  let didWin: Bool
  let value: Value?
  let earliest: Instant
  let latest: Instant
}

/// One rule of the model changed on purpose: a service that follows the references must then differ from it.
enum DeviceMutation: String, CaseIterable, Sendable {
  case viewsEqualClicks, oldestWins, viewsCountLonger, adsCountAgain
  case networksAppearTwice, oldVersionsHaveRunnersUp, runnersUpReportTwice, noCopies
  case timerDoesNotRestart, smallerValuesCount
  case locksAreIgnored, fineCountsLater, secondWindowIsLonger, windowsStartWithValue
  case bridgesBothWays, delaysAreShort
}
