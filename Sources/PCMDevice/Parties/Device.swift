package import PCMCore

/// The device: its system, its account, and what a developer switched on.
package struct Device: Hashable, Codable, Sendable {
  package var system = OSVersion(18, 6)
  /// The country of the App Store account; nil if unknown. `CountryCode` checks it.
  package var country: String? = "US"
  /// When developer mode was switched on (Settings > Developer > Ad Attribution Testing); nil if it is off. iOS 18 and later.
  package var developerModeSince: Instant?
  /// When the testing profile was installed; nil without one. Before iOS 18.
  package var testingProfileSince: Instant?
  package var settings = DeviceSettings()

  /// Creates a new device.
  package init() {}

  /// The first system with developer mode. The testing profile does nothing from it on.
  package static let firstSystemWithDeveloperMode = OSVersion(18)

  /// Developer mode and the testing profile turn themselves off after two weeks.
  package static let testingLifetime = Interval.days(14)

  package func isInDeveloperMode(at now: Instant) -> Bool {
    system >= Self.firstSystemWithDeveloperMode && Self.isModeOn(developerModeSince, at: now)
  }

  /// Whether the testing profile shortens the times of a framework.
  package func hasTestingProfile(_ framework: AdFramework, at now: Instant) -> Bool {
    let first = framework == .skadnetwork ? OSVersion(14) : AdAttributionKitAd.firstSystem
    return system >= first && system < Self.firstSystemWithDeveloperMode && Self.isModeOn(testingProfileSince, at: now)
  }

  /// How long an SKAdNetwork view-through ad must be displayed.
  package var minimumViewTime: Interval { settings.minimumViewTime ?? ViewTime.skAdNetwork(on: system) }

  /// Whether a mode that was switched on at an instant has not turned itself off.
  package static func isModeOn(_ since: Instant?, at now: Instant) -> Bool {
    since.map { now >= $0 && now < $0 + testingLifetime } ?? false
  }
}

/// What a test chooses where Apple's documentation leaves a device's behavior open.
package struct DeviceSettings: Hashable, Codable, Sendable {
  /// How long an SKAdNetwork view-through ad must be displayed; nil for the time that Apple documents for the system.
  package var minimumViewTime: Interval?
  /// When the conversion windows of production begin.
  package var conversionWindowStart = ConversionWindowStart.launch
  package var sourceDomain = SourceDomainChoice.displayingSite
  package var postbackKeys = PostbackKeyChoice.test
  /// Whether postbacks have `\/` for a slash.
  package var escapesSlashes = true
}

/// How long an ad must be displayed to count as a view.
package enum ViewTime {
  /// AdAttributionKit records a view after two seconds (AdAttributionKit reference, section 2).
  package static let adAttributionKit = Interval.seconds(2)

  /// The first system with the shorter time of SKAdNetwork.
  package static let firstSystemWithTwoSeconds = OSVersion(15, 4)

  /// SKAdNetwork records a view-through ad after two seconds, and before iOS 15.4 after three (Apple,
  /// `SKAdNetwork.endImpression(_:completionHandler:)`).
  package static func skAdNetwork(on system: OSVersion) -> Interval { .seconds(system < firstSystemWithTwoSeconds ? 3 : 2) }
}
