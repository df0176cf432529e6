package import PCMCore

/// What follows from a launch, an update, or time that passes.
package enum ConversionAction: Hashable, Sendable {
  /// The update counts in a window.
  ///
  /// - Parameter note: What the window ignores; nil if everything counts.
  case accept(conversion: Int64, index: Int, ReportedValues, note: UpdateNote?)
  /// The update changes nothing.
  ///
  /// - Parameter conversion: Nil if no conversion is concerned.
  case reject(conversion: Int64?, UpdateRejection)
  /// The postbacks of a window are sent after their delays.
  case schedule(PostbackOrder)
  /// There is no postback for a window.
  case drop(conversion: Int64, index: Int, DropReason)
}

/// A finding about an update that counts.
package enum UpdateNote: Hashable, Sendable {
  /// A window after the first one has only a coarse value.
  case fineIgnored(Int64, index: Int)

  package var reason: Reason {
    switch self {
    case .fineIgnored(let value, let index):
      Reason(
        "fine-value-ignored",
        "window \(index + 1) ignores the fine value \(value), because only the first window has a fine value")
    }
  }

  /// The smallest change with which the value would count.
  package var change: String {
    switch self {
    case .fineIgnored: "express the value as a coarse value, low, medium, or high, or report it in the first window"
    }
  }
}

/// A window whose values are final.
package struct PostbackOrder: Hashable, Sendable {
  package let conversion: Int64
  /// 0 to 2.
  package let index: Int
  /// When the window or the timer ended, or was locked. The delays begin here.
  package let windowEnd: Instant
  package let values: ReportedValues

  package init(conversion: Int64, index: Int, windowEnd: Instant, values: ReportedValues) {
    self.conversion = conversion
    self.index = index
    self.windowEnd = windowEnd
    self.values = values
  }
}

/// Why a window has no postback.
package enum DropReason: Hashable, Sendable, CaseIterable {
  case noUpdate
  case neverLaunched
  case neverUpdated
  case superseded
  /// The developer cleared the development postbacks.
  case cleared

  package var reason: Reason {
    switch self {
    case .noUpdate: Reason("no-update-in-window", "the app reported no value in the window")
    case .neverLaunched:
      Reason("never-launched", "the app was not launched within \(Conversion.launchLimit.words) after the install")
    case .neverUpdated: Reason("never-updated", "the app did not report its first value in time")
    case .superseded:
      Reason(
        "conversion-superseded", "another conversion replaced this one before the app reported a value in this window")
    case .cleared: Reason("development-postbacks-cleared", "the development postbacks were cleared in the settings")
    }
  }

  /// The smallest change with which the window would have a postback.
  package var change: String {
    switch self {
    case .noUpdate: "report a value in this window"
    case .neverLaunched: "launch the app earlier"
    case .neverUpdated: "report the first value earlier"
    case .superseded: "report a value before the next conversion"
    case .cleared: "send the development postbacks before you clear them"
    }
  }
}
