package import PCMCore

/// An action after a launch, an update, or the passage of time.
package enum ConversionAction: Hashable, Sendable {
  /// The update counts in a window.
  ///
  /// - Parameter note: The value that the window ignores; nil if every value counts.
  case accept(conversion: Int64, index: Int, ReportedValues, note: Violation?)
  /// The update changes nothing.
  ///
  /// - Parameter conversion: Nil if the update applies to no conversion.
  case reject(conversion: Int64?, Violation)
  /// The postbacks of a window are sent after their delays.
  case schedule(PostbackPlan)
  /// A window has no postback.
  case drop(PostbackDropped)
}

extension PostbackDropped {
  init(conversion: Int64, impression: Int64? = nil, index: Int, _ reason: Violation) {
    self.init(
      conversion: conversion, impression: impression, sequenceIndex: Int64(index), reasons: [reason.reason],
      change: reason.change)
  }
}

/// A window whose values are final.
package struct PostbackPlan: Hashable, Sendable {
  package let conversion: Int64
  /// 0 to 2.
  package let index: Int
  /// The time at which the window or the timer ended or was locked. The delays start at this time.
  package let windowEnd: Instant
  package let values: ReportedValues

  package init(conversion: Int64, index: Int, windowEnd: Instant, values: ReportedValues) {
    self.conversion = conversion
    self.index = index
    self.windowEnd = windowEnd
    self.values = values
  }
}

/// The reasons a window has no postback.
extension Violation {
  package static let noUpdate = Violation(
    "no-update-in-window", "the app reported no value in the window", change: "report a value in this window")

  package static let neverLaunched = Violation(
    "never-launched", "the app was not launched within \(Conversion.launchLimit.words) after the install",
    change: "launch the app earlier")

  package static let neverUpdated = Violation(
    "never-updated", "the app did not report its first value in time", change: "report the first value earlier")

  package static let superseded = Violation(
    "conversion-superseded", "another conversion replaced this one before the app reported a value in this window",
    change: "report a value before the next conversion")

  /// The developer cleared the development postbacks.
  package static let cleared = Violation(
    "development-postbacks-cleared", "the development postbacks were cleared in the settings",
    change: "send the development postbacks before you clear them")

  /// The catalog's entries for these reasons.
  static let titlesOfDrops = [
    RuleTitle(
      reason: "fine-value-ignored",
      "A window after the first one has a coarse value only. The coarse value of the call counts.",
      .windows, change: "report a coarse value, low, medium, or high, or report the fine value in the first window"),
    RuleTitle(
      reason: "no-update-in-window", "The app reported no value in the window. Such a window has no postback.", .windows,
      change: noUpdate.change),
    RuleTitle(
      reason: "never-launched", "The app was never launched. The first launch counts for \(Conversion.launchLimit.words).",
      .attributions, change: neverLaunched.change),
    RuleTitle(
      reason: "never-updated", "The app never reported a value. Without a call of the app, there is no postback.",
      .appAttributions, change: neverUpdated.change),
    RuleTitle(
      reason: "conversion-superseded",
      "Another conversion replaced this one. Postbacks of windows with a value are scheduled immediately. The others are dropped.",
      .appAttributions, change: superseded.change),
    RuleTitle(
      reason: "development-postbacks-cleared",
      "The developer cleared the development postbacks. The settings delete all that were not sent.", .developmentPostbacks,
      change: cleared.change),
  ]
}
