package import PCMCore
internal import PCMSignatures

/// A call that reports a value, and a conversion that it concerns.
package struct UpdateSituation: Sendable {
  package let conversion: Conversion
  package let update: ConversionUpdate
  package let system: OSVersion
  package let now: Instant

  package init(conversion: Conversion, update: ConversionUpdate, system: OSVersion, now: Instant) {
    self.conversion = conversion
    self.update = update
    self.system = system
    self.now = now
  }

  /// The last system on which a registration sets the value of a registered app to 0.
  package static let lastSystemWithReset = OSVersion(15, 4)

  package static let rules: [Rule<UpdateSituation, UpdateRejection>] = [
    Rule(
      "first-launch-is-in-time",
      inputs: [
        "firstLaunchAt": { .instant($0.conversion.firstLaunchAt) },
        "launchDeadline": { .instant($0.conversion.launchDeadline) },
        "now": { .instant($0.now) },
      ]
    ) { situation in
      let deadline = situation.conversion.launchDeadline
      guard situation.conversion.firstLaunchAt == nil, situation.now > deadline else { return nil }
      return .launchTooLate(deadline: deadline)
    },
    Rule(
      "conversion-is-open",
      inputs: [
        "finished": { .bool($0.conversion.isFinished) }, "registered": { .bool($0.conversion.isRegistered) },
        "firstUpdateDeadline": { .instant($0.conversion.firstUpdateDeadline) }, "now": { .instant($0.now) },
      ]
    ) { situation in
      let deadline = situation.conversion.firstUpdateDeadline
      if !situation.conversion.isRegistered, situation.now > deadline { return .firstUpdateTooLate(deadline: deadline) }
      return switch situation.conversion.course {
      case .timer(let timer): timer.isFinished ? .conversionEnded : nil
      case .windows:
        situation.windowRejection.flatMap { [.conversionEnded, .windowsEndedUnused].contains($0) ? $0 : nil }
      }
    },
    Rule("window-is-not-locked", inputs: ["window": { .number($0.windowNumber) }]) { situation in
      guard case .windowLocked? = situation.windowRejection else { return nil }
      return situation.windowRejection
    },
    Rule(
      "value-counts",
      inputs: [
        "fineValue": { .number($0.update.fine) }, "coarseValue": { .string($0.update.coarse?.rawValue) },
        "keptFineValue": { .number($0.keptFine) }, "window": { .number($0.windowNumber) },
      ]
    ) { situation in
      switch situation.conversion.course {
      case .timer(let timer):
        timer.rejection(of: situation.update, resets: situation.system <= lastSystemWithReset)
      case .windows: situation.windowRejection
      }
    },
  ]

  private var windowRejection: UpdateRejection? {
    guard case .windows(let windows) = conversion.course else { return nil }
    return windows.rejection(of: update, at: now)
  }

  /// 1 to 3; nil outside the windows.
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
