package import PCMCore
package import PCMCrypto

/// An install or a re-engagement attributed to an ad, from its start until its last value is final (references, sections 4
/// and 5).
package struct Conversion: Hashable, Identifiable, Codable, Sendable {
  package let id: Int64
  package let type: ConversionType
  /// The ad to which the conversion is attributed.
  package let winner: KeptImpression
  /// The ads of other networks that also receive a postback.
  package let runnersUp: [KeptImpression]
  /// The bundle identifier of the marketplace.
  package let marketplace: String
  package let country: String?
  package internal(set) var crowd: CrowdTiers
  /// The time of the install or of the tap.
  package let convertedAt: Instant
  /// Selects a re-engagement in an update; nil for an install.
  package let tag: String?
  package let timing: ConversionTiming
  /// The event that starts the windows. Outside of production, it is always the first update.
  package let windowStart: ConversionWindowStart
  /// The time of the first launch after the conversion; nil before the launch.
  package internal(set) var firstLaunchAt: Instant?
  package internal(set) var course: Course
  /// The recipient of the postbacks of a conversion that a developer created in the settings; nil for other conversions.
  package internal(set) var development: DevelopmentPostback?
  /// The number in the names of the postbacks' random values; nil for the number of the conversion.
  package var drawNumber: Int64?

  /// The timer or windows after which the values become final.
  package enum Course: Hashable, Codable, Sendable {
    case timer(RollingTimer)
    case windows(ConversionWindows)
  }
}

extension Conversion {
  /// Creates the conversion of an install; nil if no ad won.
  package init?(id: Int64, _ decision: InstallDecision, crowd: CrowdTiers = .highest) {
    guard let winner = decision.winner else { return nil }
    let install = decision.install
    let timing = ConversionTiming(winner.impression, on: install.device, at: install.now)
    self.init(
      id: id, type: install.isRedownload ? .redownload : .download, winner: winner, runnersUp: decision.runnersUp,
      marketplace: install.marketplace, country: install.country, crowd: crowd, convertedAt: install.now, tag: nil,
      timing: timing,
      windowStart: timing.windowStart(on: install.device),
      course: Course(winner.impression.version, timing: timing, sdk: install.app.sdk))
  }

  /// Creates the conversion of a re-engagement. The re-engagement opens the app.
  package init(
    id: Int64, impression: Int64, _ tap: ReengagementTap, crowd: CrowdTiers = .highest, marketplace: String = Install.appStore
  ) {
    let timing = ConversionTiming(tap.impression, on: tap.device, at: tap.now)
    self.init(
      id: id, type: .reengagement, winner: KeptImpression(id: impression, impression: tap.impression), runnersUp: [],
      marketplace: marketplace, country: tap.country, crowd: crowd, convertedAt: tap.now, tag: tap.tag, timing: timing,
      windowStart: timing.windowStart(on: tap.device), course: Course(tap.impression.version, timing: timing, sdk: tap.app.sdk))
    open(at: tap.now)
  }

  package static let launchLimit = Interval.days(60)

  /// Returns the period after the conversion in which the first update counts.
  package static func firstUpdateLimit(isReengagement: Bool) -> Interval {
    isReengagement ? .days(2) : .days(60)
  }

  package var launchDeadline: Instant { convertedAt + Self.launchLimit }
  package var firstUpdateDeadline: Instant { convertedAt + Self.firstUpdateLimit(isReengagement: type.isReengagement) }

  /// The number of conversion windows; 0 for a conversion with a timer.
  package var windowCount: Int {
    switch course {
    case .timer: 0
    case .windows(let windows): windows.windows.count
    }
  }

  /// Whether the app has called the framework since the conversion.
  package var isRegistered: Bool {
    switch course {
    case .timer(let timer): timer.endsAt != nil
    case .windows(let windows): windows.isRegistered
    }
  }

  /// Whether all values are final.
  package var isFinished: Bool {
    switch course {
    case .timer(let timer): timer.isFinished
    case .windows(let windows): windows.isFinished
    }
  }

  /// The time of the next change without a call; nil if there is none.
  package var nextChange: Instant? {
    if isFinished { return nil }
    let end: Instant? =
      switch course {
      case .timer(let timer): timer.endsAt
      case .windows(let windows): windows.nextEnd
      }
    if isRegistered { return end }
    return end.map { min($0, lapseAt) } ?? lapseAt
  }

  /// The time at which the conversion ends without a call: just after the last instant at which a call counts.
  private var lapseAt: Instant {
    (firstLaunchAt == nil ? min(launchDeadline, firstUpdateDeadline) : firstUpdateDeadline) + Interval(milliseconds: 1)
  }

  private mutating func open(at now: Instant) {
    guard firstLaunchAt == nil else { return }
    firstLaunchAt = now
    guard windowStart == .launch, case .windows(var windows) = course else { return }
    windows.start(at: now)
    course = .windows(windows)
  }
}

