package import PCMCore
package import PCMCrypto

extension ConversionTiming {
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

  /// Returns a delay of at least the shortest, and less than the shortest plus the range.
  ///
  /// - Parameter draw: A random number in `0..<1`.
  package func interval(_ draw: Double) -> Interval {
    shortest + Interval(milliseconds: Int64(draw * Double(range.milliseconds)))
  }
}
