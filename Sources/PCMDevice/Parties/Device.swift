package import PCMCore

/// The device: its system, its account, and its developer settings.
package struct Device: Hashable, Codable, Sendable {
  package var system = OSVersion(18, 6)
  /// The country of the App Store account; nil if unknown. `CountryCode` checks it.
  package var country: String? = "US"
  /// The time at which developer mode was switched on (Settings > Developer > Ad Attribution Testing); nil if it is off. iOS
  /// 18 and later.
  package var developerModeSince: Instant?
  /// The time at which the testing profile was installed; nil without the profile. Before iOS 18.
  package var testingProfileSince: Instant?
  package var settings = DeviceSettings()

  /// Creates a new device.
  package init() {}

  /// The first system with developer mode. The testing profile has no effect on this and later systems.
  package static let firstSystemWithDeveloperMode = OSVersion(18)

  /// The time after which developer mode and the testing profile switch themselves off: two weeks.
  package static let testingLifetime = Interval.days(14)

  package func isInDeveloperMode(at now: Instant) -> Bool {
    system >= Self.firstSystemWithDeveloperMode && Self.isModeOn(developerModeSince, at: now)
  }

  /// Returns whether the testing profile shortens the times of a framework.
  package func hasTestingProfile(_ framework: AdFramework, at now: Instant) -> Bool {
    let first = framework == .skadnetwork ? OSVersion(14) : AdAttributionKitAd.firstSystem
    return system >= first && system < Self.firstSystemWithDeveloperMode && Self.isModeOn(testingProfileSince, at: now)
  }

  /// The minimum time that an SKAdNetwork view-through ad must be displayed.
  package var minimumViewTime: Interval { settings.minimumViewTime ?? ViewTime.skAdNetwork(on: system) }

  /// Returns whether a mode that was switched on at an instant is still on.
  package static func isModeOn(_ since: Instant?, at now: Instant) -> Bool {
    since.map { now >= $0 && now < $0 + testingLifetime } ?? false
  }
}

/// Settings for device behavior that Apple's documentation does not specify.
package struct DeviceSettings: Hashable, Codable, Sendable {
  /// The minimum time that an SKAdNetwork view-through ad must be displayed; nil for the documented time.
  package var minimumViewTime: Interval?
  /// The event that starts the conversion windows in production.
  package var conversionWindowStart = ConversionWindowStart.launch
  package var sourceDomain = SourceDomainChoice.displayingSite
  package var postbackKeys = PostbackKeyChoice.test
  /// Whether postbacks contain `\/` for each slash.
  package var escapesSlashes = true
}

/// The minimum time that an ad must be displayed to count as a view.
package enum ViewTime {
  /// AdAttributionKit records a view after two seconds (AdAttributionKit reference, section 2).
  package static let adAttributionKit = Interval.seconds(2)

  /// The first system with the shorter time for SKAdNetwork.
  package static let firstSystemWithTwoSeconds = OSVersion(15, 4)

  /// Returns the shortest view that SKAdNetwork records: two seconds, and three seconds before iOS 15.4.
  ///
  /// Source: Apple, `SKAdNetwork.endImpression(_:completionHandler:)`.
  package static func skAdNetwork(on system: OSVersion) -> Interval { .seconds(system < firstSystemWithTwoSeconds ? 3 : 2) }
}
