package import PCMCore
internal import PCMCrypto

/// A call that reports a value, and a conversion to which it applies.
package struct UpdateSituation: Sendable {
  package let conversion: Conversion
  package let update: ConversionValueInput
  package let system: OSVersion
  package let now: Instant

  /// The last system on which a registration sets the value of a registered app to 0.
  package static let lastSystemWithReset = OSVersion(15, 4)

  static let rules: [Rule<UpdateSituation>] = [
    Rule(
      "first-launch-is-in-time",
      "The first launch is in time. It counts for \(Conversion.launchLimit.words) after the install. A call of the app is a "
        + "launch, too.", .attributions,
      reasons: ["launch-too-late": "launch the app within \(Conversion.launchLimit.words) after the install"],
      inputs: [
        "firstLaunchAt": { .instant($0.conversion.firstLaunchAt) },
        "launchDeadline": { .instant($0.conversion.launchDeadline) },
        "now": { .instant($0.now) },
      ]
    ) { situation in
      let deadline = situation.conversion.launchDeadline
      guard situation.conversion.firstLaunchAt == nil, situation.now > deadline else { return nil }
      let limit = Conversion.launchLimit.words
      return Violation(
        "launch-too-late", "the first launch was due at \(deadline.text), \(limit) after the install",
        change: "launch the app within \(limit) after the install")
    },
    Rule(
      "conversion-is-open",
      "The conversion is open. Values are final after the timer or the last window. Without an update, the conversion ends "
        + "\(Conversion.firstUpdateLimit(isReengagement: false).words) after an install, and "
        + "\(Conversion.firstUpdateLimit(isReengagement: true).words) after a re-engagement.", .attributions,
      reasons: [
        "first-update-too-late": "report the first value earlier", "conversion-ended": Violation.conversionEnded.change,
      ],
      inputs: [
        "finished": { .bool($0.conversion.isFinished) }, "registered": { .bool($0.conversion.isRegistered) },
        "firstUpdateDeadline": { .instant($0.conversion.firstUpdateDeadline) }, "now": { .instant($0.now) },
      ]
    ) { situation in
      if !situation.conversion.isRegistered, situation.now > situation.conversion.firstUpdateDeadline {
        let deadline = situation.conversion.firstUpdateDeadline.text
        return Violation(
          "first-update-too-late", "the first update was due at \(deadline)", change: "report a value by \(deadline)")
      }
      return switch situation.conversion.course {
      case .timer(let timer): timer.isFinished ? .conversionEnded : nil
      case .windows: situation.windowRejection(Violation.conversionEnded.reason.code)
      }
    },
    Rule(
      "window-is-not-locked", "The window is not locked. Updates count again from the next window on.", .windows,
      reasons: ["window-locked": "report the value in the next window, or do not lock the window"],
      inputs: ["window": { .number($0.windowNumber) }]
    ) { $0.windowRejection("window-locked") },
    Rule(
      "value-counts",
      "The value counts. Before version 4.0, only a greater value does. In later versions, fine values count in the first window "
        + "only.", .windows,
      reasons: [
        "value-not-greater": "report a greater value", "already-registered": Violation.alreadyRegistered.change,
        "coarse-value-missing": "report a coarse value",
      ],
      inputs: [
        "fineValue": { .number($0.update.fineValue) }, "coarseValue": { .string($0.update.coarseValue) },
        "keptFineValue": { .number($0.keptFine) }, "window": { .number($0.windowNumber) },
      ]
    ) { situation in
      switch situation.conversion.course {
      case .timer(let timer):
        timer.rejection(of: situation.update, resets: situation.system <= lastSystemWithReset)
      case .windows: situation.windowRejection()
      }
    },
  ]

  /// Returns the reason the windows ignore the update; nil if there is none, or if its code is not the given code.
  private func windowRejection(_ code: String? = nil) -> Violation? {
    guard case .windows(let windows) = conversion.course else { return nil }
    let rejection = windows.rejection(of: update, at: now)
    return code == nil || rejection?.reason.code == code ? rejection : nil
  }

  /// The number of the window, from 1 to 3; nil outside the windows.
  private var windowNumber: Int64? {
    guard case .windows(let windows) = conversion.course else { return nil }
    return windows.index(at: now).map { Int64($0) + 1 }
  }

  private var keptFine: Int64? {
    switch conversion.course {
    case .timer(let timer): timer.values.fine
    case .windows(let windows): windows.index(at: now).flatMap { windows.windows[$0].values.fine }
    }
  }
}