extension Conversion.Course {
  /// Selects a timer or windows. An ad of SKAdNetwork 1.0 to 3.0, and any ad under the testing profile, has a timer and one
  /// postback. Other ads have three windows. An SKAdNetwork ad for an app built with an SDK before iOS 16.1 has one window.
  ///
  /// - Parameter version: The version of SKAdNetwork; nil for AdAttributionKit.
  fileprivate init(_ version: SKAdNetworkVersion?, timing: ConversionTiming, sdk: OSVersion) {
    let isBefore4 = version.map { $0 < .v4 } ?? false
    if isBefore4 || timing == .testingProfile {
      self = .timer(RollingTimer(length: timing.timerLength, requiresIncrease: isBefore4))
      return
    }
    let hasOneWindow = version != nil && sdk < VersionEligibility.first(.v4)
    self = .windows(ConversionWindows(ends: Array(timing.windowEnds.prefix(hasOneWindow ? 1 : 3))))
  }
}

extension Conversion {
  /// Handles a launch of the app. The first launch starts the windows, unless the first update starts them.
  package mutating func launch(at now: Instant) -> [ConversionAction] {
    let actions = pass(to: now)
    if !isFinished { open(at: now) }
    return actions
  }

  /// Advances the conversion to an instant: ends windows and timers, and a conversion without a call in time.
  package mutating func pass(to now: Instant) -> [ConversionAction] {
    guard !isFinished else { return [] }
    guard !isRegistered, now >= lapseAt else { return passCourse(to: now) }
    let reason: Violation = firstLaunchAt == nil ? .neverLaunched : .neverUpdated
    return passCourse(to: lapseAt) + end(finishAll(at: lapseAt), unused: reason)
  }

  private mutating func passCourse(to now: Instant) -> [ConversionAction] {
    switch course {
    case .timer(var timer):
      let end = timer.pass(to: now)
      course = .timer(timer)
      return self.end([end].compactMap { $0 }, unused: .noUpdate)
    case .windows(var windows):
      let ends = windows.pass(to: now)
      course = .windows(windows)
      return end(ends, unused: .noUpdate)
    }
  }

  /// Applies a call of the app.
  ///
  /// Call ``launch(at:)`` first.
  mutating func update(
    _ update: ConversionValueInput, system: OSVersion, at now: Instant, _ evaluation: inout RuleEvaluation
  ) -> [ConversionAction] {
    let situation = UpdateSituation(conversion: self, update: update, system: system, now: now)
    if let rejection = evaluation.firstViolation(of: UpdateSituation.rules, to: situation) {
      return [.reject(conversion: id, rejection)]
    }
    switch course {
    case .timer(var timer):
      let end = timer.apply(update, at: now)
      course = .timer(timer)
      return [.accept(conversion: id, index: 0, timer.values, note: nil)] + self.end([end].compactMap { $0 }, unused: .noUpdate)
    case .windows(var windows):
      let end = windows.apply(update, at: now)
      course = .windows(windows)
      let index = windows.index(at: now) ?? 0
      let note = update.fineValue.flatMap { index > 0 ? Violation.fineIgnored($0, index: index) : nil }
      return [.accept(conversion: id, index: index, windows.windows[index].values, note: note)]
        + self.end([end].compactMap { $0 }, unused: .noUpdate)
    }
  }

  /// Ends the conversion in favor of a newer conversion. The postbacks of windows with a call are scheduled at once.
  package mutating func supersede(at now: Instant) -> [ConversionAction] {
    let actions = pass(to: now)
    return isFinished ? actions : actions + end(finishAll(at: now), unused: .superseded)
  }

  /// The actions after the developer clears the conversion: its open windows have no postback.
  package var clearing: [ConversionAction] {
    guard case .windows(let windows) = course else { return [] }
    return windows.windows.indices.filter { !windows.windows[$0].isFinished }.map {
      .drop(PostbackDropped(conversion: id, index: $0, .cleared))
    }
  }

  private mutating func finishAll(at now: Instant) -> [WindowEnd] {
    switch course {
    case .timer(var timer):
      let end = timer.finish(at: now)
      course = .timer(timer)
      return [end].compactMap { $0 }
    case .windows(var windows):
      let ends = windows.finishAll(at: now)
      course = .windows(windows)
      return ends
    }
  }

  private func end(_ ends: [WindowEnd], unused reason: Violation) -> [ConversionAction] {
    ends.map { end in
      switch end {
      case .registered(let index, let instant, let values):
        .schedule(PostbackPlan(conversion: id, index: index, windowEnd: instant, values: values))
      case .unused(let index): .drop(PostbackDropped(conversion: id, index: index, reason))
      }
    }
  }
}
