package import PCMCore
package import PCMCrypto

/// The times of a conversion: the times of production, or the short ones of a test (SKAdNetwork reference, section 10;
/// AdAttributionKit reference, section 10).
package enum ConversionTiming: String, Hashable, Sendable, CaseIterable {
  case production
  /// Developer mode, only for ads that serve for tests.
  case developerMode = "developer-mode"
  case testingProfile = "testing-profile"

  /// The timing of a conversion by an ad, fixed when it begins.
  package init(_ impression: AdImpression, on device: Device, at now: Instant) {
    if impression.isDevelopment, device.isInDeveloperMode(at: now) {
      self = .developerMode
    } else {
      self = device.hasTestingProfile(impression.framework, at: now) ? .testingProfile : .production
    }
  }

  /// What begins the windows of a conversion: in production, the choice of the device.
  func windowStart(on device: Device) -> ConversionWindowStart {
    self == .production ? device.settings.conversionWindowStart : .firstUpdate
  }

  /// The ends of the three windows after their start.
  package var windowEnds: [Interval] {
    switch self {
    case .production: [.days(2), .days(7), .days(35)]
    case .developerMode: [.minutes(3), .minutes(6), .minutes(9)]
    case .testingProfile: []
    }
  }

  /// The length of the rolling timer.
  package var timerLength: Interval {
    switch self {
    case .production: .hours(24)
    case .developerMode: .minutes(3)
    case .testingProfile: .minutes(5)
    }
  }

  /// The delay of a postback after its window or timer ended.
  ///
  /// - Parameters:
  ///   - index: 0 for the first postback.
  ///   - version: The version of SKAdNetwork; nil for AdAttributionKit.
  package func delay(index: Int, version: SKAdNetworkVersion?) -> PostbackDelay {
    switch (self, index) {
    case (.testingProfile, _): PostbackDelay(shortest: .minutes(0), range: .minutes(5))
    case (.developerMode, _): PostbackDelay(shortest: .minutes(5), range: .minutes(5))
    case (.production, 0) where version.map { $0 < .v4 } ?? false: PostbackDelay(shortest: .hours(0), range: .hours(24))
    case (.production, 0): PostbackDelay(shortest: .hours(24), range: .hours(24))
    case (.production, _): PostbackDelay(shortest: .hours(24), range: .hours(120))
    }
  }
}

/// The bounds of a random delay.
package struct PostbackDelay: Hashable, Sendable {
  package let shortest: Interval
  package let range: Interval

  package init(shortest: Interval, range: Interval) {
    self.shortest = shortest
    self.range = range
  }

  /// Returns a delay of at least the shortest, and less than the shortest plus the range.
  ///
  /// - Parameter draw: A random number in `0..<1`.
  package func interval(_ draw: Double) -> Interval {
    shortest + Interval(milliseconds: Int64(draw * Double(range.milliseconds)))
  }
}
