package import PCMCore
internal import PCMCrypto

/// The timer of SKAdNetwork 1.0 to 3.0, which restarts after each accepted update (SKAdNetwork reference, section 4).
package struct RollingTimer: Hashable, Codable, Sendable {
  package let length: Interval
  /// Whether only a greater value counts. Under the testing profile, values of SKAdNetwork 4.0 and AdAttributionKit may also
  /// decrease.
  package let requiresIncrease: Bool
  package private(set) var values = ReportedValues()
  /// The end of the timer; nil before the first call.
  package private(set) var endsAt: Instant?
  package private(set) var isFinished = false

  /// Ends the timer if its time has passed, and returns the postback; nil while the timer runs.
  mutating func pass(to now: Instant) -> WindowEnd? {
    guard !isFinished, let endsAt, endsAt <= now else { return nil }
    return finish(at: endsAt)
  }

  /// Ends the timer early.
  mutating func finish(at now: Instant) -> WindowEnd? {
    guard !isFinished else { return nil }
    isFinished = true
    return endsAt == nil ? .unused(index: 0) : .registered(index: 0, at: now, values)
  }

  /// Returns the reason an update changes nothing; nil if it has an effect.
  func rejection(of update: ConversionValueInput, resets: Bool) -> Violation? {
    guard endsAt != nil else { return nil }
    if isRegistration(update) { return resets && values.fine ?? 0 > 0 ? nil : .alreadyRegistered }
    guard requiresIncrease, let kept = values.fine, let fine = update.fineValue, fine <= kept else { return nil }
    return .valueNotGreater(fine, kept: kept)
  }

  /// Applies an accepted update.
  ///
  /// The first call starts the timer, and each value restarts it. A later call without a value sets the value to 0.
  mutating func apply(_ update: ConversionValueInput, at now: Instant) -> WindowEnd? {
    if isRegistration(update) {
      if endsAt == nil { endsAt = now + length } else { values.fine = 0 }
      return nil
    }
    values.fine = update.fineValue ?? values.fine
    if !requiresIncrease { values.coarse = update.coarse ?? values.coarse }
    endsAt = now + length
    return update.lockWindow && !requiresIncrease ? finish(at: now) : nil
  }

  /// Returns whether a call has no value. Before version 4.0, coarse values and locks do not exist.
  private func isRegistration(_ update: ConversionValueInput) -> Bool {
    update.fineValue == nil && (requiresIncrease || update.coarse == nil)
  }
}

/// The end of a window or of a timer.
package enum WindowEnd: Hashable, Sendable {
  /// The values are final, and a postback is sent after a delay.
  case registered(index: Int, at: Instant, ReportedValues)
  /// The app made no call, so there is no postback.
  case unused(index: Int)
}

extension Violation {
  package static func valueNotGreater(_ value: Int64, kept: Int64) -> Violation {
    Violation(
      "value-not-greater", "\(value) is not greater than \(kept), and before version 4.0 a value only rises",
      change: kept < ConversionValue.fineValues.upperBound
        ? "report a value greater than \(kept)" : "nothing: \(kept) is the greatest value")
  }
}
