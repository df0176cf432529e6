package import PCMCore
package import PCMCrypto

extension ConversionTiming {
  /// The timing of a conversion attributed to an ad, fixed at its start.
  package init(_ impression: AdImpression, on device: Device, at now: Instant) {
    if impression.isDevelopment, device.isInDeveloperMode(at: now) {
      self = .developerMode
    } else {
      self = device.hasTestingProfile(impression.framework, at: now) ? .testingProfile : .production
    }
  }

  /// Returns the event that starts the windows of a conversion. In production, the device determines it.
  func windowStart(on device: Device) -> ConversionWindowStart {
    self == .production ? device.settings.conversionWindowStart : .firstUpdate
  }

  /// Returns the delay of a postback after the end of its window or timer.
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

/// The range of a random delay.
package struct PostbackDelay: Hashable, Sendable {
  package let shortest: Interval
  package let range: Interval

  /// Returns a delay of at least `shortest`, and less than `shortest` plus `range`.
  ///
  /// - Parameter draw: A random number in `0..<1`.
  package func interval(_ draw: Double) -> Interval {
    shortest + Interval(milliseconds: Int64(draw * Double(range.milliseconds)))
  }
}
