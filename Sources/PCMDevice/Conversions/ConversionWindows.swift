package import PCMCore

/// The windows of SKAdNetwork 4.0 and AdAttributionKit, with one postback each (SKAdNetwork reference, section 5).
package struct ConversionWindows: Hashable, Codable, Sendable {
  package struct Window: Hashable, Codable, Sendable {
    /// The end of the window, relative to the start of the first window.
    package let end: Interval
    package internal(set) var values = ReportedValues()
    /// Whether the app called the framework in the window.
    package internal(set) var isRegistered = false
    /// The time at which the app locked the window; nil for an unlocked window.
    package internal(set) var lockedAt: Instant?
    /// Whether the window has ended, or its postback was scheduled.
    package internal(set) var isFinished = false
  }

  package private(set) var windows: [Window]
  /// The start of the first window; nil before the start.
  package private(set) var startedAt: Instant?

  mutating func start(at now: Instant) { startedAt = startedAt ?? now }

  package var isFinished: Bool { windows.allSatisfy(\.isFinished) }
  package var isRegistered: Bool { windows.contains(where: \.isRegistered) }

  /// Returns the window at an instant; nil before the start and after the last end. The instant of an end belongs to the next
  /// window.
  package func index(at now: Instant) -> Int? {
    guard let startedAt else { return nil }
    return windows.firstIndex { now - startedAt < $0.end }
  }

  /// The next end of a window; nil if there is none.
  package var nextEnd: Instant? {
    windows.first { !$0.isFinished }.flatMap { window in startedAt.map { $0 + window.end } }
  }

  /// Ends the windows whose time has passed.
  mutating func pass(to now: Instant) -> [WindowEnd] {
    guard let startedAt, let nextEnd, nextEnd <= now else { return [] }
    return windows.indices.filter { startedAt + windows[$0].end <= now }.compactMap {
      finish($0, at: startedAt + windows[$0].end)
    }
  }

  /// Ends all windows early. Windows with a call have a postback.
  mutating func finishAll(at now: Instant) -> [WindowEnd] { windows.indices.compactMap { finish($0, at: now) } }

  private mutating func finish(_ index: Int, at instant: Instant) -> WindowEnd? {
    guard !windows[index].isFinished else { return nil }
    windows[index].isFinished = true
    return windows[index].isRegistered ? .registered(index: index, at: instant, windows[index].values) : .unused(index: index)
  }

  /// Returns the reason an update changes nothing; nil if it has an effect.
  func rejection(of update: ConversionValueInput, at now: Instant) -> Violation? {
    // Before the start, the update starts the first window.
    guard let startedAt else { return isFinished ? .conversionEnded : nil }
    guard let index = index(at: now) else { return isRegistered ? .conversionEnded : .windowsEndedUnused }
    guard !windows[index].isFinished || windows[index].lockedAt != nil else {
      return .conversionEnded
    }
    if windows[index].lockedAt != nil {
      let hasNext = windows[(index + 1)...].contains { !$0.isFinished }
      return .windowLocked(index: index, until: startedAt + windows[index].end, hasNext: hasNext)
    }
    if update.isRegistration, index == 0, windows[0].isRegistered { return .alreadyRegistered }
    // A window with a value can be locked without a new value.
    let onlyLocks = update.lockWindow && windows[index].isRegistered
    return index > 0 && update.coarse == nil && !onlyLocks ? .coarseMissing(index: index) : nil
  }

  /// Applies an accepted update. A fine value counts only in the first window. Values that the update omits remain.
  mutating func apply(_ update: ConversionValueInput, at now: Instant) -> WindowEnd? {
    start(at: now)
    guard let index = index(at: now) else { return nil }
    windows[index].isRegistered = true
    if index == 0 { windows[index].values.fine = update.fineValue ?? windows[index].values.fine }
    windows[index].values.coarse = update.coarse ?? windows[index].values.coarse
    guard update.lockWindow else { return nil }
    windows[index].lockedAt = now
    return finish(index, at: now)
  }
}

extension ConversionWindows {
  /// - Parameter ends: The ends of the windows in ascending order, relative to their common start.
  package init(ends: [Interval]) {
    self.init(windows: ends.map { Window(end: $0) })
  }

  /// Creates started windows with the same values.
  init(ends: some Sequence<Interval>, values: ReportedValues, startedAt: Instant) {
    self.init(windows: ends.map { Window(end: $0, values: values, isRegistered: true) }, startedAt: startedAt)
  }
}

extension Violation {
  package static let conversionEnded = Violation(
    "conversion-ended", "the values of the conversion are final",
    change: "report the value before the last window or the timer ends")

  /// The windows started with the first launch, and ended without a call.
  package static let windowsEndedUnused = Violation(
    "conversion-ended", "the values of the conversion are final",
    change: "report the value before the last window ends, or set conversionWindowStart of the device to \"first-update\"")

  package static let alreadyRegistered = Violation(
    "already-registered", "the app is registered; a call without a value changes nothing", change: "report a value")

  /// - Parameter hasNext: Whether a later window is open.
  package static func windowLocked(index: Int, until end: Instant, hasNext: Bool) -> Violation {
    Violation(
      "window-locked", "the app locked window \(index + 1), which lasts until \(end.text)",
      change: hasNext
        ? "report the value from \(end.text) on, or do not lock the window" : "report the value before you lock the window")
  }

  package static func coarseMissing(index: Int) -> Violation {
    Violation(
      "coarse-value-missing",
      "only a coarse value counts after the first window, and the call in window \(index + 1) has none",
      change: "report a coarse value")
  }

  /// A window after the first has only a coarse value, so it ignores the fine value of an accepted call.
  package static func fineIgnored(_ value: Int64, index: Int) -> Violation {
    Violation(
      "fine-value-ignored",
      later: { "window \(index + 1) ignores the fine value \(value), because only the first window has a fine value" },
      change: { "express the value as a coarse value, low, medium, or high, or report it in the first window" })
  }
}
